import { defineAgent } from '@standardagents/spec'

export default defineAgent({
  name: 'counter',
  type: 'ai_human',
  sideA: { prompt: 'helper', stopOnResponse: false, maxSteps: 2 },
})

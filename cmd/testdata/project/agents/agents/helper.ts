import { defineAgent } from '@standardagents/spec'

export default defineAgent({
  name: 'helper',
  type: 'ai_human',
  description: 'Answers and adds numbers',
  sideA: { prompt: 'helper' },
})

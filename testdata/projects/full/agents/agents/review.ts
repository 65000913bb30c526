import { defineAgent } from '@standardagents/spec';

export default defineAgent({
  name: 'review',
  type: 'dual_ai',
  maxSessionTurns: 4,
  exposeAsTool: true,
  toolDescription: 'Reviews an answer before it is sent.',
  sideA: { prompt: 'draft', sessionStop: { name: 'close_case', messageProperty: 'summary' } },
  sideB: { prompt: 'critic', stopOnResponse: true },
});

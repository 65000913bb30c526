import { defineProvider } from '@standardagents/spec';

export default defineProvider({
  name: 'house',
  generate: async () => ({ content: 'from the house', finishReason: 'stop', usage: { promptTokens: 1, completionTokens: 1, totalTokens: 2 } }),
});

import { defineModel } from '@standardagents/builder';
import { openai } from '@standardagents/openai';

export default defineModel({
  name: 'main', provider: openai, model: 'gpt-5', fallbacks: ['backup'],
  inputPrice: 1.25, outputPrice: 10, cachedPrice: 0,
  capabilities: { reasoningLevels: { 0: null, 50: 'medium' }, supportsImages: true, maxContextTokens: 1000 },
  providerOptions: { service_tier: 'flex' },
});

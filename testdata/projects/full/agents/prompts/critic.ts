import { definePrompt } from '@standardagents/spec';

export default definePrompt({ name: 'critic', toolDescription: 'Part of a review.', model: 'backup', prompt: 'Work with {{text}}.', tools: ['close_case'] });

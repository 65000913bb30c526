import { definePrompt } from '@standardagents/spec';

export default definePrompt({ name: 'manners', toolDescription: '-', model: 'main', prompt: '[{"type":"string","value":"Be kind."}]' });

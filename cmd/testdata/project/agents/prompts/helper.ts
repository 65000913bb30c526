import { definePrompt } from '@standardagents/spec'

export default definePrompt({
  name: 'helper',
  toolDescription: 'Answers and adds numbers',
  prompt: 'You help.',
  model: 'small',
  includeChat: true,
  includePastTools: true,
  tools: ['add', 'note', 'visit'],
})

import { definePrompt } from '@standardagents/builder';
import { z } from 'zod';

export default definePrompt({
  name: 'desk',
  toolDescription: 'Answers questions of customers.',
  model: 'main',
  includeChat: true,
  includePastTools: true,
  requiredSchema: z.object({ question: z.string().describe('What the customer asks') }),
  prompt: [
    { type: 'text', content: 'You are the desk of ' },
    { type: 'env', property: 'REGION' },
    { type: 'include', prompt: 'manners' },
    { type: 'variable', value: 'topic' },
  ],
  variables: [{ name: 'CRM_TOKEN', type: 'secret', required: false, scoped: true, description: 'Key of the CRM' }],
  reasoning: { effort: 'low', include: true },
  tools: [
    'lookup',
    'close_case',
    { name: 'old_sum', options: { onCrash: 'retry' } },
    { name: 'draft', includeToolCalls: false, initUserMessageProperty: 'text' },
    { name: 'review', blocking: false, initUserMessageProperty: 'text', resumable: { receives_messages: 'side_a', maxInstances: 2, parentCommunication: 'explicit' } },
  ],
});

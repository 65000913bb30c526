import { defineTool } from '@standardagents/builder';
import { z } from 'zod';

export default defineTool(
  'Adds two numbers.',
  z.object({ a: z.number(), b: z.number() }),
  async (_state, { a, b }) => ({ content: [{ type: 'text', text: String(a + b) }, { type: 'text', text: 'done' }] }),
  z.object({ content: z.array(z.any()) }),
);

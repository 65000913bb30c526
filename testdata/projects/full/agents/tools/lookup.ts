import { defineTool } from '@standardagents/builder';
import { z } from 'zod';
import { shout } from '../../src/text';
import type { Row } from '../../src/types';

enum Kind { Person = 'person', Firm = 'firm' }

export default defineTool({
  description: 'Looks a customer up.',
  args: z.object({
    name: z.string().min(1).describe('Full name'),
    kind: z.enum(['person', 'firm']).default('person'),
    tags: z.array(z.string()).optional(),
    where: z.union([z.object({ city: z.string() }), z.null()]).optional(),
    extra: z.record(z.string(), z.number()).optional(),
  }),
  execute: async (state, args) => {
    const row: Row = { name: shout(args.name), kind: args.kind as Kind };
    return { status: 'success', result: row };
  },
});

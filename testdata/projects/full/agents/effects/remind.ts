import { defineEffect } from '@standardagents/builder';
import { z } from 'zod';

export default defineEffect('Reminds the customer.', z.object({ text: z.string() }), async (state, { text }) => {
  await state.queueMessage({ role: 'user', content: text });
});

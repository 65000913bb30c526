import { defineHook } from '@standardagents/builder';

export default defineHook({
  hook: 'after_tool_call_success',
  id: 'note_call',
  execute: async (state, call, result) => ({ ...result, result: `${call.function.name}: ${result.result}` }),
});

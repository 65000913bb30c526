// The entry's other half: everything that the host calls in a loaded program.
//
// The generated entry gives `files`: for each definition file a function that
// imports it, so that a file is evaluated when it is first needed and a file
// that throws harms nothing but itself.

import { describeFile, normalEffect, normalHook, normalTool } from "sideb:glue/define";
import { callHook } from "sideb:glue/hook";
import { loader, type Files } from "sideb:glue/load";
import { models } from "sideb:glue/models";
import { parseArgs, type Parsed } from "sideb:glue/schema";
import { threadState, type CallState } from "sideb:glue/state";

export interface Env {
  signal: AbortSignal;
  host(method: string, args: unknown): Promise<any>;
  hostSend(method: string, args: unknown): void;
}

interface ScriptCall {
  file: string;
  args: any;
  state: CallState;
}

export function program(files: Files) {
  const load = loader(files);

  // settled runs project code with a state and gives its answer and the
  // context that it left behind to the host.
  async function settled(call: ScriptCall, env: Env, run: (state: any) => unknown) {
    const bridge = threadState(call.state, env);
    try {
      const value = await run(bridge.state);
      return { value, context: bridge.changedContext() };
    } catch (e) {
      const context = bridge.changedContext();
      if (context !== undefined) await env.host("setContext", { context }).catch(() => {});
      throw e;
    }
  }

  return {
    // describe throws what the file throws: the host maps the position.
    async describe(file: string) {
      return describeFile(await files[file]());
    },

    async callTool(call: ScriptCall, env: Env) {
      const tool = normalTool(await load(call.file));
      let parsed: Parsed = { ok: true, value: undefined };
      if (tool.args) parsed = await parseArgs(tool.args, call.args);
      if (!parsed.ok) return { invalid: parsed.issues };
      return settled(call, env, (state) => (tool.args ? tool.execute(state, parsed.value) : tool.execute(state)));
    },

    async callHook(call: ScriptCall, env: Env) {
      const hook = normalHook(await load(call.file));
      return settled(call, env, (state) => callHook(hook, state, call.args));
    },

    async callEffect(call: ScriptCall, env: Env) {
      const effect = normalEffect(await load(call.file));
      let parsed: Parsed = { ok: true, value: undefined };
      if (effect.args) parsed = await parseArgs(effect.args, call.args);
      if (!parsed.ok) return { invalid: parsed.issues };
      return settled(call, env, async (state) => {
        await (effect.args ? effect.execute(state, parsed.value) : effect.execute(state));
      });
    },

    // A model can be asked here too, where it has no program of its own.
    ...models(files),
  };
}

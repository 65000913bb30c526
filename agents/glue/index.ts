// The entry's other half: everything that the host calls in a loaded program.
//
// The generated entry gives `files`: for each definition file a function that
// imports it, so that a file is evaluated when it is first needed and a file
// that throws harms nothing but itself.

import { describeFile, normalEffect, normalHook, normalTool } from "sideb:glue/define";
import { callHook } from "sideb:glue/hook";
import { loader, type Files } from "sideb:glue/load";
import { models } from "sideb:glue/models";
import { parseArgs } from "sideb:glue/schema";
import { threadState } from "sideb:glue/state";

export interface Env {
  signal: AbortSignal;
  host(method: string, args: unknown): Promise<any>;
  hostSend(method: string, args: unknown): void;
}

interface ScriptCall {
  file: string;
  args: any;
}

export function program(files: Files) {
  const load = loader(files);

  return {
    // describe throws what the file throws: the host maps the position.
    async describe(file: string) {
      return describeFile(await files[file]());
    },

    callTool(call: ScriptCall, facts: string, names: string, env: Env) {
      return then(load(call.file), (def) => validated(normalTool(def), call, facts, names, env));
    },

    callHook(call: ScriptCall, facts: string, names: string, env: Env) {
      return then(load(call.file), (def) => {
        const hook = normalHook(def);
        return settled(facts, names, env, (state) => callHook(hook, state, call.args));
      });
    },

    callEffect(call: ScriptCall, facts: string, names: string, env: Env) {
      return then(load(call.file), (def) => {
        const effect = normalEffect(def);
        const { execute } = effect;
        const silent = { ...effect, execute: (...args: any[]) => then(execute.apply(effect, args), () => undefined) };
        return validated(silent, call, facts, names, env);
      });
    },

    // A model can be asked here too, where it has no program of its own.
    ...models(files),
  };
}

// A call goes through without a promise of its own where nothing has to be waited
// for: each one costs as much as a small tool does.
function then(value: any, f: (value: any) => any, failed?: (e: any) => any): any {
  return value !== null && typeof value === "object" && typeof value.then === "function" ? Promise.resolve(value).then(f, failed) : f(value);
}

// validated runs a tool or an effect once its arguments fit.
function validated(def: any, call: ScriptCall, facts: string, names: string, env: Env): any {
  if (!def.args) return settled(facts, names, env, (state) => def.execute(state));
  return then(parseArgs(def.args, call.args), (parsed) =>
    parsed.ok ? settled(facts, names, env, (state) => def.execute(state, parsed.value)) : { invalid: parsed.issues });
}

// settled runs project code with a state and gives its answer and the context
// that it left behind to the host.
function settled(facts: string, names: string, env: Env, run: (state: any) => any): any {
  const { state, call } = threadState(facts, names, env);
  const done = (value: any) => ({ value, context: call.changedContext() });
  const failed = async (e: any) => {
    const context = call.changedContext();
    if (context !== undefined) await env.host("setContext", { context }).catch(() => {});
    throw e;
  };
  let value;
  try {
    value = run(state);
  } catch (e) {
    return failed(e);
  }
  return then(value, done, failed);
}

import { defineHook } from "@standardagents/spec";
export default defineHook({ hook: "after_system_message", id: "slow", execute: () => new Promise(() => {}) });

import { defineHook } from "@standardagents/spec";
export default defineHook({ hook: "filter_messages", id: "broken_filter", execute: async () => { throw new Error("out of order"); } });

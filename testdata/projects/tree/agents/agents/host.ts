import { defineAgent } from "@standardagents/spec";
export default defineAgent({ name: "host", sideA: { prompt: "host" } });

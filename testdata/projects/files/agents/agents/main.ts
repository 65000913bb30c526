import { defineAgent } from "@standardagents/spec";
export default defineAgent({ name: "main", sideA: { prompt: "main" } });

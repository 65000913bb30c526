import { defineAgent } from "@standardagents/spec";
export default defineAgent({ name: "chief", sideA: { prompt: "chief" } });

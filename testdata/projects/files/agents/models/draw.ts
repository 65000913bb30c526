import { defineModel } from "@standardagents/spec";
import { openai } from "@standardagents/openai";
export default defineModel({ name: "draw", provider: openai, model: "draw" });

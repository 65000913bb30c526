import { defineModel } from "@standardagents/spec";
import { openai } from "@standardagents/openai";
export default defineModel({ name: "main", provider: openai, model: "main" });

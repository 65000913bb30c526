import { defineModel } from "@standardagents/spec";
import { openai } from "@standardagents/openai";
export default defineModel({ name: "m", provider: openai, model: "m" });

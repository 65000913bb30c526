import { defineModel } from "@standardagents/spec";
import { openai } from "@standardagents/openai";
export default defineModel({ name: "check", provider: openai, model: "check" });

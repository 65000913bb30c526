import { childPrompt } from "../../src/child";
export default childPrompt("vault", {
  tools: ["finish", "give_up", "progress", "read_token"],
  variables: [{ name: "TOKEN", type: "secret", required: true, scoped: true, description: "Opens it." }],
});

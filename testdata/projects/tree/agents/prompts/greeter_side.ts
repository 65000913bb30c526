import { childPrompt } from "../../src/child";
export default childPrompt("greeter");

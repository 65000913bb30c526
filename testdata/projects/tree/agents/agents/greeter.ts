import { child } from "../../src/child";
export default child("greeter");

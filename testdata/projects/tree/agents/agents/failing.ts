import { child } from "../../src/child";
export default child("failing");

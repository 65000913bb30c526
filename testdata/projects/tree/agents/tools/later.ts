import { defineTool } from "@standardagents/spec";
export default defineTool({
  description: "Schedules a reminder, and one that it takes back.",
  execute: async (state) => {
    const id = await state.scheduleEffect("remind", { text: "tea" });
    const other = await state.scheduleEffect("remind", { text: "never" }, 3_600_000);
    const list = await state.getScheduledEffects("remind");
    const gone = [await state.removeScheduledEffect(other), await state.removeScheduledEffect(other)];
    const unknown = await state.scheduleEffect("nothing", {}).catch((e: any) => e.code);
    return { status: "success", result: [list.length, list.some((e: any) => e.id === id && e.args.text === "tea"), ...gone, unknown].join() };
  },
});

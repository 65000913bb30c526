import { defineTool } from "@standardagents/builder";
import { z } from "zod";

const DAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

export default defineTool({
  description: "Tells the date and time.",
  args: z.object({
    utc_offset: z.number().min(-12).max(14).default(0).describe("Hours from UTC, such as -5 or 5.5"),
  }),
  execute: async (_state, { utc_offset }) => {
    const shifted = new Date(Date.now() + utc_offset * 3_600_000);
    const [date, time] = shifted.toISOString().split("T");
    return { status: "success", result: JSON.stringify({ weekday: DAYS[shifted.getUTCDay()], date, time: time.slice(0, 8), utc_offset }) };
  },
});

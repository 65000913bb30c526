// log appends a line to the thread's key "log".
export async function log(state: any, line: string): Promise<void> {
  const lines = (await state.getValue("log")) ?? [];
  await state.setValue("log", [...lines, line]);
}

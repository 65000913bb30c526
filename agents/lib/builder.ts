// @standardagents/builder: the define functions, and the state's methods as
// functions that take the state first.

export * from "sideb:spec";

type State = any;

declare const __base64ToBytes: (text: string) => Uint8Array;

export const queueTool = (state: State, name: string, args?: any) => state.queueTool(name, args ?? {});
export const injectMessage = (state: State, message: any) => state.injectMessage(message);
export const getMessages = (state: State, options?: any) => state.getMessages(options);
export const emitThreadEvent = (state: State, event: string, data?: any) => state.emit(event, data);

/** reloadHistory brings state.execution.messageHistory up to date and answers it. */
export async function reloadHistory(state: State): Promise<any[]> {
  const { messages } = await state.getMessages({ limit: 1000, includeSilent: true });
  const history = state.execution?.messageHistory;
  if (Array.isArray(history)) history.splice(0, history.length, ...messages);
  return messages;
}

/** forceTurn makes a side of a dual_ai thread act next. */
export function forceTurn(state: State, side: "a" | "b"): void {
  if (!state.execution) throw new Error("forceTurn needs a running execution");
  state.execution.forceTurn(side);
}

function method(state: State, name: string): (...args: any[]) => any {
  if (typeof state[name] !== "function") throw new Error(`this thread state has no ${name}`);
  return state[name].bind(state);
}

export const updateThread = async (state: State, changes: any) => method(state, "updateThread")(changes);

export const writeFile = async (state: State, path: string, data: any, mimeType?: string, options?: any) =>
  method(state, "writeFile")(path, data, mimeType, options);
export const readFile = async (state: State, path: string) => method(state, "readFile")(path);
export const stat = async (state: State, path: string) => method(state, "statFile")(path);
export const exists = async (state: State, path: string) => (await stat(state, path)) !== null;
export const unlink = async (state: State, path: string) => method(state, "unlinkFile")(path);
export const mkdir = async (state: State, path: string) => method(state, "mkdirFile")(path);
export const readdir = async (state: State, path: string) => method(state, "readdirFile")(path);
export const rmdir = async (state: State, path: string) => method(state, "rmdirFile")(path);
export const getFileStats = async (state: State) => method(state, "getFileStats")();
export const getThumbnail = async (state: State, path: string) => method(state, "getFileThumbnail")(path);
export const grep = async (state: State, pattern: string) => method(state, "grepFiles")(pattern);
export const find = async (state: State, glob: string) => method(state, "findFiles")(glob);

/** linkFile gives a file of the thread a second path; whichever of the two is there is the file. */
export async function linkFile(state: State, one: string, other: string) {
  for (const path of [one, other]) {
    if (/^[a-z][a-z0-9+.-]*:\/\//i.test(path)) throw new Error(`${path} isn't a file of this thread: fetch it and write it with writeFile`);
  }
  let [from, to] = [one, other];
  let record = await stat(state, from);
  if (!record) {
    [from, to] = [other, one];
    record = await stat(state, from);
  }
  if (!record || record.isDirectory) throw new Error(`there is no file ${JSON.stringify(one)} to link`);
  const { metadata, width, height } = record;
  return writeFile(state, to, await readFile(state, from), record.mimeType, { metadata, width, height });
}

/** writeImage writes an image with its size in pixels; data is bytes or base64 text, as it is or in a data: URL. */
export async function writeImage(state: State, path: string, data: any, mimeType = "image/png", options?: any) {
  const bytes = typeof data === "string" ? __base64ToBytes(data.replace(/^data:[^,]*,/, "")) : data;
  return writeFile(state, path, bytes, mimeType, options);
}

/** move takes whole paths; rename takes the new name, in the same directory. */
export async function move(state: State, from: string, to: string) {
  if (typeof state.moveFile === "function") return state.moveFile(from, to);
  const record = await stat(state, from);
  if (!record) throw new Error(`there is no file ${JSON.stringify(from)}`);
  if (record.isDirectory) throw new Error(`${JSON.stringify(from)} is a directory; move its files`);
  const options = { metadata: record.metadata, width: record.width, height: record.height };
  const moved = await writeFile(state, to, await readFile(state, from), record.mimeType, options);
  await unlink(state, from);
  return moved;
}

export const rename = (state: State, path: string, name: string) =>
  move(state, path, name.startsWith("/") ? name : path.slice(0, path.lastIndexOf("/") + 1) + name);

/** cat answers a file's text, null where there is none. */
export async function cat(state: State, path: string): Promise<string | null> {
  const data = await readFile(state, path);
  return data === null ? null : typeof data === "string" ? data : new TextDecoder().decode(data);
}

async function lines(state: State, path: string): Promise<string[] | null> {
  const text = await cat(state, path);
  return text === null ? null : text.replace(/\n$/, "").split("\n");
}

/** head and tail answer the first and last lines of a file, null where there is none. */
export const head = async (state: State, path: string, count = 10) => (await lines(state, path))?.slice(0, count).join("\n") ?? null;
export const tail = async (state: State, path: string, count = 10) => {
  const all = await lines(state, path);
  return all && all.slice(Math.max(0, all.length - count)).join("\n");
};

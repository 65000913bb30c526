// The files of a thread (authoring surface §12.5). Bytes cross to the host as
// base64, text as it is.

import { checkJSON } from "sideb:glue/json";

interface Host {
  ask(method: string, args: unknown): Promise<any>;
}

declare const __bytesToBase64: (bytes: ArrayBuffer | ArrayBufferView) => string;
declare const __base64ToBytes: (text: string) => Uint8Array;

const isBytes = (v: any): boolean => v instanceof ArrayBuffer || ArrayBuffer.isView(v);

/** content is what writeFile takes, as the host takes it. */
async function content(data: any): Promise<{ text: string } | { data: string }> {
  if (typeof data === "string") return { text: data };
  if (isBytes(data)) return { data: __bytesToBase64(data) };
  if (typeof data?.arrayBuffer === "function") return { data: __bytesToBase64(await data.arrayBuffer()) };
  throw new TypeError("a file's content must be a string, an ArrayBuffer or a view of one");
}

const bufferOf = (text: string | null | undefined): ArrayBuffer | null =>
  text === null || text === undefined ? null : (__base64ToBytes(text).buffer as ArrayBuffer);

const pathOf = (path: unknown): string => {
  if (typeof path !== "string" || path === "") throw new TypeError("a file's path must be a non-empty string");
  return path;
};

async function writeFile(c: Host, path: string, data: any, mimeType: any = "", options: any = {}) {
  const { metadata = null, width = 0, height = 0 } = options ?? {};
  if (metadata !== null) checkJSON(metadata, "the metadata");
  const size = (n: any) => (Number.isFinite(n) ? Math.round(n) : 0);
  return c.ask("writeFile", {
    path: pathOf(path), ...(await content(data)), mimeType: String(mimeType ?? ""),
    options: { metadata, width: size(width), height: size(height) },
  });
}

const aborted = (signal: any) => {
  if (signal?.aborted) throw signal.reason ?? new DOMException("The read was aborted.", "AbortError");
};

/** readFileStream asks for one piece at a time, all of the same content. */
async function readFileStream(c: Host, path: string, options: any = {}) {
  const signal = options?.signal;
  const ask = async (contentID: number, index: number) => {
    aborted(signal);
    const piece = await c.ask("readFileStream", { path, content: contentID, index });
    return piece && { ...piece, data: __base64ToBytes(piece.data) };
  };
  let piece = await ask(0, 0);
  if (!piece) return null;
  let fresh = true; // piece wasn't given out yet
  let over = false;
  const iterator: any = {
    async next() {
      if (!over && !fresh) piece = await ask(piece.content, piece.index + 1);
      if (over) return { done: true, value: undefined };
      const { data, index, totalChunks, isLast } = piece;
      [fresh, over] = [false, isLast];
      return { done: false, value: { data, index, totalChunks, isLast } };
    },
    async return() {
      over = true;
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]: () => iterator,
  };
  return iterator;
}

export const fileMethods: Record<string, (c: Host) => (...args: any[]) => any> = {
  writeFile: (c) => (path: string, data: any, mimeType?: string, options?: any) => writeFile(c, path, data, mimeType, options),
  readFile: (c) => async (path: string) => bufferOf(await c.ask("readFile", { path: pathOf(path) })),
  readFileStream: (c) => async (path: string, options?: any) => readFileStream(c, pathOf(path), options),
  statFile: (c) => async (path: string) => c.ask("statFile", { path: pathOf(path) }),
  readdirFile: (c) => async (path = "/") => ({ entries: await c.ask("readdirFile", { path: pathOf(path) }) }),
  unlinkFile: (c) => async (path: string) => void (await c.ask("unlinkFile", { path: pathOf(path) })),
  rmdirFile: (c) => async (path: string) => void (await c.ask("rmdirFile", { path: pathOf(path) })),
  mkdirFile: (c) => async (path: string) => c.ask("mkdirFile", { path: pathOf(path) }),
  moveFile: (c) => async (from: string, to: string) => c.ask("moveFile", { path: pathOf(from), to: pathOf(to) }),
  renameFile: (c) => async (path: string, name: string) =>
    c.ask("moveFile", { path: pathOf(path), to: pathOf(name).startsWith("/") ? name : path.slice(0, path.lastIndexOf("/") + 1) + name }),
  getFileStats: (c) => async () => c.ask("getFileStats", {}),
  grepFiles: (c) => async (pattern: any) => c.ask("grepFiles", { pattern: pattern instanceof RegExp ? regexp(pattern) : String(pattern) }),
  findFiles: (c) => async (glob: string) => ({ paths: await c.ask("findFiles", { pattern: String(glob) }) }),
  getFileThumbnail: (c) => async (path: string) => bufferOf(await c.ask("getFileThumbnail", { path: pathOf(path) })),
};

const regexp = (r: RegExp): string => (r.ignoreCase ? "(?i)" : "") + r.source;

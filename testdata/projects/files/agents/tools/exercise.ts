import { defineTool } from "@standardagents/spec";

const failure = async (run: () => Promise<unknown>) => {
  try {
    await run();
  } catch (e: any) {
    return `${e.code}: ${e.message}`;
  }
  return "succeeded";
};

const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
const bytesOf = (text: string) => Uint8Array.from([...atob(text)], (c) => c.charCodeAt(0));

export default defineTool({
  description: "Uses every method that concerns files.",
  execute: async (state) => {
    const seen: any = {};
    const note = await state.writeFile("notes/first.md", "# One\r\ntwo three\nTWO é\n", "text/markdown", { metadata: { by: "me", n: [1] } });
    seen.note = { ...note, createdAt: typeof note.createdAt, updatedAt: note.updatedAt >= note.createdAt };
    seen.text = new TextDecoder().decode(await state.readFile("/notes/first.md"));
    seen.none = [await state.readFile("/none"), await state.statFile("/none"), await state.readFileStream("/none"), await state.getFileThumbnail("/none")];

    const image = await state.writeFile("/pictures/dot.png", bytesOf(png).buffer, "image/png");
    seen.image = [image.size, image.width, image.height];
    const back = new Uint8Array(await state.readFile("/pictures/dot.png"));
    seen.same = back.length === bytesOf(png).length && back.every((b, i) => b === bytesOf(png)[i]);
    const small = new Uint8Array(await state.getFileThumbnail("/pictures/dot.png"));
    seen.thumbnail = [small.length > 0, small[0]];
    seen.noThumbnail = await state.getFileThumbnail("/notes/first.md");

    const big = new Uint8Array(600_000);
    for (let i = 0; i < big.length; i += 1000) big[i] = i % 251;
    await state.writeFile("/big.bin", big.subarray(0, 600_000), "application/octet-stream");
    const pieces: any[] = [];
    let good = true, at = 0;
    for await (const piece of await state.readFileStream("/big.bin")) {
      pieces.push([piece.index, piece.totalChunks, piece.isLast, piece.data.length]);
      for (let i = 0; i < piece.data.length; i += 1000) good &&= piece.data[i] === big[at + i];
      at += piece.data.length;
    }
    seen.pieces = pieces;
    seen.good = [at, at % 1000 === 0];
    const controller = new AbortController();
    controller.abort();
    seen.aborted = await state.readFileStream("/big.bin", { signal: controller.signal }).catch((e: any) => e.name);
    const changing = await state.readFileStream("/big.bin");
    await changing.next();
    await state.writeFile("/big.bin", "small now", "text/plain");
    seen.changed = (await failure(() => changing.next())).split(":")[0];

    await state.mkdirFile("/empty/inner");
    seen.entries = (await state.readdirFile("/")).entries.map((f: any) => [f.name, f.isDirectory]);
    seen.inner = (await state.readdirFile("/empty/inner")).entries;
    seen.stats = await state.getFileStats();
    seen.grep = [await state.grepFiles("tw?o\\b"), await state.grepFiles("(?i)^two"), await state.grepFiles("# One"), await state.grepFiles("(unclosed")];
    seen.find = [await state.findFiles("*.md"), await state.findFiles("/**/*.{png,md}"), await state.findFiles("/pictures/d?t.[pq]ng"), await state.findFiles("/*.md")];

    await state.moveFile("/notes", "/moved/notes");
    await state.renameFile("/moved/notes/first.md", "last.md");
    await state.unlinkFile("/pictures/dot.png");
    await state.rmdirFile("/pictures");
    seen.left = (await state.findFiles("**")).paths;
    seen.failures = [
      await failure(() => state.writeFile("/a/../b", "x")),
      await failure(() => state.writeFile("/empty", "x")),
      await failure(() => state.writeFile("/big.bin/below", "x")),
      await failure(() => state.writeFile("/attachments", "x")),
      await failure(() => state.rmdirFile("/empty")),
      await failure(() => state.unlinkFile("/none")),
      await failure(() => state.readFile("/empty")),
      await failure(() => state.moveFile("/none", "/x")),
      await failure(() => state.writeFile("/x", { not: "bytes" } as any)),
      await failure(() => state.writeFile("", "x")),
      await failure(() => state.injectMessage({ role: "user", content: "look", attachments: [{ path: "/none" }] } as any)),
    ];
    const told = await state.injectMessage({ role: "system", content: "see", attachments: [{ path: "/big.bin" }] } as any);
    seen.told = told.attachments.map((a: any) => [a.type, a.path, a.name, a.mimeType, a.size, typeof a.id]);
    await state.setValue("seen", seen);
    return "used";
  },
});

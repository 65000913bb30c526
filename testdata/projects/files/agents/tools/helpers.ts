import {
  cat, defineTool, exists, find, getFileStats, getThumbnail, grep, head, linkFile, mkdir, move, readFile, readdir, rename, rmdir, stat, tail, unlink, writeFile, writeImage,
} from "@standardagents/builder";

const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";

export default defineTool({
  description: "Uses the helpers that take the state first.",
  execute: async (state) => {
    const seen: any = {};
    await writeFile(state, "/log.txt", Array.from({ length: 20 }, (_, i) => `line ${i + 1}`).join("\n") + "\n");
    seen.type = (await stat(state, "/log.txt")).mimeType;
    seen.cat = (await cat(state, "/log.txt")).length;
    seen.head = await head(state, "/log.txt", 2);
    seen.tail = await tail(state, "/log.txt", 2);
    seen.none = [await cat(state, "/none"), await head(state, "/none"), await exists(state, "/none"), await exists(state, "/log.txt")];
    const image = await writeImage(state, "/dot.png", png);
    const again = await writeImage(state, "/dot2.png", "data:image/png;base64," + png);
    seen.image = [image.mimeType, image.width, again.size === image.size];
    seen.linked = (await linkFile(state, "/dot.png", "/links/dot.png")).path;
    seen.far = await linkFile(state, "https://example.org/x.png", "/x.png").catch((e: any) => e.message);
    seen.thumbnail = (await getThumbnail(state, "/links/dot.png")).byteLength > 0;
    await mkdir(state, "/dir");
    await move(state, "/log.txt", "/dir/log.txt");
    await rename(state, "/dir/log.txt", "old.txt");
    seen.dir = (await readdir(state, "/dir")).entries.map((f: any) => f.path);
    seen.grep = await grep(state, "line 2$");
    seen.found = (await find(state, "*.txt")).paths;
    await unlink(state, "/dir/old.txt");
    await rmdir(state, "/dir");
    seen.stats = await getFileStats(state);
    seen.read = new Uint8Array(await readFile(state, "/dot.png"))[1];
    await state.setValue("seen", seen);
    return "used";
  },
});

// Definition files, each evaluated when it is first needed.

export type Files = Record<string, () => Promise<any>>;

/** loader answers the default export of a file. */
export function loader(files: Files) {
  // Importing a module that was imported before still costs as much as a small
  // tool does, hence the map.
  const defaults = new Map<string, any>();
  return async (file: string): Promise<any> => {
    if (defaults.has(file)) return defaults.get(file);
    const open = files[file];
    if (!open) throw new Error(`${file} isn't part of this program`);
    const value = (await open()).default;
    defaults.set(file, value);
    return value;
  };
}

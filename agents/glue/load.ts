// Definition files, each evaluated when it is first needed.

export type Files = Record<string, () => Promise<any>>;

/** loader answers the default export of a file, a promise of it where it has to be evaluated first. */
export function loader(files: Files) {
  // Importing a module that was imported before still costs as much as a small
  // tool does, hence the map.
  const defaults = new Map<string, any>();
  const open = async (file: string): Promise<any> => {
    const module = files[file];
    if (!module) throw new Error(`${file} isn't part of this program`);
    const value = (await module()).default;
    defaults.set(file, value);
    return value;
  };
  return (file: string): any => (defaults.has(file) ? defaults.get(file) : open(file));
}

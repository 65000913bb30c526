// Tags on what the define functions answer.

/** tag adds own properties that JSON, spreads and loops don't see. */
export function tag<T extends object>(value: T, tags: Record<string, unknown>): T {
  for (const name of Object.keys(tags)) {
    Object.defineProperty(value, name, { value: tags[name], configurable: true, writable: true });
  }
  return value;
}

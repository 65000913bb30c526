// What may cross to the host: JSON, and nothing that JSON would silently change.

/** checkJSON throws where value isn't plain JSON data. undefined in an object is left out as JSON does. */
export function checkJSON(value: any, what: string): void {
  walk(value, what, []);
}

function walk(v: any, path: string, parents: any[]): void {
  switch (typeof v) {
    case "string":
    case "boolean":
    case "undefined":
      return;
    case "number":
      if (!Number.isFinite(v)) throw new TypeError(`${path} is ${v}: only finite numbers can be stored`);
      return;
    case "object":
      break;
    default:
      throw new TypeError(`${path} is a ${typeof v}: only JSON values can be stored`);
  }
  if (v === null) return;
  if (parents.includes(v)) throw new TypeError(`${path} refers to itself: a stored value must not have cycles`);
  const inner = [...parents, v];
  if (Array.isArray(v)) {
    for (let i = 0; i < v.length; i++) {
      if (v[i] === undefined) throw new TypeError(`${path}[${i}] is undefined: use null in arrays`);
      walk(v[i], `${path}[${i}]`, inner);
    }
    return;
  }
  const proto = Object.getPrototypeOf(v);
  if (proto !== null && proto !== Object.prototype) {
    throw new TypeError(`${path} is a ${v.constructor?.name || "class instance"}: only plain objects and arrays can be stored`);
  }
  for (const key of Object.keys(v)) walk(v[key], `${path}.${key}`, inner);
}

// Schemas of the project: zod's, whichever copy of it made them.

export type Parsed = { ok: true; value: any } | { ok: false; issues: string };

export const isSchema = (v: any): boolean =>
  typeof v === "object" && v !== null && (v._zod !== undefined || v._def !== undefined) && typeof v.safeParse === "function";

/** parseArgs validates; what is wrong comes as "[path] message" pairs. */
export function parseArgs(schema: any, value: unknown): Parsed | Promise<Parsed> {
  const result = safeParse(schema, value);
  return result instanceof Promise ? result.then(parsedOf) : parsedOf(result);
}

function parsedOf(result: any): Parsed {
  if (result.success) return { ok: true, value: result.data };
  const issues = result.error.issues.map((issue: any) => {
    const path = issue.path.map(String).join(".") || "root";
    return `[${path}] ${issue.message}`;
  });
  return { ok: false, issues: issues.join("; ") };
}

// safeParse waits only for schemas that need it: the asynchronous parse costs
// several times as much.
function safeParse(schema: any, value: unknown): any {
  try {
    return schema.safeParse(value);
  } catch {
    return schema.safeParseAsync(value);
  }
}

/** jsonSchema is the reduced JSON schema that models get (authoring surface §5). */
export async function jsonSchema(schema: any): Promise<any> {
  const { type, properties, required, $defs } = reduce(await convert(schema)) as any;
  const out: any = { type: type ?? "object", properties: properties ?? {} };
  if (required?.length) out.required = required;
  if ($defs) out.$defs = $defs;
  out.additionalProperties = false;
  return out;
}

async function convert(schema: any): Promise<any> {
  const options = { io: "input", unrepresentable: "any" };
  if (typeof schema.toJSONSchema === "function") return schema.toJSONSchema(options);
  const z: any = await import("zod");
  const to = z.toJSONSchema ?? z.z?.toJSONSchema;
  if (typeof to !== "function") {
    throw new Error("the zod in node_modules has no z.toJSONSchema: install zod 4, or remove it to use the built-in one");
  }
  return to(schema, options);
}

// reduce takes out what providers refuse and closes every object.
function reduce(node: any, names = false): any {
  if (Array.isArray(node)) return node.map((item) => reduce(item));
  if (typeof node !== "object" || node === null) return node;
  const out: any = {};
  for (const [key, value] of Object.entries<any>(node)) {
    if (names) {
      out[key] = reduce(value);
      continue;
    }
    if (key === "$schema" || key === "propertyNames" || key.startsWith("~")) continue;
    const verbatim = key === "default" || key === "const" || key === "enum" || key === "examples";
    out[key] = verbatim ? value : reduce(value, key === "properties" || key === "$defs");
  }
  if (!names && out.properties) out.additionalProperties = false;
  return out;
}

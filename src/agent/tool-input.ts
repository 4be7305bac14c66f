/**
 * Checks the arguments of a model's call against the JSON Schema of its tool. Converts nothing: a tool gets what the
 * model sent, or is not executed.
 */
import type { Json } from '../core/json.js';

type Check = (input: unknown) => string | undefined;

const mostProblems = 5;
const checks = new WeakMap<object, Promise<Check>>();

/** What is wrong with the arguments, for the model to correct; undefined if they fit. */
export async function inputProblem(inputSchema: unknown, input: Json): Promise<string | undefined> {
  if (typeof inputSchema !== 'object' || inputSchema === null) return undefined;
  const check = checks.get(inputSchema) ?? checkOf(inputSchema);
  checks.set(inputSchema, check);
  return (await check)(input);
}

async function checkOf(inputSchema: object): Promise<Check> {
  const { z } = await import('zod'); // only for agents with tools
  const schema = readSchema(() => z.fromJSONSchema(inputSchema as Parameters<typeof z.fromJSONSchema>[0]));
  return (input) => {
    const issues = schema?.safeParse(input).error?.issues;
    if (issues === undefined) return undefined;
    const told = issues.slice(0, mostProblems).map(({ path, message }) => `${pathOf(path)}${message}`);
    return `The arguments do not fit the tool's schema: ${told.join('; ').slice(0, 1_000)}.`;
  };
}

/** A schema with a keyword that cannot be read checks nothing: then the tool's own check is the only one. */
function readSchema<S>(read: () => S): S | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

function pathOf(path: readonly PropertyKey[]): string {
  return path.length === 0 ? '' : `${path.map(String).join('.')}: `;
}

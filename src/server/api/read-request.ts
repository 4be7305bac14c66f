/**
 * Reads the query and the body of a request, bounded and checked by a schema. Each function gives the value, or the reply that refuses it.
 */
import type { z as Zod } from '@hono/zod-openapi';
import { boundedBytes, parsedJson, readBefore, wasReadBefore } from '../../channels/http.js';
import { AgentError, failureOf } from '../../core/errors.js';
import { describe, describeKind } from '../../core/ids.js';
import { jsonRefusal } from '../access/origin.js';
import { badRequest, errorReply } from './errors.js';
import type { ApiReply } from './reply.js';

const mostBodyBytes = 128 * 1024;

export type ReadPart<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly reply: ApiReply };

const refused = (reply: ApiReply): { readonly ok: false; readonly reply: ApiReply } => ({ ok: false, reply });

/** The parameters of the query. One that comes twice has no meaning. `more` replaces some of them. */
export function readQuery<T>(url: string, schema: Zod.ZodType<T>, more: object = {}): ReadPart<T> {
  const given: Record<string, string> = Object.create(null);
  for (const [name, value] of new URL(url).searchParams) {
    if (name in given) return refused(badRequest(`The parameter ${describe(name)} is given twice.`, { field: name }));
    given[name] = value;
  }
  return checked({ ...given, ...more }, schema, describe);
}

/** The bytes of the body, up to the limit. */
export async function readBytes(request: Request): Promise<ReadPart<Uint8Array>> {
  const bytes = await boundedBytes(request, mostBodyBytes);
  if (bytes === undefined) return refused(errorReply('too-large'));
  if (wasReadBefore(request.headers, bytes)) return refused(badRequest(readBefore));
  return { ok: true, value: bytes };
}

/** The body as JSON. No body at all is an empty object. */
export function readBody<T>(headers: Headers, bytes: Uint8Array, schema: Zod.ZodType<T>): ReadPart<T> {
  if (bytes.length === 0) return checked({}, schema, describeKind);
  if (jsonRefusal({ headers }) !== undefined) return refused(errorReply('wrong-content-type'));
  try {
    return checked(parsedJson(bytes), schema, describeKind);
  } catch (error) {
    const { field } = error instanceof AgentError ? error.details : {};
    if (typeof field === 'string') return refused(badRequest(failureOf(error).message, { field }));
    return refused(badRequest('The body is not JSON in UTF-8. Nothing was done.'));
  }
}

type Describe = (value: unknown) => string;

/** The value as the schema reads it, or the reply that names the first wrong field, what was expected and what came. */
function checked<T>(given: unknown, schema: Zod.ZodType<T>, described: Describe): ReadPart<T> {
  const read = schema.safeParse(given);
  if (read.success) return { ok: true, value: read.data };
  const [issue] = read.error.issues;
  if (issue === undefined) return refused(badRequest('The request cannot be read.'));
  if (issue.code === 'unrecognized_keys') {
    const names = issue.keys.slice(0, 5).map(describe).join(', ');
    const field = [...issue.path, issue.keys[0] ?? ''].join('.');
    return refused(badRequest(`Unknown: ${names}. Leave it out, or see openapi.json for what is taken.`, { field }));
  }
  const field = issue.path.join('.');
  const got = described(valueAt(given, issue.path));
  const expected = issue.message.replace(/^Invalid input: expected /, '').replace(/, received .*$/, '');
  return refused(badRequest(`${field === '' ? 'The body' : field} must be ${expected}, got ${got}.`, { field }));
}

function valueAt(given: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((value, name) => (Object(value) as Record<PropertyKey, unknown>)[name], given);
}

/**
 * What channels that speak HTTP share: a body that is read up to a limit, JSON in and out, and errors as JSON. It knows no route and no
 * platform.
 */
import { Buffer } from 'node:buffer';
import type { AgentErrorCode } from '../core/errors.js';
import { AgentError, failureOf } from '../core/errors.js';
import { describe } from '../core/ids.js';
import { parsedJsonText } from '../core/json-text.js';

/** An error that is answered with this status, whatever its code would give. */
export function refusal(status: number, message: string, code: AgentErrorCode = 'bad-message'): AgentError {
  return new AgentError(code, message, { details: { status } });
}

/** The error for a method that is not served. Its response names the methods that are. */
export function notServed(message: string, allowed: readonly string[]): AgentError {
  return new AgentError('bad-message', message, { details: { status: 405, allow: allowed.join(', ') } });
}

/** The bytes of the body. More than `limit` are refused before they are parsed, and so is a body that somebody else has read. */
export async function limitedBody(request: Request, limit: number): Promise<Uint8Array> {
  const bytes = await boundedBytes(request, limit);
  if (bytes === undefined) throw refusal(413, `The body is longer than ${limit} bytes. Send less.`);
  if (wasReadBefore(request.headers, bytes)) throw refusal(400, readBefore);
  return bytes;
}

/** What a caller is told whose body was read by a parser of the host's application. */
export const readBefore =
  'The body was read before askback got the request, so nothing was done. Mount askback before body parsers such as express.json().';

/** The headers announce a body, and none is there. */
export function wasReadBefore(headers: Headers, bytes: Uint8Array): boolean {
  if (bytes.length > 0) return false;
  return Number(headers.get('content-length') ?? 0) > 0 || headers.has('transfer-encoding');
}

/** The bytes of the body; undefined if there are more than `limit`. */
export async function boundedBytes(request: Request, limit: number): Promise<Uint8Array | undefined> {
  const chunks: Uint8Array[] = [];
  const isWhole = await bodyInPieces(request, limit, (chunk) => chunks.push(chunk));
  return isWhole ? Buffer.concat(chunks) : undefined;
}

/** Hands on the body as it comes. False if it is longer than `limit`: said by its length before anything is read, or found while reading. */
export async function bodyInPieces(
  { headers, body }: Request,
  limit: number,
  take: (chunk: Uint8Array) => void,
): Promise<boolean> {
  if (Number(headers.get('content-length') ?? 0) > limit) return false;
  if (body === null) return true;
  const reader = body.getReader();
  let bytes = 0;
  for (;;) {
    const { done, value } = await readChunk(reader);
    if (done) return true;
    bytes += value.byteLength;
    if (bytes > limit) {
      reader.cancel().catch(() => {}); // the sender may be gone
      return false;
    }
    take(value);
  }
}

async function readChunk(reader: ReadableStreamDefaultReader<Uint8Array>) {
  try {
    return await reader.read();
  } catch (cause) {
    throw new AgentError('bad-message', 'The body ended before it was complete. Send it again.', { cause });
  }
}

/** Refuses what is not sent as JSON: a form of another site can send text/plain, and no JSON without being asked. */
export function assertJson(request: Request): void {
  const type = request.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase();
  if (type === 'application/json') return;
  throw refusal(415, 'The content-type must be application/json.');
}

/** The value of a JSON body. A key that comes twice has no meaning. */
export function parsedJson(body: Uint8Array): unknown {
  try {
    return parsedJsonText(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch (error) {
    if (error instanceof AgentError) throw error;
    throw new AgentError('bad-message', 'The body is no JSON in UTF-8.');
  }
}

/** The fields of a form. `get()` refuses one that comes twice, which has no meaning; `getAll()` is for those of which there may be several. */
export class FormFields extends URLSearchParams {
  override get(name: string): string | null {
    const [first = null, ...more] = this.getAll(name);
    if (more.length > 0) throw refusal(400, `The form has the field ${describe(name)} twice. Give it once.`);
    return first;
  }
}

export function jsonResponse(status: number, body: object, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(JSON.stringify(body), {
    status,
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      ...headers,
    },
  });
}

const statuses: Partial<Record<AgentErrorCode, number>> = {
  'bad-message': 400,
  'bad-option': 400,
  'bad-data': 400,
  unauthenticated: 401,
  'unknown-ask': 404,
  'queue-full': 429,
  'store-unavailable': 503,
  'store-full': 503,
  stopped: 503,
};

/** An error as JSON. What the caller can do nothing about is told to the operator, and not to the caller. */
export function errorResponse(error: unknown, where: string, headers: Readonly<Record<string, string>> = {}): Response {
  const { code, message } = failureOf(error);
  const { status, allow } = error instanceof AgentError ? error.details : {};
  const known = error instanceof AgentError ? (status ?? statuses[error.code]) : undefined;
  if (typeof known !== 'number') {
    process.emitWarning(`${where}: a request failed: ${code}: ${message}`, 'AskbackWarning');
    return jsonResponse(500, { error: { code: 'internal', message: 'The request failed. Send it again later.' } });
  }
  const retry = known === 429 || known === 503 ? { 'retry-after': '1' } : {};
  const allowed = typeof allow === 'string' ? { allow } : {};
  return jsonResponse(known, { error: { code, message } }, { ...retry, ...allowed, ...headers });
}

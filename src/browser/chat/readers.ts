/**
 * Reads what comes from outside of the script: the server, its storage, a token. Each reader returns a typed value, or throws what makes
 * the caller try again.
 */
import type { ChatBatch } from './wire.js';

/** The server refused a request. */
export class HttpError extends Error {
  readonly status: number;

  constructor({ status }: Response) {
    super(`The chat got status ${status}`);
    this.status = status;
  }
}

type Fields = Readonly<Record<string, unknown>>;

const fieldsOf = (value: unknown): Fields => Object(value) as Fields;

function textIn(value: unknown, name: string): string {
  const text = fieldsOf(value)[name];
  if (typeof text !== 'string') throw new TypeError(`${name} is missing`);
  return text;
}

/** Items of a type that this version of the script does not know are kept and not shown. */
export function batchOf(value: unknown): ChatBatch {
  textIn(value, 'cursor');
  if (!Array.isArray(fieldsOf(value).items)) throw new TypeError('items is missing');
  return value as ChatBatch;
}

/** Why a message was not taken. */
export const problemIn = (body: unknown): string => textIn(fieldsOf(body).error, 'message');

/** The token of a new visitor. */
export const visitorIn = (body: unknown): string => textIn(body, 'visitor');

/** The text that `progress()` gave. */
export const progressIn = (data: unknown): string => textIn(data, 'text');

/** How long this page shall stay away, in ms. */
export const retryIn = (data: unknown): number => Number(fieldsOf(data).retry) || 0;

/** Returns the visitor that a token names, without verifying it: only the server can. */
export function namedBy(token: string): { readonly tenant: unknown; readonly id: unknown } {
  const [payload = ''] = token.split('.');
  const bytes = Uint8Array.from(atob(payload.replace(/-/g, '+').replace(/_/g, '/')), (char) => char.charCodeAt(0));
  const { tenant, id } = fieldsOf(JSON.parse(new TextDecoder().decode(bytes)));
  return { tenant, id };
}

/** One block of an event stream; undefined if it has no data. */
export function eventIn(block: string): { readonly name: string | undefined; readonly data: unknown } | undefined {
  const data = /^data: (.*)$/m.exec(block)?.[1];
  if (data === undefined) return undefined;
  return { name: /^event: (.*)$/m.exec(block)?.[1], data: JSON.parse(data) };
}

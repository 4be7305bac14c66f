/**
 * An endpoint of the JSON API: its schemas, which check requests and make the OpenAPI document, and what it does. The way of a request
 * is here, once for all: who calls, what they send, whether it was sent before, the reply. Rights are not: InboxCalls checks them.
 */
import type { z as Zod } from '@hono/zod-openapi';
import type { InboxPerson } from '../person.js';
import type { ApiReply } from './reply.js';

/** What an endpoint is given. */
export interface ApiCall<Q = unknown, B = unknown> {
  readonly person: InboxPerson;
  /** The parts of the path. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: Q;
  readonly body: B;
  /** The caller's Idempotency-Key: the same again is the same call. */
  readonly key?: string;
}

export interface Endpoint<Q = unknown, B = unknown> {
  readonly method: 'get' | 'post';
  /** As OpenAPI writes it: `/asks/{id}`. */
  readonly path: string;
  readonly summary: string;
  readonly query?: Zod.ZodType<Q>;
  readonly body?: Zod.ZodType<B>;
  /** The body of a successful reply. */
  readonly reply: Zod.ZodType;
  /** Statuses that it may reply with beside 200 and those of every endpoint. */
  readonly also?: readonly number[];
  /** What a repeat under its Idempotency-Key does: gives the kept reply, or does the work again, which recognises the key. */
  readonly repeats?: 'reply' | 'work';
  readonly handle: (call: ApiCall<Q, B>) => Promise<ApiReply>;
}

/** Infers what the schemas give to `handle`. */
export function endpoint<Q, B>(made: Endpoint<Q, B>): Endpoint {
  return made as unknown as Endpoint; // its own schemas have checked what handle() is given
}

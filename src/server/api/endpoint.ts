/**
 * An endpoint of the JSON API as data: its path, its schemas, which check requests and make the OpenAPI document, and what it does.
 * routes.ts serves it. Rights are not checked here: InboxCalls checks them.
 */
import type { z as Zod } from '@hono/zod-openapi';
import type { InboxPerson } from '../person.js';
import type { ApiReply } from './reply.js';

/** A request to an endpoint, read and checked. */
export interface ApiCall<Q = unknown, B = unknown> {
  readonly person: InboxPerson;
  /** The parameter of the path; empty for a path without one. */
  readonly id: string;
  readonly query: Q;
  readonly body: B;
  /** The caller's Idempotency-Key: the same again is the same call. */
  readonly key?: string;
}

/** The part of an endpoint that the OpenAPI document describes. */
export interface Described<Q = unknown, B = unknown> {
  readonly method: 'get' | 'post';
  /** As OpenAPI writes it: `/asks/{id}`. */
  readonly path: string;
  readonly summary: string;
  readonly query?: Zod.ZodType<Q>;
  readonly body?: Zod.ZodType<B>;
  /** The body of a successful reply. */
  readonly reply: Zod.ZodType;
  /** The content type of a successful reply, if it is not JSON, and what it is. */
  readonly replyType?: { readonly type: string; readonly description: string };
  /** Statuses that it may reply with beside 200 and those of every endpoint. */
  readonly also?: readonly number[];
}

export interface Endpoint<Q = unknown, B = unknown> extends Described<Q, B> {
  /** What a repeat under its Idempotency-Key does: gives the kept reply, or does the work again, which recognises the key. */
  readonly repeats?: 'reply' | 'work';
  readonly handle: (call: ApiCall<Q, B>) => Promise<ApiReply>;
}

/** Infers what the schemas give to `handle`. */
export function endpoint<Q, B>(made: Endpoint<Q, B>): Endpoint {
  return made as unknown as Endpoint; // its own schemas have checked what handle() is given
}

/**
 * Endpoints about asks: the list, one with the conversation around it, and decisions.
 */
import type { z as Zod } from '@hono/zod-openapi';
import { definedFields } from '../../core/defined-fields.js';
import type { Json } from '../../core/json.js';
import type { AskFilter } from '../../registry/calls/list-asks.js';
import type { DecisionCall, InboxDecision } from '../calls.js';
import { z } from '../packages.js';
import type { InboxParts } from '../parts.js';
import type { InboxPerson } from '../person.js';
import { participantOf } from '../person.js';
import { pageReply } from './cursors.js';
import type { Endpoint } from './endpoint.js';
import { endpoint } from './endpoint.js';
import { type ApiErrorCode, errorReply } from './errors.js';
import { flag, name, oneOf, pageFields, reason, time, wholeNumber } from './fields.js';
import type { ApiReply } from './reply.js';
import { ok } from './reply.js';
import { askPageSchema, askSchema, decisionSchema } from './schemas.js';

const usualLimit = 50;
const century = 100 * 366 * 24 * 60 * 60_000;

const filterFields = {
  agentName: name().optional(),
  conversationId: name().optional(),
  participantId: name().optional(),
  channelName: name().optional(),
  tool: name().optional(),
  tenant: name().optional(),
  search: name()
    .optional()
    .openapi({ description: 'The id of an ask or of a conversation, or exactly one of the values of `details`.' }),
  since: time().optional(),
  until: time().optional(),
  mine: flag().optional(),
  ...pageFields,
};

const asksQuery = z.strictObject({
  status: oneOf('pending', 'decided', 'answered', 'declined', 'exhausted', 'expired', 'cancelled').optional(),
  olderThan: wholeNumber(0, century).optional().openapi({ description: 'Asked at least so many milliseconds ago.' }),
  ...filterFields,
});

type AsksQuery = Zod.infer<typeof asksQuery>;

const logQuery = z.strictObject({
  status: oneOf('answered', 'declined', 'exhausted', 'expired', 'cancelled').optional(),
  ...filterFields,
});

const digestField = z.string({ error: 'a string' }).optional().openapi({
  description: 'The digest of the ask as it was shown. If it is another by now, nothing is decided (409).',
});

const answerBody = z
  .strictObject(
    {
      text: z.string({ error: 'a string' }).optional().openapi({ description: 'What a person typed.' }),
      value: z
        .unknown()
        .optional()
        .openapi({ description: 'What a control gave: an option, a list, true or false, fields.' }),
      digest: digestField,
    },
    { error: (issue) => (issue.code === 'unrecognized_keys' ? undefined : 'an object with text or value') },
  )
  .refine((body) => 'text' in body !== 'value' in body, { error: 'an object with either text or value' });

const endingBody = z.strictObject({ reason: reason().optional(), digest: digestField });

const handOverBody = z.strictObject({
  to: z
    .string({ error: 'a string' })
    .min(1, { error: 'the id of a person' })
    .max(512, { error: 'the id of a person' })
    .openapi({ description: 'The id of the person who gets it.' }),
  reason: reason().optional(),
  digest: digestField,
});

/** The endpoints that decide: a repeat under its key does the work again, which recognises the key. */
const deciding = { method: 'post', repeats: 'work', reply: decisionSchema, also: [202, 403, 404, 409] } as const;

interface Sent {
  readonly digest?: string | undefined;
  readonly reason?: string | undefined;
}

const callOf = ({ digest, reason: words }: Sent, key: string | undefined): DecisionCall =>
  definedFields({ drawn: digest, reason: words, key });

export function askEndpoints({ calls, port, access: { cursors } }: InboxParts): readonly Endpoint[] {
  const page = (person: InboxPerson, list: string, query: AsksQuery): Promise<ApiReply> =>
    pageReply(cursors, { person, list, filter: query }, async (cursor) => {
      const { limit = usualLimit, cursor: _, mine, olderThan, ...filter } = query;
      const wanted = {
        ...filter,
        limit,
        sort: (filter.status ?? 'pending') === 'pending' ? ('deadline' as const) : undefined,
        until:
          olderThan === undefined ? filter.until : Math.min(filter.until ?? Infinity, (await port.now()) - olderThan),
        for: mine === true ? participantOf(person) : undefined,
        cursor,
      };
      return calls.list(person, definedFields(wanted) as AskFilter & { limit: number });
    });

  return [
    endpoint({
      method: 'get',
      path: '/asks',
      summary:
        'Asks that you see: open ones, the soonest deadline first, then the oldest; or with `status` others. A page with a cursor is not the last, however short.',
      query: asksQuery,
      reply: askPageSchema,
      handle: ({ person, query }) => page(person, 'asks', query),
    }),
    endpoint({
      method: 'get',
      path: '/log',
      summary: 'Decided asks, the last decision first: who answered what, and when.',
      query: logQuery,
      reply: askPageSchema,
      handle: ({ person, query }) => page(person, 'log', { ...query, status: query.status ?? 'decided' }),
    }),
    endpoint({
      method: 'get',
      path: '/asks/{id}',
      summary: 'One ask.',
      reply: askSchema,
      also: [404],
      handle: async ({ person, id }) => {
        const ask = await calls.get(person, id);
        return ask === null ? errorReply('unknown-ask') : ok(ask);
      },
    }),
    endpoint({
      ...deciding,
      path: '/asks/{id}/answer',
      summary: 'Answers an ask.',
      body: answerBody,
      also: [...deciding.also, 422],
      handle: async ({ person, id, body, key }) => {
        const said = body.text === undefined ? { value: body.value as Json } : { text: body.text };
        return decisionReply(await calls.answer(person, id, said, callOf(body, key)));
      },
    }),
    endpoint({
      ...deciding,
      path: '/asks/{id}/decline',
      summary: 'Settles an ask as declined: you do not want to answer, and may say why.',
      body: endingBody,
      handle: async ({ person, id, body, key }) => decisionReply(await calls.decline(person, id, callOf(body, key))),
    }),
    endpoint({
      ...deciding,
      path: '/asks/{id}/hand-over',
      summary: 'Hands an ask to somebody else, who may answer it from then on. You may not any more.',
      body: handOverBody,
      reply: z.strictObject({ type: z.literal('handed-over'), id: z.string() }),
      also: [...deciding.also, 422],
      handle: async ({ person, id, body, key }) => {
        const handed = await calls.handOver(person, id, body.to, callOf(body, key));
        if (handed.type === 'handed-over') return ok(handed);
        return handed.type === 'invalid'
          ? errorReply('invalid-hand-over', { problem: handed.problem, ask: handed.ask })
          : decisionReply(handed);
      },
    }),
    endpoint({
      ...deciding,
      path: '/asks/{id}/cancel',
      summary: 'Ends an ask without an answer. For operators.',
      body: endingBody,
      handle: async ({ person, id, body, key }) => decisionReply(await calls.cancel(person, id, callOf(body, key))),
    }),
    endpoint({
      method: 'post',
      path: '/asks/{id}/show',
      summary: 'Sends a new copy of an open question to where it was asked.',
      reply: z.strictObject({ type: z.literal('shown'), id: z.string() }),
      also: [403, 404],
      handle: async ({ person, id }) => {
        const shown = await calls.show(person, id);
        return shown.type === 'shown' ? ok({ type: 'shown', id: shown.ask.id }) : decisionReply(shown);
      },
    }),
  ];
}

/** The errors of decisions that were not accepted. */
const decisionErrors = {
  already: 'already',
  late: 'already',
  changed: 'changed',
  invalid: 'invalid-answer',
  refused: 'not-allowed',
  unknown: 'unknown-ask',
} as const satisfies Partial<Record<InboxDecision['type'], ApiErrorCode>>;

/** The result of a decision as a reply. */
export function decisionReply(decision: InboxDecision): ApiReply {
  const { type, ...more } = decision;
  if (type === 'accepted' || type === 'counted') return ok(decision);
  return type === 'received' ? { status: 202, body: decision } : errorReply(decisionErrors[type], more);
}

/**
 * Endpoints about conversations: their history, their outputs since a cursor, and the cancel of all their open asks.
 * `tool-results` is for clients that render a model's tool calls themselves.
 */
import { definedFields } from '../../core/defined-fields.js';
import type { InboxAsk } from '../ask-view.js';
import { z } from '../packages.js';
import type { InboxParts } from '../parts.js';
import type { InboxPerson } from '../person.js';
import { decisionReply } from './asks.js';
import { pageReply } from './cursors.js';
import type { Endpoint } from './endpoint.js';
import { endpoint } from './endpoint.js';
import { errorReply, foundReply } from './errors.js';
import { name, oneOf, pageFields, reason, wholeNumber } from './fields.js';
import type { ApiReply } from './reply.js';
import { conversationPageSchema, decisionSchema, historySchema, outputsSchema } from './schemas.js';

const pageQuery = z.strictObject(pageFields);
const participantQuery = z.strictObject({ participantId: name(), ...pageFields });
/** Proxies give up a request without a response after about this time, in ms. */
const longestWait = 25_000;
const outputsQuery = z.strictObject({
  after: z.string({ error: 'the cursor of an earlier call' }).optional(),
  wait: wholeNumber(0, longestWait)
    .optional()
    .openapi({ description: 'How long to wait for something to be said, in milliseconds.' }),
  limit: pageFields.limit,
});
const cancelBody = z.strictObject({ reason: reason().optional() });

const toolResultBody = z.strictObject({
  tool_call_id: name().openapi({ description: "The model's id of its call, or the id of the ask." }),
  decision: oneOf('approve', 'deny'),
  choice: z.string({ error: 'a string' }).optional().openapi({ description: 'The option, by its label or its id.' }),
  scope: oneOf('once', 'session').optional(),
  agentId: name().optional().openapi({ description: 'The agent that asked. Of another agent there is no such call.' }),
  toolName: z.unknown().optional().openapi({ description: 'Not read: the stored ask knows it.' }),
  toolArgs: z.unknown().optional().openapi({ description: 'Not read: the stored ask knows them.' }),
});

export function conversationEndpoints({ calls, access: { cursors } }: InboxParts): readonly Endpoint[] {
  function history(
    person: InboxPerson,
    conversationId: string,
    query: { readonly limit?: number | undefined; readonly cursor?: string | undefined },
    around?: InboxAsk,
  ): Promise<ApiReply> {
    const place = { person, list: `history ${conversationId}`, filter: query };
    return pageReply(cursors, place, async (cursor) => {
      const wanted = definedFields({ limit: query.limit, cursor });
      const page = await calls.history(person, conversationId, wanted, around);
      const items = page?.items.map((item) => ({ ...item, at: new Date(item.at).toISOString() }));
      return page && { conversationId, ...page, items };
    });
  }

  return [
    endpoint({
      method: 'get',
      path: '/asks/{id}/history',
      summary: 'The conversation around an ask, the latest page first. Needs the scope conversations.',
      query: pageQuery,
      reply: historySchema,
      also: [404],
      handle: async ({ person, id, query }) => {
        const ask = await calls.get(person, id);
        if (ask === null) return errorReply('not-found');
        return history(person, ask.originConversationId ?? ask.conversationId, query, ask);
      },
    }),
    endpoint({
      method: 'get',
      path: '/conversations',
      summary: 'Conversations that somebody takes part in. Needs the scope conversations.',
      query: participantQuery,
      reply: conversationPageSchema,
      handle: ({ person, query }) =>
        pageReply(cursors, { person, list: 'conversations', filter: query }, async (cursor) => {
          const { participantId, limit } = query;
          const { ids, ...rest } = await calls.conversations(person, participantId, definedFields({ limit, cursor }));
          return { conversations: ids.map((id) => ({ id })), ...rest };
        }),
    }),
    endpoint({
      method: 'get',
      path: '/conversations/{id}',
      summary: 'What was said and decided in a conversation, the latest page first. Needs the scope conversations.',
      query: pageQuery,
      reply: historySchema,
      also: [404],
      handle: ({ person, id, query }) => history(person, id, query),
    }),
    endpoint({
      method: 'get',
      path: '/conversations/{id}/outputs',
      summary: 'What was said since a cursor, in order. Needs the scope conversations.',
      query: outputsQuery,
      reply: outputsSchema,
      also: [404],
      handle: ({ person, id, query: { after: cursor, wait, limit } }) =>
        pageReply(
          cursors,
          { person, list: `outputs ${id}`, filter: { cursor } },
          (after) => calls.outputs(person, id, definedFields({ after, wait, limit })),
          'after',
        ),
    }),
    endpoint({
      method: 'post',
      path: '/conversations/{id}/cancel',
      summary: 'Cancels every open ask of a conversation. For operators.',
      body: cancelBody,
      reply: z.strictObject({ cancelled: z.number(), received: z.literal(true).optional() }),
      also: [404],
      handle: async ({ person, id, body }) => foundReply(await calls.cancelAll(person, id, body.reason)),
    }),
    endpoint({
      method: 'post',
      path: '/conversations/{id}/tool-results',
      repeats: 'work',
      summary:
        "The result of a model's tool call that asks a person: an option, or yes or no. Whose call it is and which options there are is taken from the stored ask.",
      body: toolResultBody,
      reply: decisionSchema,
      also: [202, 403, 404],
      handle: async ({ person, id, body, key }) => {
        const { tool_call_id: callId, agentId: agentName, decision, choice, scope } = body;
        const call = { callId, decision, ...definedFields({ agentName, choice, scope }) };
        return decisionReply(await calls.toolResult(person, id, call, definedFields({ key })));
      },
    }),
  ];
}

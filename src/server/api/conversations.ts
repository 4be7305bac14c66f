/**
 * Endpoints about conversations: what was said and decided there, what was said since a cursor, and the end of everything open.
 * `tool-results` is for clients that draw a model's tool calls themselves.
 */
import { definedFields } from '../../core/defined-fields.js';
import type { InboxAsk } from '../ask-view.js';
import { z } from '../packages.js';
import type { InboxParts } from '../parts.js';
import type { InboxPerson } from '../person.js';
import { decisionReply } from './asks.js';
import { openedCursor } from './cursors.js';
import type { Endpoint } from './endpoint.js';
import { endpoint } from './endpoint.js';
import { errorReply } from './errors.js';
import { name, oneOf, pageFields, reason, wholeNumber } from './fields.js';
import type { ApiReply } from './reply.js';
import { ok } from './reply.js';
import { conversationPageSchema, decisionSchema, historySchema, outputsSchema } from './schemas.js';

const pageQuery = z.strictObject(pageFields);
const participantQuery = z.strictObject({ participantId: name(), ...pageFields });
/** Proxies give up a request that says nothing for longer. */
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
  async function history(
    person: InboxPerson,
    id: string,
    query: { readonly limit?: number | undefined; readonly cursor?: string | undefined },
    around?: InboxAsk,
  ): Promise<ApiReply> {
    const place = { person, list: `history ${id}`, filter: query };
    const opened = openedCursor(cursors, place);
    if (!opened.ok) return opened.reply;
    const asked = definedFields({ limit: query.limit, cursor: opened.value });
    const page = await calls.history(person, id, asked, around);
    if (page === null) return errorReply('not-found');
    const items = page.items.map((item) => ({ ...item, at: new Date(item.at).toISOString() }));
    return ok({ conversationId: id, ...cursors.sealed(place, page), items });
  }

  return [
    endpoint({
      method: 'get',
      path: '/asks/{id}/history',
      summary: 'The conversation around an ask, the latest page first. Needs the scope conversations.',
      query: pageQuery,
      reply: historySchema,
      also: [404],
      handle: async ({ person, params, query }) => {
        const ask = await calls.get(person, params['id'] ?? '');
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
      handle: async ({ person, query }) => {
        const place = { person, list: 'conversations', filter: query };
        const opened = openedCursor(cursors, place);
        if (!opened.ok) return opened.reply;
        const { participantId, limit } = query;
        const page = await calls.conversations(person, participantId, definedFields({ limit, cursor: opened.value }));
        const { ids, cursor } = cursors.sealed(place, page);
        return ok({ conversations: ids.map((id) => ({ id })), ...definedFields({ cursor }) });
      },
    }),
    endpoint({
      method: 'get',
      path: '/conversations/{id}',
      summary: 'What was said and decided in a conversation, the latest page first. Needs the scope conversations.',
      query: pageQuery,
      reply: historySchema,
      also: [404],
      handle: ({ person, params, query }) => history(person, params['id'] ?? '', query),
    }),
    endpoint({
      method: 'get',
      path: '/conversations/{id}/outputs',
      summary: 'What was said since a cursor, in order. Needs the scope conversations.',
      query: outputsQuery,
      reply: outputsSchema,
      also: [404],
      handle: async ({ person, params, query }) => {
        const id = params['id'] ?? '';
        const { after, wait, limit } = query;
        const place = { person, list: `outputs ${id}`, filter: {} };
        const opened = openedCursor(cursors, { ...place, filter: { cursor: after } }, 'after');
        if (!opened.ok) return opened.reply;
        const said = await calls.outputs(person, id, definedFields({ after: opened.value, wait, limit }));
        return said === null ? errorReply('not-found') : ok(cursors.sealed(place, said));
      },
    }),
    endpoint({
      method: 'post',
      path: '/conversations/{id}/cancel',
      summary: 'Cancels every open ask of a conversation. For operators.',
      body: cancelBody,
      reply: z.strictObject({ cancelled: z.number(), received: z.literal(true).optional() }),
      also: [404],
      handle: async ({ person, params, body }) => {
        const done = await calls.cancelAll(person, params['id'] ?? '', body.reason);
        return done === null ? errorReply('not-found') : ok(done);
      },
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
      handle: async ({ person, params, body, key }) => {
        const { tool_call_id: callId, agentId: agentName, decision, choice, scope } = body;
        const call = { callId, decision, ...definedFields({ agentName, choice, scope }) };
        return decisionReply(await calls.toolResult(person, params['id'] ?? '', call, definedFields({ key })));
      },
    }),
  ];
}

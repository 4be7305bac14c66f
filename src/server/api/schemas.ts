/**
 * What the API gives, as schemas: for the OpenAPI document, and for the test that holds replies against it.
 */
import { z } from '../packages.js';

const time = () => z.string().openapi({ format: 'date-time' });

const participantSchema = z
  .strictObject({
    id: z.string(),
    name: z.string().optional(),
    roles: z.array(z.string()).optional(),
    tenant: z.string().optional(),
    locale: z.string().optional(),
  })
  .openapi('Participant');

const shownPersonSchema = z.strictObject({ id: z.string(), name: z.string().optional() }).openapi('Person');

const statusSchema = z.enum(['pending', 'answered', 'declined', 'exhausted', 'expired', 'cancelled']);

const drawnSchema = z.union([
  z.strictObject({ type: z.literal('text'), input: z.enum(['number', 'date', 'datetime', 'email']).optional() }),
  z.strictObject({
    type: z.literal('choices'),
    choices: z.array(z.looseObject({ id: z.string(), label: z.string() })),
    many: z.boolean(),
    max: z.number().optional(),
    numbered: z.boolean().optional(),
  }),
]);

const shapeSchema = z
  .union([
    ...drawnSchema.options,
    z.strictObject({
      type: z.literal('fields'),
      fields: z.array(z.looseObject({ name: z.string(), shape: drawnSchema })),
      current: z.string(),
    }),
  ])
  .openapi('Shape', {
    description: 'How the answer can be given: by text, by choices, or by fields that each are one of these.',
  });

const json = () => z.unknown().openapi({ description: 'Any JSON.' });

const answerableBySchema = z.union([
  z.enum(['asker', 'anyone']),
  z.array(z.string()),
  z.strictObject({ roles: z.array(z.string()) }),
  z.strictObject({ policy: z.string() }),
]);

export const askSchema = z
  .strictObject({
    id: z.string(),
    conversationId: z.string(),
    originConversationId: z.string().optional(),
    agentName: z.string(),
    channelName: z.string(),
    tool: z.string().optional(),
    tenant: z.string().optional(),
    question: z.string(),
    prompt: z.string().optional(),
    kind: z.string(),
    shape: shapeSchema,
    details: z.record(z.string(), z.string()).optional(),
    status: statusSchema,
    askedAt: time(),
    expiresAt: time().optional(),
    asker: shownPersonSchema.optional(),
    answerableBy: answerableBySchema,
    quorum: z.number().optional(),
    votes: z.array(z.strictObject({ by: shownPersonSchema, at: time(), value: z.boolean() })).optional(),
    steps: z
      .array(
        z.strictObject({
          type: z.enum(['escalated', 'handed-over']),
          at: time(),
          channel: z.string().optional(),
          answerableBy: answerableBySchema.optional(),
          why: z.literal('undeliverable').optional(),
          by: shownPersonSchema.optional(),
          to: shownPersonSchema.optional(),
          reason: z.string().optional(),
        }),
      )
      .optional(),
    partial: json().optional(),
    retries: z.number(),
    maxRetries: z.number(),
    answer: z.string().optional(),
    value: json().optional(),
    decidedBy: shownPersonSchema.optional(),
    decidedAt: time().optional(),
    decidedVia: z.string().optional(),
    reason: z.string().optional(),
    sensitive: z.literal(true).optional(),
    mayAnswer: z.boolean(),
    digest: z.string(),
    drawn: z.string().optional(),
    context: z.record(z.string(), json()).optional(),
  })
  .openapi('Ask');

const cursor = z.string().optional().openapi({ description: 'Where the next page begins. Absent on the last page.' });

const unreadable = z.number().optional().openapi({
  description:
    'How many records of this page are missing because they cannot be read; the log names each. Absent if none is.',
});

export const askPageSchema = z.strictObject({ asks: z.array(askSchema), cursor, unreadable }).openapi('AskPage');

export const decisionSchema = z
  .strictObject({
    type: z.enum(['accepted', 'counted', 'received']).openapi({
      description:
        'accepted: it decided the ask. counted: it counts, and more is needed. received: recorded, and not worked on yet (status 202).',
    }),
    ask: askSchema,
  })
  .openapi('Decision');

const historyItemSchema = z
  .looseObject({ type: z.enum(['in', 'out', 'decision', 'note']), at: time() })
  .openapi('HistoryItem', {
    description: 'A message, something said, a decision or a note; see HistoryItem of the package.',
  });

export const historySchema = z
  .strictObject({ conversationId: z.string(), items: z.array(historyItemSchema), cursor, unreadable })
  .openapi('History');

export const conversationPageSchema = z
  .strictObject({ conversations: z.array(z.strictObject({ id: z.string() })), cursor })
  .openapi('ConversationPage');

export const outputsSchema = z
  .strictObject({
    outputs: z.array(z.looseObject({ key: z.string(), channel: z.string(), text: z.string() })),
    cursor: z.string(),
    gap: z.literal(true).optional(),
  })
  .openapi('Outputs');

export const parkedPageSchema = z
  .strictObject({
    items: z.array(
      z.strictObject({
        id: z.string(),
        conversationId: z.string(),
        entryId: z.string(),
        at: z.unknown().openapi({ type: 'string', format: 'date-time' }),
        attempts: z.number(),
        failure: z.strictObject({ code: z.string(), message: z.string() }),
        askId: z.string().optional(),
        question: z.string().optional(),
        agentName: z.string().optional(),
        text: z.string().optional(),
        tenant: z.string().optional(),
      }),
    ),
    cursor,
    unreadable,
  })
  .openapi('ParkedPage');

export const parkedChangeSchema = z.strictObject({ type: z.enum(['done', 'received']) }).openapi('ParkedChange');

export const personSchema = z
  .strictObject({
    ...participantSchema.shape,
    scopes: z.array(z.enum(['read', 'answer', 'conversations', 'admin'])),
    everyTenant: z.literal(true).optional(),
  })
  .openapi('InboxPerson');

export const errorSchema = z
  .strictObject({
    error: z.looseObject({
      code: z.string(),
      message: z.string(),
      field: z.string().optional(),
      problem: z.string().optional(),
      reference: z.string().optional(),
      ask: askSchema.optional(),
    }),
  })
  .openapi('Error');

/**
 * An ask as it is stored: a list of the fields that most asks have, in a fixed order, and at its end an object with all
 * others under their own names. A store may hold a million asks, so a list spares the names, and usual values are left out.
 * A field of a newer release is one of the others: it is kept and written back.
 */
import type { Ask, AskStatus, PublicAsk } from '../ask/ask.js';
import { latestDate } from '../check-options.js';
import { describe } from '../ids.js';
import type { StoredFields } from './parse.js';
import { isFields, mismatch } from './parse.js';

/** Null stands for a column that is absent or empty. The order never changes: what is added later is one of the others. */
export type AskRow = readonly [
  id: string,
  agentName: string,
  question: string,
  askedAt: number,
  /** Only the channel's name where there is no address. */
  place: Ask['place'] | string,
  context: Ask['context'] | null,
  name: string | null,
  asker: string | null,
  expiresAt: number | null,
  /** 0: it was not. 1: it was shown; where the revision that showed it is known, that and one more. */
  shown: number,
  others?: StoredFields,
];

/** What an ask has unless its other fields say otherwise. */
const usual = {
  kind: 'text',
  data: {},
  shape: { type: 'text' },
  status: 'pending',
  answer: undefined,
  value: undefined,
  decision: undefined,
  retries: 0,
  maxRetries: 2,
  answerableBy: 'asker',
} as const satisfies Partial<Ask>;

const inRow: ReadonlySet<string> = new Set([
  ...['id', 'agentName', 'question', 'askedAt', 'place', 'context', 'name', 'asker', 'expiresAt', 'shown', 'shownIn'],
  ...Object.keys(usual),
]);

const statuses: readonly unknown[] = [
  'pending',
  'answered',
  'declined',
  'exhausted',
  'expired',
  'cancelled',
] satisfies AskStatus[];

/** The row of an ask, or of what a channel may know of one. */
export function askRow(ask: PublicAsk & Partial<Ask>): AskRow {
  const { id, agentName, question, askedAt, place, context = {} } = ask;
  const { name = null, asker = null, expiresAt = null, shown, shownIn = 0 } = ask;
  const { kind, data = usual.data, shape, status, answer, value, decision, retries, maxRetries, answerableBy } = ask;
  const others: StoredFields = {};
  if (kind !== usual.kind) others['kind'] = kind;
  if (sizeOf(data) !== 0) others['data'] = data;
  if (shape.type !== usual.shape.type || sizeOf(shape) !== 1) others['shape'] = shape;
  if (status !== usual.status) others['status'] = status;
  if (answer !== undefined) others['answer'] = answer;
  if (value !== undefined) others['value'] = value;
  if (decision !== undefined) others['decision'] = decision;
  if (retries !== usual.retries) others['retries'] = retries;
  if (maxRetries !== usual.maxRetries) others['maxRetries'] = maxRetries;
  if (answerableBy !== usual.answerableBy) others['answerableBy'] = answerableBy;
  for (const field of Object.keys(ask)) if (!inRow.has(field)) others[field] = ask[field as keyof Ask];
  const contextOrNull = sizeOf(context) === 0 ? null : context;
  const where = place.address === null && sizeOf(place) === 2 ? place.channel : place;
  const isShown = shown ? 1 + shownIn : 0;
  const row = [id, agentName, question, askedAt, where, contextOrNull, name, asker, expiresAt, isShown] as const;
  return sizeOf(others) === 0 ? row : [...row, others];
}

/** The ask of a row. `askDamage()` says whether it can be worked on. */
export function askOf(row: unknown): StoredFields | undefined {
  if (!Array.isArray(row)) return undefined;
  const [id, agentName, question, askedAt, place, context, name, asker, expiresAt, shown, others] = row as unknown[];
  if (others !== undefined && !isFields(others)) return undefined;
  const ask: StoredFields = {
    id,
    agentName,
    question,
    askedAt,
    place: typeof place === 'string' ? { channel: place, address: null } : place,
    context: context ?? {},
    shown: typeof shown === 'number' && shown >= 1,
    shownIn: typeof shown === 'number' && shown > 1 ? shown - 1 : undefined,
    ...usual,
    ...others,
  };
  if (name !== null) ask['name'] = name;
  if (asker !== null) ask['asker'] = asker;
  // an earlier build took deadlines that no Date can have: such a deadline is never reached, and counts as none
  if (expiresAt !== null && !(typeof expiresAt === 'number' && expiresAt > latestDate)) ask['expiresAt'] = expiresAt;
  return ask;
}

/** Why an ask cannot be worked on, or undefined. */
export function askDamage(ask: unknown): string | undefined {
  if (!isFields(ask)) return 'ask must be a list that ends with a record';
  const { place, decision, expiresAt, status } = ask;
  return (
    mismatch('id', ask['id'], 'string') ??
    mismatch('agentName', ask['agentName'], 'string') ??
    mismatch('question', ask['question'], 'string') ??
    mismatch('kind', ask['kind'], 'string') ??
    mismatch('retries', ask['retries'], 'number') ??
    mismatch('maxRetries', ask['maxRetries'], 'number') ??
    mismatch('askedAt', ask['askedAt'], 'time') ??
    (isFields(place) ? mismatch('place.channel', place['channel'], 'string') : mismatch('place', place, 'record')) ??
    (expiresAt === undefined ? undefined : mismatch('expiresAt', expiresAt, 'time')) ??
    (decision === undefined ? undefined : decisionDamage(decision)) ??
    datedDamage('votes', ask['votes']) ??
    datedDamage('steps', ask['steps']) ??
    (statuses.includes(status) ? undefined : `status must be one of ${statuses.join(', ')}, got ${describe(status)}`)
  );
}

function decisionDamage(decision: unknown): string | undefined {
  if (!isFields(decision)) return mismatch('decision', decision, 'record');
  const { at, entry, by } = decision;
  return (
    mismatch('decision.at', at, 'time') ??
    mismatch('decision.entry', entry, 'string') ??
    (by === undefined ? undefined : mismatch('decision.by', by, 'record'))
  );
}

/** The damage of a list of records of which each has a time. */
function datedDamage(field: string, list: unknown): string | undefined {
  const dated = Array.isArray(list) ? list.filter(isFields) : [];
  return dated.flatMap(({ at }, i) => mismatch(`${field}[${i}].at`, at, 'time') ?? [])[0];
}

/** How many fields a record has; -1 for anything else. */
function sizeOf(value: unknown): number {
  return isFields(value) ? Object.keys(value).length : -1;
}

/**
 * An ask as it is stored: a list of the fields that most asks have, in a fixed order, and at its end an object with all
 * others under their own names. A store may hold a million asks, so a list spares the names, and usual values are left out.
 * A field of a newer release is one of the others: it is kept and written back.
 */
import type { Ask, AskedPart, AskOwn, AskStatus, Place, PublicAsk } from '../ask/ask.js';
import { shapeOf } from '../ask/ask.js';
import { type AskColumns, groupedAsk, usual } from '../ask/grouped.js';
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
  place: Place | string,
  context: AskOwn['context'] | null,
  name: string | null,
  asker: string | null,
  expiresAt: number | null,
  /** 0: it was not. 1: it was shown; where the revision that showed it is known, that and one more. */
  shown: number,
  others?: StoredFields,
];

type Group = 'question' | 'own' | 'audience' | 'places' | 'timing' | 'progress';
type Names = { [G in Group]: readonly [G, ...(keyof Ask[G])[]] }[Group] | readonly ['part', keyof AskedPart];

/** Which group has which of the others, in the order in which they are written. A field that is named nowhere in this file is lost. */
const groups: readonly Names[] = [
  ['question', 'retryText', 'details'],
  ['audience', 'quorum', 'links', 'mail'],
  ['timing', 'remindAfter'],
  ['part', 'prompt'],
  ['question', 'kindVersion'],
  ['own', 'run', 'then', 'awaited', 'unowned', 'cause', 'effectKey', 'onCrash'],
  ['question', 'locale'],
  ['audience', 'tenant', 'origin', 'excluded'],
  ['question', 'sensitive'],
  ['places', 'further', 'escalate', 'inbox'],
  ['own', 'listed'],
  ['progress', 'waitsIn', 'waitsFrom'],
  ['timing', 'shownAt'],
  ['part', 'partial'],
  ['progress', 'shows', 'returns', 'refused'],
  ['places', 'copies', 'lost'],
  ['progress', 'votes', 'steps', 'reminded'],
  ['timing', 'remindNotBefore'],
];

/** `name`: as it is stored. */
const inAsk = groups.flatMap(([group, ...fields]) =>
  fields.map((field) => ({ group, field, name: field === 'further' ? 'places' : field })),
);
const known = new Set(['answer', 'value', 'decision', ...Object.keys(usual), ...inAsk.map(({ name }) => name)]);

/** The order in the row of an output. */
const inOutput = [
  'kindVersion prompt partial returns details shows quorum votes waitsIn awaited unowned sensitive links mail',
  'remindAfter reminded remindNotBefore shownAt locale effectKey',
].flatMap((names) => names.split(' ').flatMap((name) => inAsk.filter((each) => each.name === name)));

const statuses: readonly unknown[] = [
  'pending',
  'answered',
  'declined',
  'exhausted',
  'expired',
  'cancelled',
] satisfies AskStatus[];

export const askRow = (ask: Ask): AskRow => rowOf(ask, inAsk);
/** The row of what a channel may know of an ask. */
export const publicRow = (ask: PublicAsk): AskRow => rowOf(ask, inOutput);

function rowOf(
  ask: PublicAsk & { readonly [G in Group]: Partial<Ask[G]> } & Partial<Pick<Ask, 'more'>>,
  order: typeof inAsk,
): AskRow {
  const { id, agentName, status, question, own, audience, places, timing, progress, decision, more } = ask;
  const { text, name = null, kind, data = usual.data, maxRetries } = question;
  const { context = {} } = own;
  const { asker = null, answerableBy } = audience;
  const { askedAt, expiresAt = null } = timing;
  const { answer, value, part = {}, retries, shown, shownIn = 0 } = progress;
  const shape = shapeOf(ask);
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
  const grouped: Record<Group | 'part', object> = { question, own, audience, places, timing, progress, part };
  for (const { group, field, name: stored } of order) {
    const given = (grouped[group] as StoredFields)[field];
    if (given !== undefined) others[stored] = given;
  }
  Object.assign(others, more);
  const contextOrNull = sizeOf(context) === 0 ? null : context;
  const { own: place } = places;
  const where = place.address === null && sizeOf(place) === 2 ? place.channel : place;
  const isShown = shown ? 1 + shownIn : 0;
  const row = [id, agentName, text, askedAt, where, contextOrNull, name, asker, expiresAt, isShown] as const;
  return sizeOf(others) === 0 ? row : [...row, others];
}

/** The ask of a row. Its fields have not been looked at: `askDamage()` says whether it can be worked on. */
export function askOf(row: unknown): Ask | undefined {
  if (!Array.isArray(row)) return undefined;
  const [id, agentName, text, askedAt, place, context, name, asker, expiresAt, shown, others = {}] =
    row as unknown as AskRow;
  if (!isFields(others)) return undefined;
  const columns: AskColumns = {
    id,
    agentName,
    text,
    name: name ?? undefined,
    context: context ?? {},
    asker: asker ?? undefined,
    askedAt,
    // an earlier build took deadlines that no Date can have: such a deadline is never reached, and counts as none
    expiresAt: expiresAt === null || (typeof expiresAt === 'number' && expiresAt > latestDate) ? undefined : expiresAt,
    shown: typeof shown === 'number' && shown >= 1,
    shownIn: typeof shown === 'number' && shown > 1 ? shown - 1 : undefined,
    place: typeof place === 'string' ? { channel: place, address: null } : place,
  };
  const newer = Object.entries(others).filter(([field]) => !known.has(field));
  const more = newer.length === 0 ? undefined : Object.fromEntries(newer);
  const from = { question: others, own: others, audience: others, places: others, timing: others, progress: others };
  return groupedAsk(columns, from, more);
}

/** Why an ask cannot be worked on, or undefined. */
export function askDamage(ask: unknown): string | undefined {
  if (!isFields(ask)) return 'ask must be a list that ends with a record';
  const { id, agentName, status, question, places, timing, progress, decision } = ask as unknown as Ask; // made by askOf()
  const place: unknown = places.own;
  const { expiresAt } = timing;
  return (
    mismatch('id', id, 'string') ??
    mismatch('agentName', agentName, 'string') ??
    mismatch('question', question.text, 'string') ??
    mismatch('kind', question.kind, 'string') ??
    mismatch('retries', progress.retries, 'number') ??
    mismatch('maxRetries', question.maxRetries, 'number') ??
    mismatch('askedAt', timing.askedAt, 'time') ??
    (isFields(place) ? mismatch('place.channel', place['channel'], 'string') : mismatch('place', place, 'record')) ??
    (expiresAt === undefined ? undefined : mismatch('expiresAt', expiresAt, 'time')) ??
    (decision === undefined ? undefined : decisionDamage(decision)) ??
    datedDamage('votes', progress.votes) ??
    datedDamage('steps', progress.steps) ??
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

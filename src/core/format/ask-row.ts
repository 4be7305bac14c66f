/**
 * An ask as it is stored: a list of the fields that most asks have, in a fixed order, and at its end an object with all
 * others under their own names. A store may hold a million asks, so a list spares the names, and usual values are left out.
 * A field of a newer release is one of the others: it is kept and written back.
 */
import type { Ask, AskedPart, AskedQuestion, AskProgress, AskStatus, Place, PublicAsk } from '../ask/ask.js';
import { shapeOf } from '../ask/ask.js';
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
  context: Ask['own']['context'] | null,
  name: string | null,
  asker: string | null,
  expiresAt: number | null,
  /** 0: it was not. 1: it was shown; where the revision that showed it is known, that and one more. */
  shown: number,
  others?: StoredFields,
];

type Group = 'question' | 'own' | 'audience' | 'places' | 'timing' | 'progress';

/** The others, by the group that has them. What is not there is usual, or absent. */
export interface OtherFields
  extends Omit<{ readonly [G in Group]: Partial<Ask[G]> }, 'question' | 'places' | 'progress'> {
  readonly question: Partial<AskedQuestion & AskedPart>;
  /** `places` are the further ones. */
  readonly places: { readonly places?: Ask['places']['further'] } & Partial<Omit<Ask['places'], 'further'>>;
  readonly progress: Partial<AskProgress & Pick<Ask, 'status' | 'decision'>>;
}

/** What an ask has unless its other fields say otherwise. */
const usual = {
  kind: 'text',
  data: {},
  shape: { type: 'text' },
  status: 'pending',
  retries: 0,
  maxRetries: 2,
  answerableBy: 'asker',
} as const;

/** An ask, or what a channel may know of one. */
type StoredAsk = PublicAsk & { readonly [G in Group]: Partial<Ask[G]> } & Partial<Pick<Ask, 'more'>>;

/** The others in the order in which they are written, and where an ask has them. */
const othersOf = {
  retryText: ({ question }) => question.retryText,
  details: ({ question }) => question.details,
  quorum: ({ audience }) => audience.quorum,
  links: ({ audience }) => audience.links,
  mail: ({ audience }) => audience.mail,
  remindAfter: ({ timing }) => timing.remindAfter,
  prompt: ({ progress }) => progress.part?.prompt,
  kindVersion: ({ question }) => question.kindVersion,
  run: ({ own }) => own.run,
  then: ({ own }) => own.then,
  awaited: ({ own }) => own.awaited,
  unowned: ({ own }) => own.unowned,
  cause: ({ own }) => own.cause,
  effectKey: ({ own }) => own.effectKey,
  onCrash: ({ own }) => own.onCrash,
  locale: ({ question }) => question.locale,
  tenant: ({ audience }) => audience.tenant,
  origin: ({ audience }) => audience.origin,
  excluded: ({ audience }) => audience.excluded,
  sensitive: ({ question }) => question.sensitive,
  places: ({ places }) => places.further,
  escalate: ({ places }) => places.escalate,
  inbox: ({ places }) => places.inbox,
  listed: ({ own }) => own.listed,
  waitsIn: ({ progress }) => progress.waitsIn,
  waitsFrom: ({ progress }) => progress.waitsFrom,
  shownAt: ({ timing }) => timing.shownAt,
  partial: ({ progress }) => progress.part?.partial,
  shows: ({ progress }) => progress.shows,
  returns: ({ progress }) => progress.returns,
  refused: ({ progress }) => progress.refused,
  copies: ({ places }) => places.copies,
  lost: ({ places }) => places.lost,
  votes: ({ progress }) => progress.votes,
  steps: ({ progress }) => progress.steps,
  reminded: ({ progress }) => progress.reminded,
  remindNotBefore: ({ timing }) => timing.remindNotBefore,
} as const satisfies { readonly [name: string]: (ask: StoredAsk) => unknown };
const inAsk = Object.entries(othersOf).map(([name, of]) => ({ name, of }));
const known = new Set(['answer', 'value', 'decision', ...Object.keys({ ...usual, ...othersOf })]);

/** The order in the row of an output. */
const inOutput: typeof inAsk = [
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

function rowOf(ask: StoredAsk, order: typeof inAsk): AskRow {
  const { id, agentName, status, question, own, audience, places, timing, progress, decision, more } = ask;
  const { text, name = null, kind, data = usual.data, maxRetries } = question;
  const { context = {} } = own;
  const { asker = null, answerableBy } = audience;
  const { askedAt, expiresAt = null } = timing;
  const { answer, value, retries, shown, shownIn = 0 } = progress;
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
  for (const each of order) {
    const given = each.of(ask);
    if (given !== undefined) others[each.name] = given;
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
  const { 10: others = {} }: readonly unknown[] = row;
  if (!isFields(others)) return undefined;
  const from = { question: others, own: others, audience: others, places: others, timing: others, progress: others };
  const newer = Object.entries(others).filter(([field]) => !known.has(field));
  return askFrom(row as unknown as AskRow, from, newer.length === 0 ? undefined : Object.fromEntries(newer));
}

/**
 * The one place where the groups of an ask are made, for a new one, whose row was never written, and for one that is read. Each has all of
 * its fields, in one order, so that the groups of all asks have one hidden class each (docs/performance.md).
 */
export function askFrom(row: AskRow, others: OtherFields, more?: Ask['more']): Ask {
  const [id, agentName, text, askedAt, place, given, named, askedFor, deadline, isShown] = row;
  const { kind = usual.kind, data = usual.data, shape = usual.shape, maxRetries = usual.maxRetries } = others.question;
  const { prompt, partial, kindVersion, details, sensitive, retryText, locale } = others.question;
  const { run, then, effectKey, onCrash, awaited, unowned, cause, listed } = others.own;
  const { answerableBy = usual.answerableBy, origin, tenant, quorum, excluded, links, mail } = others.audience;
  const { places: further, copies, lost, escalate, inbox } = others.places;
  const { shownAt, remindAfter, remindNotBefore } = others.timing;
  const { status = usual.status, decision, answer, value, retries = usual.retries, refused } = others.progress;
  const { shows, returns, votes, steps, reminded, waitsIn, waitsFrom } = others.progress;
  const context = given ?? {};
  const name = named ?? undefined;
  const asker = askedFor ?? undefined;
  const own = typeof place === 'string' ? { channel: place, address: null } : place;
  const part = prompt === undefined && partial === undefined ? undefined : { partial, prompt, shape };
  // an earlier build took deadlines that no Date can have: such a deadline is never reached, and counts as none
  const isEndless = deadline === null || (typeof deadline === 'number' && deadline > latestDate);
  const expiresAt = isEndless ? undefined : deadline;
  return {
    id,
    agentName,
    status,
    question: { name, text, kind, kindVersion, data, shape, details, sensitive, maxRetries, retryText, locale },
    own: { context, run, then, effectKey, onCrash, awaited, unowned, cause, listed },
    audience: { answerableBy, asker, origin, tenant, quorum, excluded, links, mail },
    places: { own, further, copies, lost, escalate, inbox },
    timing: { askedAt, expiresAt, shownAt, remindAfter, remindNotBefore },
    progress: {
      answer,
      value,
      part,
      retries,
      refused,
      shows,
      returns,
      votes,
      steps,
      reminded,
      waitsIn,
      waitsFrom,
      shown: typeof isShown === 'number' && isShown >= 1,
      shownIn: typeof isShown === 'number' && isShown > 1 ? isShown - 1 : undefined,
    },
    decision,
    more,
  };
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

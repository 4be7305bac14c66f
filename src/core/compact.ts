/**
 * Asks and documents as they are stored: one letter for what every ask has, and nothing that is as it usually is, for
 * a store may hold a million of them. Rules never see this form. Nothing is checked here (document.ts does), and what
 * this release does not know is kept under its own name.
 */
import type { Ask, Decision, Place, Shown } from './ask.js';
import type { Conversation, Parked } from './conversation.js';

export type Fields = Record<string, unknown>;

const letters = {
  i: 'id',
  a: 'agentName',
  n: 'name',
  q: 'question',
  k: 'kind', // unless it is text
  d: 'data', // unless it is empty, as the context
  s: 'shape', // unless it is a text
  c: 'context',
  t: 'askedAt',
  x: 'expiresAt',
  p: 'place', // the channel alone if there is no address
  b: 'asker',
  h: 'shown', // 1: not yet
  o: 'decision', // without an effect key that is the usual one
} as const;
const usual = { status: 'pending', retries: 0, maxRetries: 2, answerableBy: 'asker' } as const;
const handled: ReadonlySet<string> = new Set([...Object.values(letters), ...Object.keys(usual)]);
const written: ReadonlySet<string> = new Set([...Object.keys(letters), ...Object.keys(usual)]);

/** Fields that never leave the conversation (see `Shown`) and have no letter. */
const inside: ReadonlySet<string> = new Set(['cause', 'onCrash', 'tenant', 'excluded', 'run']);

export function compactAsk(ask: Ask): Fields {
  const { name, data, context, asker } = ask;
  const stored = compacted(ask, true);
  if (name !== undefined) stored['n'] = name;
  if (sizeOf(data) !== 0) stored['d'] = data;
  if (sizeOf(context) !== 0) stored['c'] = context;
  if (asker !== undefined) stored['b'] = asker;
  return stored;
}

/** What may leave the conversation, and nothing else of it. */
export function compactShown(ask: Shown): Fields {
  return compacted(ask, false);
}

function compacted(ask: Shown, isInside: boolean): Fields {
  const { kind, shape, place, status, retries, maxRetries, answerableBy, expiresAt, decision } = ask;
  const stored: Fields = { i: ask.id, a: ask.agentName, q: ask.question, t: ask.askedAt };
  stored['p'] = place.address === null && sizeOf(place) === 2 ? place.channel : place;
  if (kind !== 'text') stored['k'] = kind;
  if (shape.type !== 'text' || sizeOf(shape) !== 1) stored['s'] = shape;
  if (expiresAt !== undefined) stored['x'] = expiresAt;
  if (ask.shown !== true) stored['h'] = 1;
  if (status !== usual.status) stored['status'] = status;
  if (retries !== usual.retries) stored['retries'] = retries;
  if (maxRetries !== usual.maxRetries) stored['maxRetries'] = maxRetries;
  if (answerableBy !== usual.answerableBy) stored['answerableBy'] = answerableBy;
  if (decision !== undefined) stored['o'] = compactDecision(decision, ask);
  for (const field in ask)
    if (!handled.has(field) && (isInside || !inside.has(field))) stored[field] = ask[field as keyof Shown];
  return stored;
}

/** The ask again. Where it was damaged it is no ask, and whoever reads it has to look. */
export function wholeAsk(stored: Fields): Fields {
  const { n: name, k: kind = 'text', d: data = {}, s: shape = { type: 'text' }, c: context = {} } = stored;
  const { status = usual.status, retries = usual.retries, maxRetries = usual.maxRetries } = stored;
  const { p: place, x: expiresAt, b: asker, o: decision } = stored;
  const ask: Fields = {
    id: stored['i'],
    agentName: stored['a'],
    question: stored['q'],
    kind,
    data,
    shape,
    context,
    status,
    retries,
    maxRetries,
    askedAt: stored['t'],
    place: typeof place === 'string' ? ({ channel: place, address: null } satisfies Place) : place,
    answerableBy: stored['answerableBy'] ?? usual.answerableBy,
  };
  if (name !== undefined) ask['name'] = name;
  if (expiresAt !== undefined) ask['expiresAt'] = expiresAt;
  if (asker !== undefined) ask['asker'] = asker;
  for (const field in stored) if (!written.has(field)) ask[field] = stored[field];
  if (stored['h'] === undefined) ask['shown'] = true;
  if (decision !== undefined) ask['decision'] = wholeDecision(decision, ask);
  return ask;
}

const effectKeyOf = (ask: { readonly effectKey?: unknown; readonly id?: unknown }): unknown => ask.effectKey ?? ask.id;

function compactDecision(decision: Decision, ask: Shown): Fields {
  const { effectKey, ...rest } = decision;
  return effectKey === effectKeyOf(ask) ? rest : { ...decision };
}

function wholeDecision(decision: unknown, ask: Fields): unknown {
  return isFields(decision) && !('effectKey' in decision) ? { ...decision, effectKey: effectKeyOf(ask) } : decision;
}

/** A document without empty lists, and without the people if that is only whoever the first ask is for. */
export function compactConversation(conversation: Conversation): Fields {
  const { v, asks, late, parked, people, ...rest } = conversation;
  const stored: Fields = { v };
  if (asks.length > 0) stored['asks'] = asks.map(compactAsk);
  if (late !== undefined) stored['late'] = compactAsk(late);
  if (parked.length > 0) stored['parked'] = parked.map(compactParked);
  const asker = asks[0]?.asker;
  const isUsual = asker === undefined ? people.length === 0 : people.length === 1 && people[0] === asker;
  if (!isUsual) stored['people'] = people;
  return Object.assign(stored, rest);
}

export function wholeConversation(stored: Fields): Fields {
  const asks = Array.isArray(stored['asks']) ? stored['asks'].map(askIn) : (stored['asks'] ?? []);
  const asker = Array.isArray(asks) ? (asks[0] as Partial<Ask> | null | undefined)?.asker : undefined;
  const parked = Array.isArray(stored['parked']) ? stored['parked'].map(wholeParked) : (stored['parked'] ?? []);
  const whole: Fields = {
    v: stored['v'],
    asks,
    parked,
    people: stored['people'] ?? (asker === undefined ? [] : [asker]),
  };
  for (const field in stored) if (!(field in whole)) whole[field] = stored[field];
  if (stored['late'] !== undefined) whole['late'] = askIn(stored['late']);
  return whole;
}

function compactParked(parked: Parked): Fields {
  return parked.ask === undefined ? { ...parked } : { ...parked, ask: compactAsk(parked.ask) };
}

function wholeParked(stored: unknown): unknown {
  return isFields(stored) && stored['ask'] !== undefined ? { ...stored, ask: askIn(stored['ask']) } : stored;
}

const askIn = (stored: unknown): unknown => (isFields(stored) ? wholeAsk(stored) : stored);

export const isFields = (value: unknown): value is Fields =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

/** How many fields it has; -1 for what has none, such as a list or a number. */
function sizeOf(value: unknown): number {
  if (!isFields(value)) return -1;
  let size = 0;
  for (const _ in value) size += 1;
  return size;
}

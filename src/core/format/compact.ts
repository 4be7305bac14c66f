/**
 * Asks and documents as they are stored: one letter for what every ask has, and nothing that is as it usually is, for
 * a store may hold a million of them. Rules never see this form. Nothing is checked here (document.ts does), and what
 * this release does not know is kept under its own name.
 */
import type { Ask, Decision, Place, Shown } from '../ask/ask.js';
import { Lasting, lasting } from '../ask/ask.js';
import type { Conversation, Parked } from '../conversation/conversation.js';
import { flat } from '../flat.js';
import { inQuotes, jsonOf, quoted } from '../json.js';

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
const inAsk: ReadonlySet<string> = new Set([...Object.keys(letters), ...Object.keys(usual)]);

/** Fields that never leave the conversation (see `Shown`) and have no letter. */
const inside: ReadonlySet<string> = new Set(['cause', 'onCrash', 'tenant', 'excluded', 'run']);

/**
 * The ask as JSON. What never changes in it stands on a line of its own: whoever has written or read it writes that line again
 * as it is, and a large context is turned into text once, not with every change of its ask. A decided ask is written with its
 * decision and again when it is settled: no rule changes an ask, so its text is the same.
 */
export function writeAsk(ask: Ask): string {
  const kept = ask[lasting];
  if (kept === undefined) {
    const start = named(ask);
    const line = flat(start + hidden(ask)); // it may be kept for long
    ask[lasting] = new Lasting(ask, line, start.length);
    return written(ask, line);
  }
  if (kept.decided === ask) return kept.text;
  const text = written(ask, isSame(kept.of, ask) ? kept.line : named(ask) + hidden(ask));
  if (ask.decision === undefined) return text;
  kept.decided = ask;
  kept.text = text;
  return text;
}

const written = (ask: Ask, line: string): string => `{${changing(ask, true)}\n${line}\n}`;

/** Nothing is different that is on the line of an ask: no rule changes that, and should one, the line is made anew. */
function isSame(one: Ask, other: Ask): boolean {
  return (
    one.id === other.id &&
    one.agentName === other.agentName &&
    one.question === other.question &&
    one.askedAt === other.askedAt &&
    one.place === other.place &&
    one.kind === other.kind &&
    one.expiresAt === other.expiresAt &&
    one.maxRetries === other.maxRetries &&
    one.answerableBy === other.answerableBy &&
    one.name === other.name &&
    one.data === other.data &&
    one.context === other.context &&
    one.asker === other.asker
  );
}

/** What may leave the conversation, and nothing else of it. */
export function writeShown(ask: Shown): string {
  const kept = ask[lasting];
  const isKept = kept?.shown !== undefined && kept.of === ask;
  return `{${changing(ask, false)}${isKept ? kept.line.slice(0, kept.shown) : named(ask)}}`;
}

/** What never changes in an ask, and may be shown. */
function named(ask: Shown): string {
  const { kind, maxRetries, answerableBy, expiresAt } = ask;
  let text = `"i":"${inQuotes(ask.id)}","a":"${inQuotes(ask.agentName)}","q":"${inQuotes(ask.question)}"`;
  text += `,"t":${ask.askedAt}`;
  text += `,"p":${writePlace(ask.place)}`;
  if (kind !== 'text') text += `,"k":"${inQuotes(kind)}"`;
  if (expiresAt !== undefined) text += `,"x":${expiresAt}`;
  if (maxRetries !== usual.maxRetries) text += `,"maxRetries":${maxRetries}`;
  if (answerableBy !== usual.answerableBy) text += `,"answerableBy":${JSON.stringify(answerableBy)}`;
  return text;
}

/** What never changes in it either, and is not shown; each field with a comma before it. */
function hidden(ask: Ask): string {
  const { name, data, context, asker } = ask;
  let text = '';
  if (name !== undefined) text += `,"n":"${inQuotes(name)}"`;
  if (sizeOf(data) !== 0) text += `,"d":${JSON.stringify(data)}`;
  if (sizeOf(context) !== 0) text += `,"c":${jsonOf(context)}`;
  if (asker !== undefined) text += `,"b":"${inQuotes(asker)}"`;
  return text;
}

/** All the rest, each field with a comma after it. */
function changing(ask: Shown, isInside: boolean): string {
  const { shape, status, retries, decision } = ask;
  let text = ask.shown === true ? '' : '"h":1,';
  if (shape.type !== 'text' || sizeOf(shape) !== 1) text += `"s":${JSON.stringify(shape)},`;
  if (status !== usual.status) text += `"status":"${inQuotes(status)}",`;
  if (retries !== usual.retries) text += `"retries":${retries},`;
  if (decision !== undefined) text += `"o":${writeDecision(decision, ask)},`;
  for (const field in ask) {
    if (isHandled(field) || (!isInside && inside.has(field))) continue;
    const value = ask[field as keyof Shown] as unknown;
    if (value !== undefined) text += `"${inQuotes(field)}":${jsonOf(value)},`;
  }
  return text;
}

type Handled = (typeof letters)[keyof typeof letters] | keyof typeof usual;

/** What has a letter or is usual; a switch, because that takes a quarter of the time that a set does. */
function isHandled(field: string): boolean {
  const known = field as Handled; // or any other, which the last case is for
  switch (known) {
    case 'id':
    case 'agentName':
    case 'name':
    case 'question':
    case 'kind':
    case 'data':
    case 'shape':
    case 'context':
    case 'askedAt':
    case 'expiresAt':
    case 'place':
    case 'asker':
    case 'shown':
    case 'decision':
    case 'status':
    case 'retries':
    case 'maxRetries':
    case 'answerableBy':
      return true;
    default:
      known satisfies never; // does not compile if one is missing above
      return false;
  }
}

/**
 * The ask again. Where it was damaged it is no ask, and whoever reads it has to look. `line` is where its text may have
 * what never changes; a text that somebody else has written may have anything there.
 */
export function wholeAsk(stored: Fields, line?: string): Fields {
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
    place: wholePlace(place),
    answerableBy: stored['answerableBy'] ?? usual.answerableBy,
  };
  if (name !== undefined) ask['name'] = name;
  if (expiresAt !== undefined) ask['expiresAt'] = expiresAt;
  if (asker !== undefined) ask['asker'] = asker;
  for (const field in stored) if (!inAsk.has(field)) ask[field] = stored[field];
  if (stored['h'] === undefined) ask['shown'] = true;
  if (decision !== undefined) ask['decision'] = wholeDecision(decision, ask);
  if (line !== undefined && isLineOf(stored['i'], line))
    ask[lasting as never] = new Lasting(ask as unknown as Ask, line) as never;
  return ask;
}

function isLineOf(id: unknown, line: string): boolean {
  if (typeof id !== 'string' || !line.startsWith('"i":"') || !line.startsWith(id, 5)) return false;
  return line.startsWith('",', 5 + id.length) && !line.endsWith(',');
}

export function writePlace(place: Place): string {
  return place.address === null && sizeOf(place) === 2 ? quoted(place.channel) : JSON.stringify(place);
}

export function wholePlace(stored: unknown): unknown {
  return typeof stored === 'string' ? ({ channel: stored, address: null } satisfies Place) : stored;
}

const effectKeyOf = (ask: { readonly effectKey?: unknown; readonly id?: unknown }): unknown => ask.effectKey ?? ask.id;

const inDecision: ReadonlySet<string> = new Set<keyof Decision>(['at', 'entry', 'channel', 'by', 'effectKey']);

function writeDecision(decision: Decision, ask: Shown): string {
  const { at, entry, channel, by, effectKey } = decision;
  let text = `{"at":${at},"entry":"${inQuotes(entry)}"`;
  if (channel !== undefined) text += `,"channel":"${inQuotes(channel)}"`;
  if (by !== undefined) text += `,"by":${jsonOf(by)}`;
  if (effectKey !== effectKeyOf(ask)) text += `,"effectKey":${JSON.stringify(effectKey)}`;
  return `${text}${writeOthers(decision, inDecision)}}`;
}

/** The fields that are not in `known`, those of a newer release among them, each with a comma before it. */
export function writeOthers(record: object, known: ReadonlySet<string>): string {
  let text = '';
  for (const field in record) {
    if (known.has(field)) continue;
    const value = record[field as never] as unknown;
    if (value !== undefined) text += `,"${inQuotes(field)}":${jsonOf(value)}`;
  }
  return text;
}

function wholeDecision(decision: unknown, ask: Fields): unknown {
  return isFields(decision) && !('effectKey' in decision) ? { ...decision, effectKey: effectKeyOf(ask) } : decision;
}

/** A document without empty lists, and without the people if that is only whoever the first ask is for. */
export function writeConversation(conversation: Conversation): string {
  const { asks, late, parked, people } = conversation;
  let text = `{"v":${conversation.v}`;
  if (asks.length > 0) text += `,"asks":[${asks.length === 1 ? writeAsk(asks[0] as Ask) : asks.map(writeAsk).join()}]`;
  if (late !== undefined) text += `,"late":${writeAsk(late)}`;
  if (parked.length > 0) text += `,"parked":[${parked.map(writeParked).join()}]`;
  const asker = asks[0]?.asker;
  const isUsual = asker === undefined ? people.length === 0 : people.length === 1 && people[0] === asker;
  if (!isUsual) text += `,"people":${JSON.stringify(people)}`;
  return `${text}${writeOthers(conversation, inDocument)}}`;
}

const inDocument: ReadonlySet<string> = new Set(['v', 'asks', 'late', 'parked', 'people']);

/** The document again, from its JSON and from its text. */
export function wholeConversation(stored: Fields, text: string): Fields {
  const lines = new Lines(text);
  const asks = Array.isArray(stored['asks']) ? stored['asks'].map((ask) => askIn(ask, lines)) : (stored['asks'] ?? []);
  const late = stored['late'] === undefined ? undefined : askIn(stored['late'], lines);
  const asker = Array.isArray(asks) ? (asks[0] as Partial<Ask> | null | undefined)?.asker : undefined;
  const parked = Array.isArray(stored['parked'])
    ? stored['parked'].map((each) => wholeParked(each, lines))
    : (stored['parked'] ?? []);
  const people = stored['people'] ?? (asker === undefined ? [] : [asker]);
  const whole: Fields = { v: stored['v'], asks, parked, people };
  for (const field in stored) if (!inDocument.has(field)) whole[field] = stored[field];
  if (late !== undefined) whole['late'] = late;
  return whole;
}

/** The lines of what never changes: every other one of a text that we have written, in the order of its asks. */
class Lines {
  readonly #text: string;
  #end = -1;

  constructor(text: string) {
    this.#text = text;
  }

  next(): string {
    const start = this.#text.indexOf('\n', this.#end + 1) + 1;
    this.#end = this.#text.indexOf('\n', start);
    return start === 0 ? '' : this.#text.slice(start, this.#end);
  }
}

function writeParked({ ask, ...parked }: Parked): string {
  const text = JSON.stringify(parked);
  return ask === undefined ? text : `${text.slice(0, -1)},"ask":${writeAsk(ask)}}`;
}

function wholeParked(stored: unknown, lines: Lines): unknown {
  return isFields(stored) && stored['ask'] !== undefined ? { ...stored, ask: askIn(stored['ask'], lines) } : stored;
}

const askIn = (stored: unknown, lines: Lines): unknown => (isFields(stored) ? wholeAsk(stored, lines.next()) : stored);

export const isFields = (value: unknown): value is Fields =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

/** How many fields it has; -1 for what has none, such as a list or a number. */
function sizeOf(value: unknown): number {
  if (!isFields(value)) return -1;
  let size = 0;
  for (const _ in value) size += 1;
  return size;
}

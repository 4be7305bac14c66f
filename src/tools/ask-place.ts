/**
 * Resolves where and for whom a tool asks, and what it does if nobody can be asked. Asks nobody itself.
 */
import { assertObject, expecting, instance, type OptionRule, optional, string } from '../core/check-options.js';
import { AgentError } from '../core/errors.js';
import { digest } from '../core/ids.js';
import type { Json } from '../core/json.js';
import type { Participant } from '../core/participant.js';
import { neededPersonRule } from '../registry/arguments.js';
import { currentTurn } from '../registry/turn/current-turn.js';
import type { Turn } from '../registry/turn/turn.js';

/** A channel of the registry, and an address on it. */
export interface AskPlace {
  /** The name of the channel. */
  readonly channel: string;
  /** Where on the channel: a chat, a user, an address. */
  readonly to?: Json;
  /** The conversation in which a reply arrives. Needed only if the channel cannot tell. */
  readonly conversationId?: string;
}

/** One call of a tool by a model. */
export interface ToolCall {
  /** The model's own id of the call. Until the call is over, the same id with the same arguments is the same call. */
  readonly callId?: string | undefined;
  /** Gives the call up: the wait ends, and the ask is cancelled. */
  readonly signal?: AbortSignal | undefined;
  /** The same for every repeat of this call. `run()` passes it; your own loop may. */
  readonly effectKey?: string | undefined;
}

/** A call as the author's loop gave it; a wrong field is refused by its name. What else it has is the author's own. */
export function checkedCall(call: ToolCall, what: string): ToolCall {
  const given = assertObject(call, `${what}: the call`, "an object such as { callId: 'call_1' }");
  optional(string())(given.callId, `${what}: callId`);
  optional(string())(given.effectKey, `${what}: effectKey`);
  optional(instance(AbortSignal, 'an AbortSignal'))(given.signal, `${what}: signal`);
  return given;
}

/**
 * A fixed place; `'here'` for the conversation of the current turn; or a function that returns the place of each
 * call, or undefined if nobody is there.
 */
export type AskPlaceOption =
  | 'here'
  | AskPlace
  | ((call: {
      readonly callId?: string;
      readonly input: unknown;
    }) => AskPlace | undefined | Promise<AskPlace | undefined>);

/** For whom a tool asks outside of turns: a participant, or a function that returns the participant of each call. */
export type AskerOption =
  | Participant
  | ((call: { readonly callId?: string; readonly input: unknown }) => Participant | undefined);

/**
 * What to do if nobody can be asked: `'reject'` tells the model, `'deny'` counts as a no, `queue` asks at another
 * place.
 */
export type Unattended = 'reject' | 'deny' | { readonly queue: AskPlace };

export interface Attendance {
  readonly where: AskPlaceOption;
  readonly unattended: Unattended;
}

export const whereRule: OptionRule<AskPlaceOption> = expecting(
  "a place such as { channel: 'slack', to: 'C1' }, 'here', or a function that gives one",
  (value) => value === 'here' || typeof value === 'function' || isPlace(value),
);

export const askerRule: OptionRule<AskerOption> = (value, name) =>
  typeof value === 'function' ? (value as AskerOption) : neededPersonRule(value, name);

export const unattendedRule: OptionRule<Unattended> = optional(
  expecting(
    "'reject', 'deny' or { queue: { channel, to } }",
    (value) => value === 'reject' || value === 'deny' || isPlace((value as { queue?: unknown } | null)?.queue),
  ),
  'reject',
);

/** The place of this call, or what to do because there is none. */
export async function placeOf(
  { where, unattended }: Attendance,
  input: unknown,
  { callId }: ToolCall,
): Promise<AskPlace | 'reject' | 'deny'> {
  if (where === 'here') return here() ?? (typeof unattended === 'string' ? unattended : unattended.queue);
  const place =
    typeof where === 'function' ? await where({ input, ...(callId === undefined ? {} : { callId }) }) : where;
  if (place !== undefined && place !== null) return place;
  return typeof unattended === 'string' ? unattended : unattended.queue;
}

/** The participant for whom a call asks, outside of turns; undefined if none is given. In a turn it is whom the turn acts for. */
export function askerFor(
  asker: AskerOption | undefined,
  input: unknown,
  { callId }: ToolCall,
): Participant | undefined {
  if (currentTurn() !== undefined) return undefined;
  if (typeof asker !== 'function') return asker;
  const found = asker({ input, ...(callId === undefined ? {} : { callId }) });
  return found === undefined ? undefined : neededPersonRule(found, 'asker(): its result');
}

/** The place where a tool asks; undefined if nobody is there. Fails if `where` is a function. */
export function fixedPlace({ where }: Attendance, what: string): AskPlace | undefined {
  if (typeof where !== 'function') return where === 'here' ? here() : where;
  throw new AgentError(
    'bad-option',
    `${what}: where is a function here. Say which place, such as { channel: 'slack', to: 'C1' }.`,
  );
}

/** The place of the current turn; undefined if a trigger started it, because nobody reads there. */
function here(): AskPlace | undefined {
  const turn = currentTurn();
  if (turn === undefined || turn.place.trigger) return undefined;
  const { channel, address: to } = turn.place;
  return { channel, to, conversationId: turn.conversationId };
}

const countedIn = new WeakMap<Turn, Map<string, number>>();

/**
 * The key of a call, the same however often the call is repeated: by its call id, or without one by its place among equal
 * calls of its turn. Undefined for a call without an id outside of turns.
 */
export function callKeyFor({ callId, effectKey }: ToolCall, actionDigest: string): string | undefined {
  if (effectKey !== undefined) return effectKey;
  const turn = currentTurn();
  if (callId !== undefined) return digest(turn?.id ?? '', callId, actionDigest);
  if (turn === undefined) return undefined;
  const counts = countedIn.get(turn) ?? new Map<string, number>();
  countedIn.set(turn, counts);
  const number = (counts.get(actionDigest) ?? 0) + 1;
  counts.set(actionDigest, number);
  return digest(turn.id, actionDigest, String(number));
}

function isPlace(value: unknown): value is AskPlace {
  return typeof value === 'object' && value !== null && typeof (value as { channel?: unknown }).channel === 'string';
}

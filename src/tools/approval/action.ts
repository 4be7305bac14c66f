/**
 * An action that a model wants to take, as it is stored, compared and shown: the tool's name and its exact arguments.
 * Pure functions: nobody is asked and nothing is executed.
 */
import { AgentError } from '../../core/errors.js';
import { digest } from '../../core/ids.js';
import type { Json } from '../../core/json.js';
import { canonical, plainData } from '../../core/json.js';
import { currentTurn } from '../../registry/turn/current-turn.js';
import type { AskPlace } from '../ask-place.js';

export interface Action {
  readonly tool: string;
  readonly input: Json;
  /** Digest of tool and arguments, independent of key order. */
  readonly digest: string;
}

/** An action with where it is asked about and whose session it belongs to. */
export interface PlacedAction extends Action {
  readonly place: AskPlace;
  readonly session: Session | null;
}

const limits = { bytes: 48_000, depth: 50 }; // leaves room for the rest of an ask's context
const longestShown = 300;
const longestName = 100;
const mostShown = 30;

export function actionOf(tool: string, given: unknown): Action | { readonly problem: string } {
  try {
    const input = plainData(given ?? null, 'The arguments', limits);
    return { tool, input, digest: digestOf(tool, input) };
  } catch (error) {
    if (error instanceof AgentError && error.code === 'bad-data') return { problem: error.message };
    throw error;
  }
}

export function digestOf(tool: string, input: Json): string {
  return digest(tool, canonical(input));
}

/** Whose session it is: the conversation and the tenant of the turn that wants the action, wherever the approvers are. */
export interface Session {
  readonly conversationId: string;
  readonly tenant: string | null;
}

/** The session of the current turn; null outside of turns, where the place that is asked is all that is known. */
export function currentSession(): Session | null {
  const turn = currentTurn();
  return turn === undefined ? null : { conversationId: turn.conversationId, tenant: turn.starter?.tenant ?? null };
}

/** The key of a session grant: the same arguments at another place, or for another session, have another key. */
export function sessionKey({ place, session, digest: actionDigest }: PlacedAction): string {
  const { channel, to, conversationId } = place;
  const parts = [channel, to ?? null, conversationId ?? null];
  return digest(canonical(session === null ? parts : [...parts, { ...session }]), actionDigest);
}

/** The action of an approval ask; undefined if the ask is no approval. */
export function storedAction(context: Readonly<Record<string, unknown>>): PlacedAction | undefined {
  const action = context['action'] as Partial<PlacedAction> | undefined;
  const isAction = typeof action?.tool === 'string' && typeof action.digest === 'string' && action.input !== undefined;
  return isAction && action.place !== undefined ? ({ session: null, ...action } as PlacedAction) : undefined;
}

/**
 * The arguments as shown to the approver: each on one line by its name; long values are shortened and marked as such.
 */
export function shownArguments(tool: string, input: Json): Record<string, string> {
  const isRecord = typeof input === 'object' && input !== null && !Array.isArray(input);
  const all: readonly (readonly [string, Json])[] = isRecord ? Object.entries(input) : [['Arguments', input]];
  const shown = all.slice(0, mostShown).map(([name, value], i) => [nameOf(name, i), shortened(value)] as const);
  const more = all.length - shown.length;
  const rest = more > 0 ? { '…': `and ${more} more arguments, not shown` } : {};
  return Object.assign({ Tool: tool }, Object.fromEntries(shown), rest);
}

/** Argument names come from a model too: none may be mistaken for another. */
function nameOf(name: string, i: number): string {
  if (name.length > longestName) return `${oneLine(name.slice(0, longestName))}… (argument ${i + 1})`;
  const isOurs = name === 'Tool' || name.startsWith('…') || name.trim() === '' || name === '__proto__';
  return isOurs ? JSON.stringify(name) : oneLine(name);
}

function shortened(value: Json): string {
  const text = typeof value === 'string' ? value : canonical(value);
  if (text.length <= longestShown) return oneLine(text);
  return `${oneLine(text.slice(0, longestShown).toWellFormed())}… (${text.length} characters, the rest is not shown)`;
}

/** Joins lines: a line break could make one value look like several. */
function oneLine(text: string): string {
  if (!/[\p{Cc}\u2028\u2029]/u.test(text)) return text;
  return JSON.stringify(text)
    .replace(/\u2028/g, '\\u2028')
    .replace(/\u2029/g, '\\u2029');
}

/**
 * An action that a model wants to take, as it is stored, compared and shown: the tool's name and its exact arguments.
 * Pure functions: nobody is asked and nothing is executed.
 */
import { Buffer } from 'node:buffer';
import { AgentError } from '../../core/errors.js';
import { digest } from '../../core/ids.js';
import type { Json } from '../../core/json.js';
import { canonical, plainData } from '../../core/json.js';
import type { Participant } from '../../core/participant.js';
import { folded } from '../../core/text.js';
import { english } from '../../core/wording/english.js';
import type { Wording } from '../../core/wording/wording.js';
import { currentTurn } from '../../registry/turn/current-turn.js';
import type { AskPlace } from '../ask-place.js';
import { visibleText } from './visible-text.js';

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

const limits = { textBytes: 48_000, depth: 50 }; // leaves room for the rest of an ask's context
/** The most bytes of the arguments as they are shown: what the details of an ask can hold. */
const mostShown = 60_000;

export function actionOf(tool: string, given: unknown): Action | { readonly problem: string } {
  try {
    const input = plainData(given ?? null, 'The arguments', limits);
    const shown = Buffer.byteLength(JSON.stringify(shownDetails({ tool, input })));
    if (shown > mostShown)
      return {
        problem: `The arguments are ${shown} bytes as a person sees them, and at most ${mostShown} can be shown.`,
      };
    return { tool, input, digest: digestOf(tool, input) };
  } catch (error) {
    if (error instanceof AgentError && error.code === 'bad-data') return { problem: error.message };
    throw error;
  }
}

export function digestOf(tool: string, input: Json): string {
  return digest(tool, canonical(input));
}

/**
 * Whose session it is, wherever the approvers are: the tenant of whom the action is for, and their conversation, or outside of turns their
 * id.
 */
export interface Session {
  readonly conversationId?: string;
  readonly asker?: string;
  readonly tenant: string | null;
}

/** The session of the current turn, else of the asker; null where the place that is asked is all that is known. */
export function currentSession(asker: Participant | undefined): Session | null {
  const turn = currentTurn();
  if (turn === undefined) return asker === undefined ? null : { asker: asker.id, tenant: asker.tenant ?? null };
  const { conversationId, tenant = null } = turn.asker;
  return { conversationId, tenant };
}

/** Whether it is the same action, wanted in the same session: approvers at one place decide for many conversations, tenants and askers. */
export function isSameAction(stored: PlacedAction | undefined, action: PlacedAction): boolean {
  return stored?.digest === action.digest && canonical({ ...stored.session }) === canonical({ ...action.session });
}

/** The key of a session grant: the same arguments at another place, or for another session, have another key. */
export function sessionKey({ place, session, digest: actionDigest }: PlacedAction): string {
  const { channel, to, conversationId } = place;
  const parts = [channel, to ?? null, conversationId ?? null];
  return digest(canonical(session === null ? parts : [...parts, { ...session }]), actionDigest);
}

/** What the asks of an action are found by among the questions of its place: they are of one session. */
export function aboutAction({ session, digest: actionDigest }: PlacedAction): string {
  return digest('action', canonical(session === null ? null : { ...session }), actionDigest);
}

/** The action of an approval ask; undefined if the ask is no approval. */
export function storedAction(context: Readonly<Record<string, unknown>>): PlacedAction | undefined {
  const action = context['action'] as Partial<PlacedAction> | undefined;
  const isAction = typeof action?.tool === 'string' && typeof action.digest === 'string' && action.input !== undefined;
  return isAction && action.place !== undefined ? ({ session: null, ...action } as PlacedAction) : undefined;
}

/**
 * The details that the approver sees: the author's own, then the tool, then every argument, whole, on one line by its name.
 * They are told apart by where they stand, and no argument has a name that could be read as one above it.
 */
export function shownDetails(
  { tool, input }: Pick<Action, 'tool' | 'input'>,
  own: Readonly<Record<string, string>> = {},
  wording: Wording = english.wording,
): Record<string, string> {
  const { [wording.tool()]: _, ...details } = own; // the name of the tool is what is approved, not what the author calls it
  const shown: Record<string, string> = { ...details, [wording.tool()]: tool };
  const taken = new Set(Object.keys(shown).map(folded));
  const isRecord = typeof input === 'object' && input !== null && !Array.isArray(input);
  const all: readonly (readonly [string, Json])[] = isRecord ? Object.entries(input) : [[wording.arguments(), input]];
  for (const [given, value] of all) {
    let name = shownName(given, taken);
    while (Object.hasOwn(shown, name)) name = JSON.stringify(name);
    shown[name] = shownValue(value);
  }
  return shown;
}

/** Letters, digits and what joins them, a letter first: JavaScript moves names of digits to the front. */
const oneWord = /^[\p{L}_$][\p{L}\p{M}\p{N}_$.-]*$/u;

/** Argument names come from a model too: all but plain words are in quotes, and so is a word that is `taken`. */
function shownName(name: string, taken: ReadonlySet<string>): string {
  const isPlain = oneWord.test(name) && name !== '__proto__' && !taken.has(folded(name));
  const shown = visibleText(name);
  return isPlain || shown.startsWith('"') ? shown : JSON.stringify(name);
}

function shownValue(value: Json): string {
  return visibleText(typeof value === 'string' ? value : canonical(value));
}

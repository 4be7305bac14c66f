/**
 * The history of a conversation, for people to read: each message, each thing said and each decision, once.
 */
import type { Ask, AskStatus } from '../ask/ask.js';
import { endReasonOf } from '../ask/ask.js';
import { definedFields } from '../defined-fields.js';
import type { Participant } from '../participant.js';
import type { Disposition, Entry, Queued } from './entry.js';
import { authorOf, namedAskId, writtenAt } from './entry.js';
import { isPressed, replyText } from './reply-text.js';

/**
 * One line of a conversation's history: a message that came in, something said, or a decision.
 *
 * @example
 * import { AgentRegistry, type HistoryItem } from 'askback';
 *
 * const registry = new AgentRegistry();
 * const { items }: { items: readonly HistoryItem[] } = await registry.history('web-anna');
 * const said = items.flatMap((item) => (item.type === 'out' ? [item.text] : []));
 */
export type HistoryItem =
  | {
      readonly type: 'in';
      readonly at: number;
      readonly entry: string;
      readonly text: string;
      readonly channel?: string;
      readonly participant?: Participant;
      readonly disposition: Disposition;
      /** A control gave it, a button or a form: `text` is the id of the option, or the values as JSON. */
      readonly control?: true;
    }
  | {
      readonly type: 'out';
      readonly at: number;
      readonly key: string;
      readonly text: string;
      readonly channel: string;
      readonly askId?: string;
      /** It went to another place than the one that the turn was about. */
      readonly aside?: true;
      /** The id of the only participant whom it was for. */
      readonly only?: string;
    }
  | {
      readonly type: 'decision';
      readonly at: number;
      readonly askId: string;
      readonly status: AskStatus;
      readonly agent: string;
      readonly entry: string;
      readonly by?: Participant;
      /** Why it ended: `'timeout'`, `'undeliverable'`, or what the person said who cancelled or declined it. */
      readonly reason?: string;
    }
  | {
      readonly type: 'note';
      readonly at: number;
      readonly entry: string;
      readonly text: string;
      readonly disposition: Disposition;
      readonly by?: Participant;
      /** Why an operator closed parked work, or somebody handed an ask over. */
      readonly reason?: string;
    };

/** Stands in the history for the answer to a sensitive question. */
const hiddenText = '[hidden]';

/** The item of an entry. `hidden`: its words are left out. */
export function entryItem({ id, at, entry }: Queued, disposition: Disposition, hidden: boolean): HistoryItem {
  if (entry.type !== 'message' && entry.type !== 'answer') {
    const by = authorOf(entry);
    const reason = entry.type === 'unpark' || entry.type === 'hand-over' ? entry.reason : undefined;
    return { type: 'note', at, entry: id, text: noteOf(entry), disposition, ...definedFields({ by, reason }) };
  }
  const text = hidden ? hiddenText : (replyText(entry) ?? '');
  const control = entry.type === 'message' && isPressed(entry) ? (true as const) : undefined;
  const about = definedFields({ channel: writtenAt(entry)?.channel, control, participant: authorOf(entry) });
  return { type: 'in', at, entry: id, text, disposition, ...about };
}

function noteOf(entry: Entry): string {
  if (entry.type === 'unpark') return `unpark ${entry.parkedId}`;
  if (entry.type === 'hand-over') return `hand-over ${entry.askId} to ${entry.to.id}`;
  const askId = namedAskId(entry);
  return askId === undefined ? entry.type : `${entry.type} ${askId}`;
}

/** The item of an ask's decision; undefined if it is not decided. */
export function decisionItem(ask: Ask): HistoryItem | undefined {
  const { id, status, agentName, decision } = ask;
  if (decision === undefined) return undefined;
  const { at, entry, by } = decision;
  const reason = endReasonOf(ask);
  return { type: 'decision', at, askId: id, status, agent: agentName, entry, ...definedFields({ by, reason }) };
}

/**
 * The record of a rehearsal: what people wrote, what they were shown and what was decided, in the order in which it happened.
 * All processes of the rehearsal write into the same record.
 */
import { plainText } from '../../channels/plain.js';
import type { AskStatus, PendingAsk } from '../../core/ask/ask.js';
import type { OutgoingMessage } from '../../core/conversation/outgoing.js';
import type { Participant } from '../../core/participant.js';
import { Notifier } from '../../registry/notifier.js';

interface Wrote {
  readonly type: 'wrote';
  readonly conversationId: string;
  readonly participant: Participant;
  readonly text: string;
  readonly pressed?: readonly string[];
}
interface Shown {
  readonly type: 'shown';
  readonly conversationId: string;
  readonly message: OutgoingMessage;
}
interface Decided {
  readonly type: 'decided';
  readonly status: AskStatus;
  /** Known a moment after the decision: it is read from the store. */
  ask?: PendingAsk<unknown>;
}
type RecordItem = Wrote | Shown | Decided;

const uuid = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

export class RehearsalRecord {
  readonly #items: RecordItem[] = [];
  readonly #decided = new Set<string>();
  /** Notifies when something was shown or asked. */
  readonly changed = new Notifier();

  /** How much was recorded so far: a position to look from. */
  get length(): number {
    return this.#items.length;
  }

  wrote(wrote: Omit<Wrote, 'type'>): void {
    this.#items.push({ type: 'wrote', ...wrote });
  }

  shown(conversationId: string, message: OutgoingMessage): void {
    this.#items.push({ type: 'shown', conversationId, message });
    this.changed.notify();
  }

  /** A decision that several processes make known is recorded once. `look` reads the ask with its answer. */
  async decided(askId: string, status: AskStatus, look: () => Promise<PendingAsk<unknown> | null>): Promise<void> {
    if (this.#decided.has(askId)) return;
    this.#decided.add(askId);
    const item: Decided = { type: 'decided', status };
    this.#items.push(item);
    const ask = await look();
    if (ask !== null) item.ask = ask;
  }

  /** What was shown from a position on: in one conversation, or in all. */
  shownSince(position: number, conversationId?: string): readonly OutgoingMessage[] {
    return this.#items
      .slice(position)
      .flatMap((item) =>
        item.type === 'shown' && (conversationId ?? item.conversationId) === item.conversationId ? [item.message] : [],
      );
  }

  /** One line or more for everything that happened from a position on. */
  lines(position = 0): readonly string[] {
    return this.#items.slice(position).map(lineOf);
  }

  /** The whole record as text. Ids of the library, which differ in every run, are numbered. */
  transcript(): string {
    const ids: string[] = [];
    return this.lines()
      .join('\n')
      .replace(uuid, (id) => {
        if (!ids.includes(id)) ids.push(id);
        return `<id ${ids.indexOf(id) + 1}>`;
      });
  }
}

function lineOf(item: RecordItem): string {
  if (item.type === 'shown') return `to ${item.conversationId}: ${indented(plainText(item.message))}`;
  if (item.type === 'decided') return decisionLine(item);
  const who = nameOf(item.participant);
  const where = item.conversationId === who ? who : `${who} in ${item.conversationId}`;
  return item.pressed === undefined
    ? `${where}: ${indented(item.text)}`
    : `${where} presses: ${item.pressed.join(', ')}`;
}

function decisionLine({ status, ask }: Decided): string {
  if (ask === undefined) return `a question ${status}`;
  const by = ask.decidedBy === undefined ? '' : ` by ${nameOf(ask.decidedBy)}`;
  const given = status === 'answered' ? (ask.answer ?? ask.value) : undefined;
  const label = ask.choices?.find(({ id }) => id === given)?.label ?? given; // a press gives the id
  const said = label === undefined ? '' : `: ${typeof label === 'string' ? indented(label) : JSON.stringify(label)}`;
  return `${JSON.stringify(ask.question)} ${status}${by}${said}`;
}

const nameOf = ({ name, id }: Participant): string => name ?? id;

/** Lines after the first stand below it, so that each new line at the margin is something new. */
const indented = (text: string): string => text.replaceAll('\n', '\n  ');

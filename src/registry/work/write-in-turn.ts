/**
 * What a waiting turn writes before its end: its question, and what became of the replies it took out of line. Each in one
 * step that keeps the hold.
 */
import type { Ask } from '../../core/ask/ask.js';
import type { Move } from '../../core/conversation/apply-turn.js';
import { concluded } from '../../core/conversation/apply-turn.js';
import type { Conversation } from '../../core/conversation/conversation.js';
import type { Disposition } from '../../core/conversation/entry.js';
import { writeConversation, writeItem } from '../../core/format/document.js';
import { digest } from '../../core/ids.js';
import type { RegistryContext } from '../context.js';
import type { OutboxWriter } from '../outbox/outbox.js';
import type { OutcomeWaiters } from '../outcome-waiters.js';
import type { Turn } from '../turn/turn.js';

export interface Learned {
  readonly opened?: Ask;
  /** An entry that was dealt with out of line. */
  readonly heard?: { readonly entryId: string; readonly disposition: Disposition };
}

export class Within {
  readonly #context: RegistryContext;
  readonly #outbox: OutboxWriter;
  readonly #waiters: OutcomeWaiters;

  constructor(context: RegistryContext, outbox: OutboxWriter, waiters: OutcomeWaiters) {
    this.#context = context;
    this.#outbox = outbox;
    this.#waiters = waiters;
  }

  /** The document as it is written: decided asks stay in it until the turn that waits for them is over. */
  async write(turn: Turn, before: Conversation, moves: readonly Move[], learned: Learned = {}): Promise<Conversation> {
    const { lease, workId, id } = turn.parts;
    const { conversationId } = turn;
    const { opened, heard } = learned;
    const outcome = concluded(before, moves, lease.now(), digest(`${id}:${workId}`), undefined, () => true);
    const outputs = outcome.outputs.filter((output) => this.#outbox.goesOut(output));
    await lease.save(
      { type: 'hold' },
      {
        document: writeConversation(outcome.conversation),
        outputs: outputs.map((output) => this.#outbox.stored(output, undefined)),
        history: outcome.history.map(writeItem),
        asks: { opened: opened === undefined ? [] : [{ id: opened.id, at: opened.askedAt }], settled: [] },
      },
    );
    if (opened !== undefined) this.#opened(opened, turn);
    if (heard !== undefined) this.heard(conversationId, heard.entryId, heard.disposition);
    this.#outbox.send(conversationId, outputs); // whoever has saved says so first
    return outcome.conversation;
  }

  /** Tells whoever waits for an entry that was dealt with out of line. */
  heard(conversationId: string, entryId: string, disposition: Disposition): void {
    this.#waiters.wake(conversationId, entryId, disposition);
  }

  #opened(ask: Ask, turn: Turn): void {
    const { conversationId } = turn;
    const { id: askId, agentName, askedAt } = ask;
    const { channel } = ask.place;
    this.#context.emit('asked', { conversationId, askId, agentName, askedAt, at: askedAt, channel });
    this.#waiters.letGo(conversationId, turn.parts.workId); // whoever handed the message in must not wait for a person
  }
}

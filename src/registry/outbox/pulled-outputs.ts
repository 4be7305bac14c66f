/**
 * Outputs that handle() gives to its caller instead of a channel sending them. This process gives each of them once: their
 * marks are written later, so it remembers what it has given until then. After a crash, another process may give them again.
 */
import type { OutgoingMessage, OutgoingQuestion, OutgoingText } from '../../core/conversation/outgoing.js';
import { messageFor } from '../../core/conversation/outgoing.js';
import { readOutgoing } from '../../core/format/document.js';
import type { Lent, Mark } from '../../stores/port.js';
import type { RegistryContext } from '../context.js';
import { handleChannel } from '../context.js';

/** What was given to callers in one conversation. */
interface Given {
  /** The keys that a look into the outbox may still find. */
  readonly keys: Set<string>;
  /** Those of them whose mark is written: only a look that began before may find them. */
  marked: string[];
  /** How many looks are under way. */
  looks: number;
}

export class PulledOutputs {
  readonly #context: RegistryContext;
  readonly #mark: (mark: Mark) => void;
  /** By conversation, while a look is under way or a mark is not yet written. */
  readonly #given = new Map<string, Given>();

  constructor(context: RegistryContext, mark: (mark: Mark) => void) {
    this.#context = context;
    this.#mark = mark;
  }

  /** What waits for the caller that handed in this entry: the outputs of the entry itself, and those that nobody waits for. */
  async pull(conversationId: string, entryId: string): Promise<readonly OutgoingMessage[]> {
    const given = this.#given.get(conversationId) ?? { keys: new Set(), marked: [], looks: 0 };
    this.#given.set(conversationId, given);
    given.looks += 1;
    try {
      const lent = await this.#look(conversationId);
      const mine = lent.flatMap((each) => pulledBy(each, entryId)).filter(({ key }) => !given.keys.has(key));
      for (const { key } of mine) {
        given.keys.add(key);
        this.#mark({ conversationId, key, channel: handleChannel });
      }
      return mine.map((each) => messageFor(each, conversationId, this.#context.language));
    } finally {
      given.looks -= 1;
      this.#forget(conversationId, given);
    }
  }

  /** The marks are written, or given up. */
  marked(marks: readonly Mark[]): void {
    for (const { conversationId, key, channel } of marks) {
      const given = channel === handleChannel ? this.#given.get(conversationId) : undefined;
      if (given === undefined) continue;
      given.marked.push(key);
      this.#forget(conversationId, given);
    }
  }

  /** No loan: nobody pushes these, and a look that is repeated after a lost reply must find them again. */
  #look(conversationId: string): Promise<readonly Lent[]> {
    return this.#context.store.unsent({ conversationId, channels: [handleChannel], limit: 1_000, loan: 0 });
  }

  #forget(conversationId: string, given: Given): void {
    if (given.looks > 0) return;
    for (const key of given.marked) given.keys.delete(key);
    given.marked = [];
    if (given.keys.size === 0) this.#given.delete(conversationId);
  }
}

function pulledBy({ key, data }: Lent, entryId: string): readonly (OutgoingText | OutgoingQuestion)[] {
  const outgoing = readOutgoing(key, data);
  if (outgoing === undefined || outgoing.type === 'forward') return [];
  return outgoing.awaitedBy === undefined || outgoing.awaitedBy === entryId ? [outgoing] : [];
}

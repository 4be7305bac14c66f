/**
 * The shelves of the memory store: every conversation, and the orders in which conversations and outputs are looked for.
 * Whatever changes a conversation puts it back in its place here; nothing here decides whether it may change.
 */
import { randomId } from '../machine/clock.js';
import { flat } from './flat.js';
import { Heap } from './heap.js';
import { Conversation } from './memory-conversation.js';
import { Directory } from './memory-directory.js';
import { Marks } from './memory-marks.js';
import { Outbox } from './memory-outbox.js';
import type { Save } from './port.js';

export class Shelves {
  readonly conversations = new Map<string, Conversation>();
  readonly marks = new Map<string, Marks>();
  /** Conversations by the time at which they want a holder. */
  readonly wanting = new Heap<Conversation>();
  readonly outbox = new Outbox();
  /** Everything that vanishes by itself: conversations, settled asks, repeat marks. */
  private readonly expiry = new Heap<() => void>();
  readonly directory = new Directory(this.expiry);

  /** Lets vanish what is over at `now`. */
  clean(now: number): void {
    for (let first = this.expiry.first(); first !== undefined && first.at <= now; first = this.expiry.first()) {
      this.expiry.remove(first);
      first.item();
    }
  }

  create(id: string): Conversation {
    const conversation = new Conversation(id, randomId(), () => this.drop(conversation, false));
    this.conversations.set(id, conversation);
    return conversation;
  }

  /** Takes a conversation away; `everything` also what would outlive it. */
  drop(conversation: Conversation, everything: boolean): void {
    this.conversations.delete(conversation.id);
    this.wanting.remove(conversation.wants);
    this.expiry.remove(conversation.forget);
    this.outbox.clear(conversation);
    this.directory.drop(conversation, everything);
    const marks = this.marks.get(conversation.id);
    if (marks === undefined || !everything) return;
    this.expiry.remove(marks.expiry);
    this.marks.delete(conversation.id);
  }

  /** Writes what a save says, all but who holds the conversation afterwards. */
  apply(conversation: Conversation, call: Save, now: number): void {
    conversation.revision += 1;
    conversation.lastCall = call.call;
    conversation.retention = call.retention;
    if (call.document !== undefined) conversation.document = flat(call.document);
    if (call.due !== undefined) conversation.due = call.due;
    if (call.open !== undefined) conversation.open = call.open;
    this.close(conversation, call, now);
    for (const key of call.withdraw) this.outbox.remove(conversation, key);
    for (const output of call.outputs) this.outbox.add(conversation, output, now, call.loan);
    for (const item of call.history) conversation.history.push(flat(item));
    this.directory.apply(conversation, call, now);
    this.expiry.remove(conversation.forget); // a save starts the retention anew
  }

  /** Puts a changed conversation where it will be looked for: by workers, and by time passing. */
  arrange(conversation: Conversation, now: number): void {
    const wanted = conversation.wantedAt();
    if (wanted < Number.POSITIVE_INFINITY) this.wanting.set(conversation.wants, wanted);
    else this.wanting.remove(conversation.wants);
    if (!conversation.idle()) this.expiry.remove(conversation.forget);
    else if (conversation.forget.slot < 0 || conversation.held(now)) {
      this.expiry.set(conversation.forget, Math.max(now, conversation.hold?.until ?? 0) + conversation.retention);
    }
  }

  private close(conversation: Conversation, { closes, call, repeatMarks }: Save, now: number): void {
    if (closes === undefined) return;
    const marks = this.marks.get(conversation.id) ?? this.newMarks(conversation.id);
    const until = now + repeatMarks;
    const recordedBy = conversation.recordedBy(closes.entryId);
    conversation.remove(closes.entryId);
    marks.add(closes.entryId, { outcome: flat(closes.outcome), recordedBy, closedBy: call, until });
    if (marks.expiry.slot < 0) this.expiry.set(marks.expiry, until);
  }

  private newMarks(conversationId: string): Marks {
    const marks = new Marks(() => {
      const next = marks.prune(marks.expiry.at);
      if (next !== undefined) this.expiry.set(marks.expiry, next);
      else this.marks.delete(conversationId);
    });
    this.marks.set(conversationId, marks);
    return marks;
  }
}

/**
 * The shelves of the memory store: every conversation, and the orders in which conversations and outputs are looked for.
 * Whatever changes a conversation puts it back in its place here; nothing here decides whether it may change.
 */

import { flat } from '../../core/flat.js';
import { randomId } from '../../machine/clock.js';
import type { Save } from '../port.js';
import { Conversation, Want } from './conversation.js';
import { Directory, type Settled } from './directory.js';
import { Heap } from './heap.js';
import { Marks } from './marks.js';
import { Outbox } from './outbox.js';

export class Shelves {
  readonly conversations = new Map<string, Conversation>();
  /** The marks of conversations that are forgotten; others have their own. */
  private readonly marks = new Map<string, Marks>();
  /** Conversations by the time at which they want a holder. */
  private readonly wanting = new Heap<Want>();
  readonly outbox = new Outbox();
  /** Everything that vanishes by itself: conversations, settled asks, repeat marks. */
  private readonly expiry = new Heap<Conversation | Settled | Marks>();
  readonly directory = new Directory(this.expiry);

  /** Lets vanish what is over at `now`. */
  clean(now: number): void {
    for (let at = this.expiry.firstAt(); at <= now; at = this.expiry.firstAt()) {
      const first = this.expiry.first() as Conversation | Settled | Marks;
      this.expiry.remove(first);
      if (first instanceof Conversation) this.drop(first, false);
      else if (first instanceof Marks) this.prune(first, at);
      else this.directory.expire(first);
    }
  }

  create(id: string): Conversation {
    const conversation = new Conversation(id, randomId(), this.marks.get(id));
    this.marks.delete(id);
    this.conversations.set(id, conversation);
    return conversation;
  }

  /** Conversations that want a holder at `now`. */
  wantingAt(now: number, limit: number): Conversation[] {
    return this.wanting.upTo(now, limit).map(({ conversation }) => conversation);
  }

  marksOf(conversationId: string): Marks | undefined {
    const conversation = this.conversations.get(conversationId);
    return conversation === undefined ? this.marks.get(conversationId) : conversation.marks;
  }

  /** Takes a conversation away; `everything` also what would outlive it. */
  drop(conversation: Conversation, everything: boolean): void {
    const { id, marks } = conversation;
    this.conversations.delete(id);
    this.unwant(conversation);
    this.expiry.remove(conversation);
    this.outbox.clear(conversation);
    this.directory.drop(conversation, everything);
    if (marks === undefined) return;
    if (everything) this.expiry.remove(marks);
    else this.marks.set(id, marks);
  }

  /** Writes what a save says, all but who holds the conversation afterwards. */
  apply(conversation: Conversation, call: Save, now: number): void {
    conversation.revision += 1;
    conversation.lastCall = flat(call.call);
    conversation.retention = call.retention;
    if (call.document !== undefined) conversation.document = flat(call.document);
    if (call.due !== undefined) conversation.due = call.due;
    if (call.open !== undefined) conversation.open = call.open;
    this.close(conversation, call, now);
    for (const key of call.withdraw) this.outbox.remove(conversation, key);
    for (const output of call.outputs) this.outbox.add(conversation, output, now, call.loan);
    conversation.tell(call.history);
    this.directory.apply(conversation, call, now);
    this.expiry.remove(conversation); // a save starts the retention anew
  }

  /** Puts a changed conversation where it will be looked for: by workers, and by time passing. */
  arrange(conversation: Conversation, now: number): void {
    const wanted = conversation.wantedAt();
    if (wanted === Number.POSITIVE_INFINITY) this.unwant(conversation);
    else {
      conversation.want ??= new Want(conversation);
      this.wanting.set(conversation.want, wanted);
    }
    if (!conversation.idle()) this.expiry.remove(conversation);
    else if (conversation.slot < 0 || conversation.held(now)) {
      this.expiry.set(conversation, Math.max(now, conversation.hold?.until ?? 0) + conversation.retention);
    }
  }

  private close(conversation: Conversation, { closes, call, repeatMarks }: Save, now: number): void {
    if (closes === undefined) return;
    conversation.marks ??= new Marks(conversation.id);
    const { marks } = conversation;
    const { entryId } = closes;
    const until = now + repeatMarks;
    const recordedBy = conversation.recordedBy(entryId) ?? '';
    conversation.remove(entryId);
    marks.add({ entryId, outcome: closes.outcome, recordedBy, closedBy: call, until });
    if (marks.slot < 0) this.expiry.set(marks, until);
  }

  private unwant(conversation: Conversation): void {
    if (conversation.want === undefined) return;
    this.wanting.remove(conversation.want);
    conversation.want = undefined;
  }

  private prune(marks: Marks, at: number): void {
    const { conversationId } = marks;
    const next = marks.prune(at);
    if (next !== undefined) {
      this.expiry.set(marks, next);
      return;
    }
    this.marks.delete(conversationId);
    const conversation = this.conversations.get(conversationId);
    if (conversation !== undefined) conversation.marks = undefined;
  }
}

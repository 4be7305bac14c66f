/**
 * People who want a refund, by a plain question, a form or a vote, or call it off, talking to whichever replica answers: they send a message again until it is acknowledged, and
 * write down what they did. They wait for what they were promised, and complain when it does not come.
 */
import { appendFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { IncomingMessage } from '../../../../src/index.js';
import type { Call } from '../../../support/replica/world.js';
import type { Random } from '../../../support/seed.js';
import type { Outside, Replica } from './outside.js';

const usual = ['class', 'declared', 'class-once', 'declared-once'];
const unusual = ['declared-form', 'declared-once-vote', 'declared-cancelled'];
const clerk = (name: string) => ({ participant: { id: `phone:${name}`, roles: ['clerk'] } });
const pick = <T>(list: readonly T[], random: Random): T => list[Math.floor(random() * list.length)] as T;

export class People {
  messages = 0;
  refused = 0;
  /** Conversations that came to their end. */
  readonly finished: string[] = [];
  readonly complaints: string[] = [];
  /** Conversations that are under way. */
  readonly talking = new Set<string>();
  readonly conversations: string[] = [];
  readonly #randoms = new Map<string, Random>();
  #over = false;
  #abandoned = false;

  constructor(
    private readonly outside: Outside,
    private readonly replicas: () => readonly Replica[],
    private readonly history: string,
    /** What was acknowledged in this conversation may be gone; then nobody waits for it. */
    private readonly lost: (conversationId: string) => boolean,
    private readonly patience: number,
    /** What is drawn under this name. */
    private readonly randomOf: (name: string) => Random,
  ) {}

  /** So many at a time, one conversation after the other, until stop(). */
  async talk(lanes: number): Promise<void> {
    const lane = async (n: number) => {
      const random = this.randomOf(`lane ${n}`);
      for (let i = 0; !this.#over; i += 1) {
        const way = pick([...usual, ...usual, ...unusual], random);
        await this.#talk(way, `${way}-${n}-${i}`);
      }
    };
    await Promise.all(Array.from({ length: lanes }, (_, n) => lane(n)));
  }

  /** Nobody begins anything new; what is under way is brought to its end, or (abandoned) left as it is. */
  stop(abandoned = false): void {
    this.#over = true;
    this.#abandoned ||= abandoned;
  }

  #random(conversationId: string): number {
    const random = this.#randoms.get(conversationId) ?? this.randomOf(conversationId);
    this.#randoms.set(conversationId, random);
    return random();
  }

  #anyReplica(conversationId: string): Replica {
    return pick(this.replicas(), () => this.#random(conversationId));
  }

  async #talk(way: string, conversationId: string): Promise<void> {
    this.conversations.push(conversationId);
    this.talking.add(conversationId);
    const order = String(10_000 + Math.floor(this.#random(conversationId) * 89_999));
    try {
      await this.#says(conversationId, 'refund');
      const isFirst = ({ key }: Call) => key?.endsWith(':0') === true;
      const { askId = '' } = await this.#sees(conversationId, 'the question', isFirst);
      if (way === 'declared-form') await this.#form(conversationId, order);
      else if (way === 'declared-once-vote') await this.#vote(conversationId, askId);
      else if (way === 'declared-cancelled') await this.#cancel(conversationId, askId);
      else if (await this.#refund(conversationId, askId, order)) return;
      await this.#says(conversationId, 'thank you!');
      await this.#sees(conversationId, 'the end', ({ text }) => text === 'I can refund an order.');
      if (way !== 'declared-cancelled') this.finished.push(conversationId);
    } catch (error) {
      if (!this.lost(conversationId) && !this.#abandoned)
        this.complaints.push(`${conversationId}: ${(error as Error).message}`);
    } finally {
      this.talking.delete(conversationId);
    }
  }

  /** Both fields of a form, one after the other. */
  async #form(conversationId: string, order: string): Promise<void> {
    await this.#says(conversationId, order);
    await this.#sees(conversationId, 'the second field', ({ text }) => text?.includes('Sure?') === true);
    await this.#says(conversationId, 'yes');
    await this.#sees(conversationId, 'the refund', ({ text }) => text === `Refunded ${order}.`);
  }

  /** Two clerks say yes; whoever wanted it and a stranger may not. Nobody hurries, so that they are reminded. */
  async #vote(conversationId: string, askId: string): Promise<void> {
    await this.#says(conversationId, 'no', { askId });
    await this.#says(conversationId, 'no', { askId, participant: { id: 'phone:stranger' } });
    await this.#sees(conversationId, 'the reminder', ({ text }) => text?.startsWith('This is still open') === true);
    const id = await this.#says(conversationId, 'yes', clerk('carl'));
    await this.#sees(conversationId, 'its count', ({ text }) => text === "Thanks, that's 1 yes of the 2 needed.");
    await this.#says(conversationId, 'yes', { ...clerk('carl'), id }); // the platform sends it twice
    await this.#says(conversationId, 'yes', clerk('dora'));
    await this.#sees(conversationId, 'the refund', ({ text }) => text === 'Refunded yes.');
  }

  async #cancel(conversationId: string, askId: string): Promise<void> {
    for (const begin = performance.now(); ; await sleep(50)) {
      const told = await this.#anyReplica(conversationId).call('cancel', [askId], 3_000);
      const { type = 'received' } = told.ok ? (told.value as { readonly type: string }) : {};
      if (type === 'accepted' || type === 'already') return;
      if (this.#isTooLong(conversationId, begin)) throw new Error(`could not cancel its question (${type})`);
    }
  }

  /** True if its end was seen, too. */
  async #refund(conversationId: string, askId: string, order: string): Promise<boolean> {
    if (this.#random(conversationId) < 0.3)
      await this.#says(conversationId, '66666', { participant: { id: 'phone:stranger' }, askId });
    const nonsense = pick([0, 0, 1, 2], () => this.#random(conversationId));
    for (let i = 1; i <= nonsense; i += 1) {
      await this.#says(conversationId, '?');
      await this.#sees(conversationId, `question ${i + 1}`, ({ key }) => key === `ask:${askId}:${i}`);
    }
    if (this.#random(conversationId) < 0.3) {
      const inOrder = await this.#saysAtOnce(conversationId, [order, 'thank you!']);
      await this.#sees(conversationId, 'the refund', ({ text }) => text === `Refunded ${order}.`);
      if (!inOrder) await this.#says(conversationId, 'thank you!'); // the first one may have been read as a reply
      await this.#sees(conversationId, 'the end', ({ text }) => text === 'I can refund an order.');
      this.finished.push(conversationId);
      return true;
    }
    const named = this.#random(conversationId) < 0.3 ? { askId } : {};
    const id = await this.#says(conversationId, order, named);
    if (this.#random(conversationId) < 0.3) await this.#says(conversationId, order, { ...named, id }); // the platform sends it twice
    await this.#sees(conversationId, 'the refund', ({ text }) => text === `Refunded ${order}.`);
    return false;
  }

  /** One process is handed all of it in one tick. False if it has not recorded all: then a later one may have come first. */
  async #saysAtOnce(conversationId: string, texts: readonly string[]): Promise<boolean> {
    const messages = texts.map((text) => {
      this.messages += 1;
      return { id: `message-${this.messages - 1}`, conversationId, text, participant: { id: 'phone:user' } };
    });
    for (const message of messages) this.#note('sending', message);
    const told = await this.#anyReplica(conversationId).call('saysAtOnce', [messages], 3_000);
    const results = told.ok && Array.isArray(told.value) ? (told.value as readonly unknown[]) : [];
    const recorded = messages.filter((_, i) => typeof results[i] === 'string');
    for (const message of recorded) this.#note('acknowledged', message);
    const ids = recorded.map(({ id }) => id);
    if (ids.length > 1) this.#write({ what: 'together', by: 'people', conversationId, ids });
    for (const { id, text } of messages) if (!ids.includes(id)) await this.#says(conversationId, text, { id });
    return ids.length === messages.length;
  }

  async #says(conversationId: string, text: string, more: Partial<IncomingMessage> = {}): Promise<string> {
    await sleep(20 + this.#random(conversationId) * 200); // people read and type
    const id = `message-${this.messages}`;
    const message = { id, conversationId, text, participant: { id: 'phone:user' }, ...more };
    this.messages += 1;
    for (const begin = performance.now(); ; ) {
      this.#note('sending', message);
      const told = await this.#anyReplica(conversationId).says(message);
      if (told.ok) {
        this.#note('acknowledged', message);
        return message.id;
      }
      this.refused += 1;
      if (!['gone', 'silent', 'store-unavailable', 'store-full', 'queue-full', 'stopped'].includes(told.code))
        throw new Error(`was told ${told.code}, which nobody can act on`);
      if (this.#isTooLong(conversationId, begin)) throw new Error(`could not say "${text}" (${told.code})`);
      await sleep(30 + this.#random(conversationId) * 100);
    }
  }

  async #sees(conversationId: string, what: string, fits: (call: Call) => boolean): Promise<Call> {
    const mine = (call: Call) => call.what === 'deliver' && call.conversationId === conversationId && fits(call);
    for (const begin = performance.now(); ; ) {
      const call = await this.outside.until(mine, 500);
      if (call !== undefined) return call;
      if (this.#isTooLong(conversationId, begin)) throw new Error(`waited ${this.patience} ms in vain for ${what}`);
    }
  }

  #isTooLong(conversationId: string, begin: number): boolean {
    const patience = this.lost(conversationId) ? this.patience / 10 : this.patience;
    return this.#abandoned || performance.now() - begin > patience;
  }

  #note(what: string, { conversationId, id }: IncomingMessage): void {
    this.#write({ what, by: 'people', conversationId, id });
  }

  #write(line: object): void {
    appendFileSync(this.history, `${JSON.stringify(line)}\n`);
  }
}

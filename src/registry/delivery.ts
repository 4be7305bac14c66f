/**
 * Sends what the outbox holds, in order within a conversation, and marks it. Marks touch nothing that a holder owns, so
 * they are gathered and may be late. Decides nothing about asks: giving up is an entry in the conversation's queue.
 */
import type { Entry } from '../core/entry.js';
import { AgentError, failureOf } from '../core/errors.js';
import type { Asked, Outgoing, Said } from '../core/outgoing.js';
import { channelOf, forwardChannel, messageFor } from '../core/outgoing.js';
import { sleep } from '../machine/clock.js';
import type { Lent, Mark } from '../stores/port.js';
import type { House } from './house.js';
import { handleChannel, persistently } from './house.js';

/** Puts an entry into a conversation's queue; the desk does it. */
export type Record = (conversationId: string, entryId: string, entry: Entry) => Promise<unknown>;

export class Delivery {
  readonly #house: House;
  readonly #record: Record;
  readonly #lines = new Map<string, Promise<void>>();
  #marks: Mark[] = [];
  #flushing: Promise<void> | undefined;
  #stopped = false;
  #hurried = 0;
  #hurry: () => void = () => {};

  constructor(house: House, record: Record) {
    this.#house = house;
    this.#record = record;
  }

  /** Everything this process can push: its channels, and entries for other conversations. */
  get channels(): readonly string[] {
    return [...[...this.#house.channels.keys()].filter((name) => name !== handleChannel), forwardChannel];
  }

  sends(outgoing: Outgoing): boolean {
    return this.channels.includes(channelOf(outgoing));
  }

  /** Sends what a save has lent us. A loan that is over when its turn comes is dropped: others send it. */
  send(conversationId: string, outgoing: readonly Outgoing[]): void {
    const until = this.#house.clock.elapsed() + this.#house.settings.loan;
    const mine = outgoing.filter((each) => this.sends(each));
    if (mine.length > 0) this.#enqueue(conversationId, mine, until);
  }

  /** Borrows what others left, everywhere or in one conversation, and sends it. Returns how many were borrowed. */
  async collect(conversationId?: string): Promise<number> {
    const { store, settings, clock } = this.#house;
    if (this.#stopped) return 0;
    const until = clock.elapsed() + settings.loan;
    const where = conversationId === undefined ? {} : { conversationId };
    const lent = await store.unsent({ channels: this.channels, limit: 100, loan: settings.loan, ...where });
    for (const each of lent) {
      const outgoing = outgoingOf(each);
      if (outgoing !== undefined) this.#enqueue(each.conversationId, [outgoing], until);
      else
        this.#house.logger.error('An output cannot be read and was left as it is', {
          conversationId: each.conversationId,
          key: each.key,
        });
    }
    return lent.length;
  }

  /** Settles when everything begun here is sent and marked, without gathering any longer. */
  async idle(): Promise<void> {
    this.#hurried += 1;
    try {
      while (this.#lines.size > 0 || this.#flushing !== undefined) {
        this.#hurry();
        await Promise.all([...this.#lines.values(), this.#flushing]);
      }
    } finally {
      this.#hurried -= 1;
    }
  }

  /** Lets sends under way finish for at most `grace` ms; what is left is sent by others when its loan is over. */
  async stop(grace: number): Promise<void> {
    this.#stopped = true;
    await Promise.race([this.idle(), sleep(this.#house.clock, grace)]);
  }

  gone(
    conversationId: string,
    outgoing: { readonly key: string; readonly channel: string },
    sentAs?: Mark['sentAs'],
  ): void {
    this.#mark({
      conversationId,
      key: outgoing.key,
      channel: outgoing.channel,
      ...(sentAs === undefined ? {} : { sentAs }),
    });
  }

  #enqueue(conversationId: string, outgoing: readonly Outgoing[], until: number): void {
    const before = this.#lines.get(conversationId) ?? Promise.resolve();
    const line = before.then(() => this.#sendAll(conversationId, outgoing, until));
    this.#lines.set(conversationId, line);
    void line.finally(() => {
      if (this.#lines.get(conversationId) === line) this.#lines.delete(conversationId);
    });
  }

  async #sendAll(conversationId: string, outgoing: readonly Outgoing[], until: number): Promise<void> {
    for (const each of outgoing) {
      if (this.#house.clock.elapsed() >= until) return;
      const about = { conversationId, key: each.key, channel: channelOf(each) };
      try {
        const sentAs =
          each.type === 'forward' ? await this.#forward(each) : await this.#toChannel(conversationId, each);
        this.gone(conversationId, about, sentAs);
        this.#house.emit('delivered', about);
      } catch (error) {
        await this.#failed(conversationId, each, error);
      }
    }
  }

  async #forward(outgoing: Outgoing & { type: 'forward' }): Promise<undefined> {
    await this.#record(outgoing.conversationId, outgoing.entryId, outgoing.entry);
    return undefined;
  }

  async #toChannel(conversationId: string, outgoing: Said | Asked): Promise<Mark['sentAs'] | undefined> {
    const channel = this.#house.channels.get(outgoing.place.channel);
    if (channel === undefined) throw new AgentError('unknown-channel', `No channel ${outgoing.place.channel} here.`);
    const message = messageFor(outgoing, conversationId);
    if (outgoing.type === 'redraw') {
      if (channel.update === undefined) return undefined;
      this.#hurry(); // the question's own id may still wait to be marked
      await this.#flushing;
      const sentId = await this.#house.store.sentAs(conversationId, outgoing.ask.id);
      if (sentId !== null) await this.#inTime(channel.update(sentId, message), outgoing.place.channel);
      return undefined;
    }
    const sentId = await this.#inTime(channel.send(message), outgoing.place.channel);
    const redraws = outgoing.type === 'question' && channel.update !== undefined && typeof sentId === 'string';
    return redraws ? { name: outgoing.ask.id, id: sentId } : undefined;
  }

  /** A send that does not come back has failed; should it succeed later, the person sees it twice. */
  async #inTime<T>(sending: Promise<T>, channel: string): Promise<T> {
    const { clock, settings } = this.#house;
    let cancel: () => void = () => {};
    const overdue = new Promise<never>((_, reject) => {
      cancel = clock.after(settings.sendLimit, () => {
        reject(new Error(`Channel ${channel} did not send within ${settings.sendLimit} ms (settings.sendLimit).`));
      });
    });
    return Promise.race([sending, overdue]).finally(cancel);
  }

  async #failed(conversationId: string, outgoing: Outgoing, error: unknown): Promise<void> {
    const { settings } = this.#house;
    const tries = (outgoing.tries ?? 0) + 1;
    const failure = failureOf(error);
    const about = { conversationId, key: outgoing.key, channel: channelOf(outgoing) };
    this.#house.emit('deliveryFailed', { ...about, tries, failure });
    const wait = settings.deliveries[tries - 1];
    if (wait !== undefined || outgoing.type === 'forward') {
      const again = {
        in: wait ?? (settings.deliveries.at(-1) as number),
        data: JSON.stringify({ ...outgoing, tries }),
      };
      this.#mark({ ...about, again });
      return;
    }
    this.#house.logger.error('An output could not be delivered and was given up', { ...about, tries, failure });
    try {
      if (outgoing.type === 'question') {
        const entry: Entry = { type: 'undeliverable', askId: outgoing.ask.id, failure };
        await this.#record(conversationId, `undeliverable:${outgoing.key}`, entry);
      }
      this.gone(conversationId, about);
    } catch (cause) {
      // not recorded, so not given up: the loan runs out and somebody tries once more
      this.#house.logger.warn('Giving up a delivery could not be recorded', { ...about, failure: failureOf(cause) });
    }
  }

  #mark(mark: Mark): void {
    this.#marks.push(mark);
    this.#flushing ??= this.#flush();
  }

  /** Gathers marks for a moment, so that many cost one round trip; ends when none are left. */
  async #flush(): Promise<void> {
    const { clock, settings, store } = this.#house;
    while (this.#marks.length > 0) {
      if (this.#hurried === 0) {
        await new Promise<void>((resolve) => {
          const cancel = clock.after(settings.markDelay, resolve);
          this.#hurry = () => {
            cancel();
            resolve();
          };
        });
      }
      const marks = this.#marks;
      this.#marks = [];
      try {
        await persistently(this.#house, 'sent', settings.loan / 2, () => store.sent(marks));
      } catch (error) {
        this.#house.logger.warn('Sent outputs could not be marked; they may go out twice', {
          failure: failureOf(error),
        });
      }
    }
    this.#flushing = undefined;
  }
}

function outgoingOf(lent: Lent): Outgoing | undefined {
  try {
    const value = JSON.parse(lent.data) as Partial<Outgoing & { place: unknown }> | null;
    const known = value?.type === 'forward' ? value.entry !== undefined : value?.place !== undefined;
    return known && value?.key === lent.key ? (value as Outgoing) : undefined;
  } catch {
    return undefined;
  }
}

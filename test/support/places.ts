/**
 * What tests of questions in several places share: channels that can and cannot draw again, and people who answer by a control.
 */
import type { Channel, Desk, Json, OutgoingMessage, Participant } from '../../src/index.js';
import { settle } from './engine.js';

/** A channel without `update`. */
export class Mail implements Channel {
  readonly name: string;
  readonly sent: OutgoingMessage[] = [];
  desk: Desk | undefined;
  onSend: (message: OutgoingMessage) => void | Promise<void> = () => {};
  #pressed = 0;

  constructor(name = 'mail') {
    this.name = name;
  }

  start(desk: Desk): void {
    this.desk = desk;
  }

  async send(message: OutgoingMessage): Promise<string | undefined> {
    await this.onSend(message);
    this.sent.push(message);
    return undefined;
  }

  conversationFor(to: Json): string {
    return `${this.name}:${String(to)}`;
  }

  /** What was sent to an address, in order. */
  texts(to: Json): string[] {
    return this.sent.filter(({ address }) => address === to).map(({ text }) => text);
  }

  /** Somebody presses a control of the last question that was sent to this address; `from` is how their platform names it. */
  async presses(to: Json, choice: string, participant: Participant, from: Json = to): Promise<void> {
    const { conversationId, ask } =
      this.sent.findLast((message) => message.address === to && message.ask !== undefined) ?? {};
    if (conversationId === undefined || ask === undefined) throw new Error(`No question was sent to ${String(to)}.`);
    this.#pressed += 1;
    const id = `${this.name}-press-${this.#pressed}`;
    const message = { id, conversationId, askId: ask.id, choice, text: choice, participant, address: from };
    this.desk?.receive(message).catch(() => {});
    await settle();
  }

  /** Somebody writes in a conversation of this channel. */
  async writes(
    to: Json,
    text: string,
    participant: Participant,
    conversationId = this.conversationFor(to),
  ): Promise<void> {
    this.#pressed += 1;
    await this.desk?.receive({
      id: `${this.name}-text-${this.#pressed}`,
      conversationId,
      text,
      participant,
      address: to,
    });
    await settle();
  }
}

/** A channel that draws posts again. */
export class Board extends Mail {
  /** What each post shows now, by its address. */
  readonly posts: { readonly to: Json; status: string; drawn: number }[] = [];

  constructor(name = 'board') {
    super(name);
  }

  override async send(message: OutgoingMessage): Promise<string | undefined> {
    await super.send(message);
    if (message.ask === undefined) return undefined;
    this.posts.push({ to: message.address, status: message.ask.status, drawn: 0 });
    return `${this.posts.length - 1}`;
  }

  async update(sentId: string, { ask }: OutgoingMessage): Promise<void> {
    const post = this.posts[Number(sentId)];
    if (post === undefined || ask === undefined) throw new Error(`There is no post ${sentId}.`);
    post.status = ask.status;
    post.drawn += 1;
  }

  /** What the posts at an address show, in the order in which they were sent. */
  shows(to: Json): string[] {
    return this.posts.filter((post) => post.to === to).map(({ status }) => status);
  }
}

export const ann: Participant = { id: 'web:ann', name: 'Ann' };
export const ben: Participant = { id: 'staff:ben', name: 'Ben', roles: ['manager'] };
export const cleo: Participant = { id: 'staff:cleo', name: 'Cleo', roles: ['manager'] };
export const dan: Participant = { id: 'staff:dan', name: 'Dan' };

/**
 * The inbox as a channel: where to put a question that is for nobody's chat, but for whoever decides in the inbox. It pushes nothing and
 * takes no messages; answers come by the inbox.
 */
import { checkOptions, nonBlank, type OptionRules, optional } from '../core/check-options.js';
import { badOption } from '../core/errors.js';
import { describe } from '../core/ids.js';
import type { Json } from '../core/json.js';
import type { Channel } from './port.js';

/** The options of an `InboxChannel`. */
export interface InboxChannelOptions {
  /**
   * The name of the channel, for `via` and `sendTo`.
   *
   * @default 'inbox'
   */
  readonly name?: string;
}

const rules = { name: optional(nonBlank(), 'inbox') } satisfies OptionRules<InboxChannelOptions>;

/**
 * Questions for whoever decides in the inbox: `via: { channel: 'inbox', to: 'order-12345' }`. `to` names the case, in your own words; each
 * case is a conversation of its own. Whoever waits elsewhere is told by `sendTo`.
 *
 * @example
 * import { agent, AgentRegistry, confirm } from 'askback';
 * import { InboxChannel } from 'askback/server';
 *
 * const shop = agent('shop');
 * const approve = shop.question('approve', confirm('Refund 48 EUR?'), {
 *   answerableBy: { roles: ['manager'] },
 *   onAnswer: (yes) => (yes ? 'Refunded.' : 'Refused.'),
 * });
 * shop.onMessage(({ ask }) => ask(approve, { via: { channel: 'inbox', to: 'order-12345' } }));
 * const registry = new AgentRegistry({ agents: [shop], channels: [new InboxChannel()] });
 */
export class InboxChannel implements Channel {
  /** The name of the channel. */
  readonly name: string;
  /** The inbox reads the conversation. */
  readonly isFetched = true;

  constructor(options: InboxChannelOptions = {}) {
    this.name = checkOptions('InboxChannel', options, rules, "{ name: 'inbox' }").name;
  }

  /** Nothing comes in by it. */
  start(): void {}

  /** Nothing is pushed. */
  async send(): Promise<void> {}

  /** The conversation of a case. */
  conversationFor(to: Json): string {
    if (typeof to === 'string' && to !== '') return `${this.name}:${to}`;
    throw badOption(
      `A question in the inbox needs a name for its case, such as via: { channel: '${this.name}', to: 'order-12345' }, got ${describe(to)}.`,
    );
  }
}

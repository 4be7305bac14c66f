/**
 * Outputs on their way to the outbox: which go out at all, and who may send them.
 */

import type { Outgoing } from '../../core/conversation/outgoing.js';
import { channelOf } from '../../core/conversation/outgoing.js';
import { writeOutgoing } from '../../core/format/document.js';
import type { Output } from '../../stores/port.js';
import type { RegistryContext } from '../context.js';
import { handleChannel } from '../context.js';
import { savedHint } from '../waiters.js';
import type { Delivery } from './delivery.js';
import type { SaidOutputs } from './said-outputs.js';

export class OutboxWriter {
  readonly #context: RegistryContext;
  readonly #delivery: Delivery;
  readonly #said: SaidOutputs;

  constructor(context: RegistryContext, delivery: Delivery, said: SaidOutputs) {
    this.#context = context;
    this.#delivery = delivery;
    this.#said = said;
  }

  /** Nothing is sent where nobody reads or the reader fetches it, and a redraw only where a channel can draw again, or people are told. */
  goesOut(output: Outgoing): boolean {
    if (output.type === 'forward') return true;
    if (output.place.trigger || output.place.channel === '' || output.place.channel === handleChannel) return false;
    if (output.type !== 'redraw' || output.told !== undefined) return true;
    const channel = this.#context.channels.get(output.place.channel);
    return channel === undefined || channel.update !== undefined;
  }

  stored(output: Outgoing): Output {
    const to = this.#delivery.sends(output) ? 'saver' : 'anyone';
    return { key: output.key, channel: channelOf(output), data: writeOutgoing(output), to };
  }

  /**
   * After the save: sends what this process can, and tells the others of the rest, and those who follow the conversation on a channel
   * that is fetched from. `withdrawn` is what the save took back, `shownOn` the channels of what else it wrote into the history.
   */
  send(
    conversationId: string,
    outputs: readonly Outgoing[],
    {
      withdrawn = [],
      shownOn = [],
    }: { readonly withdrawn?: readonly string[]; readonly shownOn?: readonly string[] } = {},
  ): void {
    const { store, channels } = this.#context;
    if (withdrawn.length > 0) this.#delivery.withdrawn(conversationId, withdrawn);
    this.#delivery.send(conversationId, outputs);
    const isFetched = (name: string): boolean => channels.get(name)?.isFetched === true;
    if (outputs.some((output) => !this.#delivery.sends(output))) store.hint({ conversationId, unsent: true });
    else if (shownOn.some(isFetched) || outputs.some((output) => isFetched(channelOf(output))))
      store.hint({ conversationId, entryId: savedHint });
    this.#said.changed(conversationId);
  }
}

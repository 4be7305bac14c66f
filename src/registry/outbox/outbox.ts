/**
 * Outputs on their way to the outbox: which go out at all, and who may send them.
 */

import type { Outgoing } from '../../core/conversation/outgoing.js';
import { channelOf } from '../../core/conversation/outgoing.js';
import { writeOutgoing } from '../../core/format/document.js';
import type { Output } from '../../stores/port.js';
import type { RegistryContext } from '../context.js';
import { handleChannel } from '../context.js';
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

  /** Nothing is sent where nobody reads or the reader fetches it, and a redraw only where a channel can draw again. */
  goesOut(output: Outgoing): boolean {
    if (output.type === 'forward') return true;
    if (output.place.trigger || output.place.channel === '' || output.place.channel === handleChannel) return false;
    if (output.type !== 'redraw') return true;
    const channel = this.#context.channels.get(output.place.channel);
    return channel === undefined || channel.update !== undefined;
  }

  stored(output: Outgoing): Output {
    const to = this.#delivery.sends(output) ? 'saver' : 'anyone';
    return { key: output.key, channel: channelOf(output), data: writeOutgoing(output), to };
  }

  /** After the save: sends what this process can, and tells the others of the rest. `withdrawn` is what the save took back. */
  send(conversationId: string, outputs: readonly Outgoing[], withdrawn: readonly string[] = []): void {
    if (withdrawn.length > 0) this.#delivery.withdrawn(conversationId, withdrawn);
    this.#delivery.send(conversationId, outputs);
    if (outputs.some((output) => !this.#delivery.sends(output)))
      this.#context.store.hint({ conversationId, unsent: true });
    this.#said.changed(conversationId);
  }
}

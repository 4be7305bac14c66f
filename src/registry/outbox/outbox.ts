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

export class OutboxWriter {
  readonly #context: RegistryContext;
  readonly #delivery: Delivery;

  constructor(context: RegistryContext, delivery: Delivery) {
    this.#context = context;
    this.#delivery = delivery;
  }

  /** Nothing is sent where nobody reads, and a redraw only where a channel can draw again. */
  goesOut(output: Outgoing): boolean {
    if (output.type === 'forward') return true;
    if (output.place.trigger || output.place.channel === '') return false;
    if (output.type !== 'redraw') return true;
    if (output.place.channel === handleChannel) return false;
    const channel = this.#context.channels.get(output.place.channel);
    return channel === undefined || channel.update !== undefined;
  }

  /** As it is stored. `awaitedBy` is the entry whose sender waits for what is handed back instead of sent. */
  stored(output: Outgoing, awaitedBy: string | undefined): Output {
    const channel = channelOf(output);
    const to = channel === handleChannel ? 'puller' : this.#delivery.sends(output) ? 'saver' : 'anyone';
    const awaited = to === 'puller' && awaitedBy !== undefined;
    return { key: output.key, channel, data: writeOutgoing(awaited ? { ...output, awaitedBy } : output), to };
  }

  /** After the save: sends what this process can, and tells the others of the rest. `withdrawn` is what the save took back. */
  send(conversationId: string, outputs: readonly Outgoing[], withdrawn: readonly string[] = []): void {
    if (withdrawn.length > 0) this.#delivery.withdrawn(conversationId, withdrawn);
    this.#delivery.send(conversationId, outputs);
    if (outputs.some((output) => !this.#delivery.sends(output) && channelOf(output) !== handleChannel)) {
      this.#context.store.hint({ conversationId, unsent: true });
    }
  }
}

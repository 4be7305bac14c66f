/**
 * Stands for an agent where an ask has none: somebody waits for the outcome, or nobody does.
 */
import { saysSomething } from '../../core/text.js';
import { waitingAgent } from '../context.js';
import type { RegisteredAgent, Served } from '../turn/agent-port.js';
import { attach, serve } from '../turn/agent-port.js';
import { handleReply, tellAnswered } from '../turn/reply.js';
import type { Turn } from '../turn/turn.js';

/** Reads the replies to asks that somebody waits for: the decision is all that is needed. */
export class WaitingAgent implements RegisteredAgent {
  readonly name = waitingAgent;

  [attach](): void {}

  async [serve](turn: Turn): Promise<Served> {
    const { reading } = turn;
    if (reading.type !== 'reply') return undefined;
    const type = turn.context.answerTypes.get(reading.ask.question.kind);
    return handleReply<unknown>(turn, reading.ask.id, turn.message, {
      type,
      judge: async (_, reply) => saysSomething(reply),
      onSufficient: (value) => tellAnswered(turn, value, type),
      onExhausted: async () => undefined,
    });
  }
}

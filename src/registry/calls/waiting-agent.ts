/**
 * Stands for an agent where an ask has none: somebody waits for the outcome, or nobody does.
 */
import { waitingAgent } from '../context.js';
import type { RegisteredAgent, Served } from '../turn/agent-port.js';
import { attach, serve } from '../turn/agent-port.js';
import { handleAwaited, judgedByWords } from '../turn/reply.js';
import type { Turn } from '../turn/turn.js';

/** Reads the replies to asks that somebody waits for: the decision is all that is needed. */
export class WaitingAgent implements RegisteredAgent {
  readonly name = waitingAgent;

  [attach](): void {}

  async [serve](turn: Turn): Promise<Served> {
    const { reading } = turn;
    if (reading.type !== 'reply') return undefined;
    const type = turn.context.answerTypes.get(reading.ask.question.kind);
    return handleAwaited(turn, reading.ask, { type, judge: judgedByWords });
  }
}

/**
 * What is remembered of a conversation for people to read: each message, each thing said, each decision, once.
 */
import type { Ask, AskStatus } from './ask.js';
import type { Disposition } from './entry.js';
import { given } from './given.js';
import type { Participant } from './participant.js';

export type HistoryItem =
  | {
      readonly type: 'in';
      readonly at: number;
      readonly entry: string;
      readonly text: string;
      readonly channel?: string;
      readonly participant?: Participant;
      readonly disposition: Disposition;
    }
  | {
      readonly type: 'out';
      readonly at: number;
      readonly key: string;
      readonly text: string;
      readonly channel: string;
      readonly askId?: string;
    }
  | {
      readonly type: 'decision';
      readonly at: number;
      readonly askId: string;
      readonly status: AskStatus;
      readonly agent: string;
      readonly entry: string;
      readonly by?: Participant;
    }
  | {
      readonly type: 'note';
      readonly at: number;
      readonly entry: string;
      readonly text: string;
      readonly disposition: Disposition;
      readonly by?: Participant;
    };

/** The decision of an ask as it is remembered; none if it is not decided. */
export function decisionOf({ id, status, agentName, decision }: Ask): HistoryItem[] {
  if (decision === undefined) return [];
  const { at, entry, by } = decision;
  return [given({ type: 'decision' as const, at, askId: id, status, agent: agentName, entry, by })];
}

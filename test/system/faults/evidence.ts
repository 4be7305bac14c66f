/**
 * What a run leaves behind for the checker: the history that all processes wrote, the calls that reached the world
 * outside, and a last look through the public API and the store.
 */
import type { Disposition } from '../../../src/core/conversation/entry.js';
import type { HistoryItem } from '../../../src/core/conversation/history.js';
import type { Call } from '../../support/replica/world.js';

interface Line {
  readonly by: string;
}

export interface ClaimSeen {
  readonly token: string;
  readonly revision: number;
  readonly incarnation: string;
  readonly attempt: number;
  readonly decisions: readonly DecisionSeen[];
}

export interface DecisionSeen {
  readonly askId: string;
  readonly status: string;
  readonly answer?: string;
  readonly asker?: string;
  readonly answerableBy: 'asker' | 'anyone' | readonly string[] | { readonly roles: readonly string[] };
  readonly decision: {
    readonly entry: string;
    readonly at: number;
    readonly by?: { readonly id: string; readonly roles?: readonly string[] };
  };
}

/** One line of the history, in the order in which all processes wrote. */
export type Event =
  | (Line & { readonly what: 'sending' | 'acknowledged'; readonly conversationId: string; readonly id: string })
  /** Acknowledged, and handed over to one process in this order without waiting in between. */
  | (Line & { readonly what: 'together'; readonly conversationId: string; readonly ids: readonly string[] })
  | (Line & {
      readonly what: 'take';
      readonly conversationId: string;
      readonly entryId?: string;
      readonly entry?: 'recorded' | 'repeat' | 'full';
      readonly claim?: ClaimSeen;
    })
  | (Line & {
      readonly what: 'save';
      readonly conversationId: string;
      readonly token: string;
      readonly call: string;
      readonly revision: number;
      readonly saved: boolean;
      readonly decisions?: readonly DecisionSeen[];
      readonly next?: ClaimSeen;
    })
  | (Line & { readonly what: 'paying'; readonly conversationId: string; readonly key: string })
  | (Line & {
      readonly what: 'event';
      readonly event: string;
      readonly conversationId?: string;
      readonly entryId?: string;
      readonly disposition?: Disposition;
    })
  | (Line & { readonly what: 'crash'; readonly error: string });

/** An ask as getAsk() tells it, after a journey as JSON. */
export interface FinalAsk {
  readonly id: string;
  readonly status: string;
  readonly answer?: string;
  readonly value?: unknown;
  readonly quorum?: number;
  readonly votes?: readonly { readonly by: { readonly id: string }; readonly value: boolean }[];
  readonly retries: number;
  readonly maxRetries: number;
  readonly expiresAt?: string;
  readonly decidedAt?: string;
  readonly effectKey: string;
}

export interface FinalConversation {
  readonly id: string;
  readonly items: readonly HistoryItem[];
  readonly asks: readonly FinalAsk[];
  /** Entries that wait for a person, and the asks they had decided. */
  readonly parked: readonly { readonly entryId: string; readonly askId?: string }[];
  readonly held: boolean;
  readonly begun: boolean;
  readonly queue: number;
}

export interface Evidence {
  readonly events: readonly Event[];
  readonly calls: readonly Call[];
  readonly conversations: readonly FinalConversation[];
  /** Outputs that were never marked as sent. */
  readonly unsent: number;
}

export interface Expected {
  /** So many answers must have been accepted at least: nothing passes by refusing everything. */
  readonly accepted: number;
  /** Conversations that Redis itself lost something of, where what was acknowledged may be gone. Default: none. */
  readonly lost?: (conversationId: string) => boolean;
}

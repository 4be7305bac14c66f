/** What the channel itself says. Questions, options and notices come from the agent and the wording of its language. */
import type { PublicPendingAsk } from '../../core/ask/ask.js';

export const chatTexts = {
  empty: '(no text)',
  openPage: 'Open the page',
  openUntil: (at: string) => `Open until ${at}`,
  votes: (given: number, needed: number) => `${given} of ${needed} votes`,
  /** Instead of controls: whoever decides must have seen all of it. */
  tooLong: 'This is too long to be shown here in full, so it cannot be answered here.',
  over: (status: PublicPendingAsk['status'], by: string | undefined): string => {
    const who = by === undefined || by === '' ? '' : ` by ${by}`;
    if (status === 'answered') return `Answered${who}`;
    if (status === 'declined') return `Declined${who}`;
    if (status === 'cancelled') return `Cancelled${who}`;
    return status === 'expired' ? 'Expired' : 'Closed without an answer';
  },
} as const;

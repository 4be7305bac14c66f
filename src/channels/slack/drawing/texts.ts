/** What the channel itself says on Slack. Questions, options and notices come from the agent and the wording of its language. */
import type { PublicPendingAsk } from '../../../core/ask/ask.js';

export const texts = {
  answer: 'Answer',
  send: 'Send',
  cancel: 'Cancel',
  time: (label: string) => `${label} (time)`,
  pick: 'Pick one',
  pickSeveral: 'Pick',
  openPage: 'Open the page',
  empty: '(no text)',
  openUntil: 'Open until',
  secret: 'Use the button: what is written in a channel is seen by everybody in it.',
  votes: (given: number, needed: number) => `${given} of ${needed} votes`,
  /** Instead of controls: whoever decides must have seen all of it. */
  tooLong: 'This is too long to be shown here in full, so it has no buttons here.',
  noControls: 'This cannot be answered by a button here. Write the answer as a reply.',
  over: (status: PublicPendingAsk['status'], by: string | undefined): string => {
    const who = by === undefined ? '' : ` by ${by}`;
    if (status === 'answered') return `Answered${who}`;
    if (status === 'declined') return `Declined${who}`;
    if (status === 'cancelled') return `Cancelled${who}`;
    return status === 'expired' ? 'Expired' : 'Closed without an answer';
  },
} as const;

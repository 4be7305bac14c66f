/**
 * Results for the model where there is no answer. Every sentence says what happened and what to do now; none can be
 * read as an answer, a consent or a success. No person reads these.
 */
import type { AskStatus } from '../core/ask/ask.js';

const noAnswer = 'This is neither an answer nor a consent: do nothing that needed one. Go on without it, or stop.';
const notDone = 'The action was NOT carried out.';
const noMore = 'Do not try it again, not with other arguments and not by another way.';

type Unanswered = Exclude<AskStatus, 'answered'>;
type WhyUnanswered = Unanswered | 'undeliverable';

const withoutAnswer: Record<WhyUnanswered, string> = {
  declined: 'The person declined to answer.',
  exhausted: 'The replies did not fit the question, and it was closed without an answer.',
  expired: 'Nobody answered before the question expired.',
  cancelled: 'Nobody answered in time, or the question was withdrawn.',
  undeliverable: 'The question could not be delivered, so it has no answer.',
  pending: 'Nobody has answered yet.',
};

const withoutApproval: Record<WhyUnanswered, string> = {
  declined: 'The person declined to decide.',
  exhausted: 'The replies were no decision, and the question was closed.',
  expired: 'Nobody decided before the question expired.',
  cancelled: 'Nobody decided in time, or the question was withdrawn.',
  undeliverable: 'The question could not be delivered, so there is no decision.',
  pending: 'Nobody has decided yet.',
};

/** The reason of the cancel of an ask whose last reply in a form did not fit: a form costs no attempt, so the ask is never exhausted by it. */
export const noneFitted = 'No reply in the form fitted the question.';

/** Returns what happened, which for a cancelled ask may be in its reason: it could not be delivered, or no reply fitted. */
function endingOf(status: Unanswered, reason: string | undefined): WhyUnanswered {
  if (status === 'cancelled' && reason === 'undeliverable') return reason;
  return status === 'cancelled' && reason === noneFitted ? 'exhausted' : status;
}

export const unanswered = (status: Unanswered, reason?: string): string =>
  `${withoutAnswer[endingOf(status, reason)]} ${noAnswer}`;

/** For a call whose ask is unknown or another call's, or is not cancelled yet. */
export const interrupted = `The call was interrupted before there was an answer. ${noAnswer}`;

export const notAsked = (problem: string): string => `Nothing was asked. ${problem} Correct the call and try again.`;

export const nobodyThere = {
  reject: `Nobody can be asked in this run, so the question was not asked. ${noAnswer}`,
  deny: 'Nobody can be asked in this run, and that counts as a refusal. Do nothing that needed an answer, and do not ask again.',
} as const;

const again = 'You asked this before in this run, so it was not asked again.';

export const askedBefore = (result: string): string => `${again} The result was: ${result}`;

/** For a question whose result this run does not know: it is open, or was answered where the run began. */
export const askedElsewhere = `${again} Its result is that of the first call, which a person may not have answered yet.`;

export function limitReached(limit: number): string {
  const questions = limit === 1 ? 'one question' : `${limit} questions`;
  return `The limit of ${questions} in this run is reached, so this was not asked. Go on with what you know, or stop. Do not ask again.`;
}

export const denied = `A person denied this. ${notDone} ${noMore} Go on without it, or ask what to do instead.`;

export const undecided = (status: Unanswered, reason?: string): string =>
  `${withoutApproval[endingOf(status, reason)]} ${notDone} This is no permission. ${noMore}`;

export const approvalInterrupted = `The call was interrupted before there was a decision. ${notDone} This is no permission.`;

export const nobodyDecides = {
  reject: `It needs a person's approval, and nobody can be asked in this run. ${notDone} ${noMore}`,
  deny: `It needs a person's approval, and without anybody there it counts as denied. ${notDone} ${noMore}`,
} as const;

export const changed = `The arguments are not those that a person was asked about, so the approval is void. ${notDone} Call it again with the arguments you mean; a person will be asked about them.`;

export const ranOut =
  'This approval has run out. Nothing was carried out now. Call it again, and a person will be asked.';

/** Whether the earlier use was completed is unknown here. */
export const usedUp =
  'This approval has been used already, so the action has most likely been carried out. It was NOT carried out again. ' +
  'Do not call it again unless you know that it had no effect; a person would be asked once more.';

export const notStorable = (problem: string): string => `${problem} ${notDone} Correct the arguments and try again.`;

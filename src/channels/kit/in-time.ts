/**
 * The time limit of an acknowledgement. A platform that gets no response in time sends its request again, so the channel answers "not now"
 * before that. The work is not cancelled: the repeat finds it recorded.
 */
import { type Clock, within } from '../../machine/clock.js';
import { refusal } from '../http.js';

/** Slack and Discord wait for three seconds. In ms. */
const acknowledgeWithin = 2_500;

/** Resolves with the result of the work. If it takes too long, resolves with what `otherwise` returns, or rejects with the status 503. */
export function acknowledgedInTime<T>(clock: Clock, work: Promise<T>, otherwise?: () => T | undefined): Promise<T> {
  return within(clock, acknowledgeWithin, work, () => {
    const response = otherwise?.();
    if (response !== undefined) return response;
    throw refusal(503, `It was not recorded within ${acknowledgeWithin} ms. Send it again.`, 'store-unavailable');
  });
}

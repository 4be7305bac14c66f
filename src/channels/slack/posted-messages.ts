/**
 * Finds a message of ours on Slack by the key in its metadata: for a process that posted it and died before it had noted the id. It reads a
 * bounded number of messages, and keeps none.
 */
import { failureOf } from '../../core/errors.js';
import { isNotPermitted, type SlackMessageId, type SlackPlace } from './api.js';
import { keyIn } from './drawing/action-data.js';
import type { SlackParts } from './parts.js';
import { isBySelf } from './people.js';

/** How much earlier than it was asked, by the store's clock, a question may have been posted by Slack's, in ms. */
const clockDifference = 5 * 60_000;

export class PostedMessages {
  readonly #parts: SlackParts;
  #isTold = false;

  constructor(parts: SlackParts) {
    this.#parts = parts;
  }

  /**
   * The message with this key among those since `askedAt`; undefined if there is none, or if the app may not read them, which is logged
   * once. Rejects if Slack cannot be asked now. Anybody can post metadata that looks like ours: only a message of our own counts.
   */
  async find(place: SlackPlace, key: string, askedAt: Date | undefined): Promise<SlackMessageId | undefined> {
    const { name, api, people, logger } = this.#parts;
    const { team, channel } = place;
    const since = askedAt === undefined ? 0 : Math.max(0, askedAt.getTime() - clockDifference);
    try {
      const self = await people.self(team);
      const found = await api.firstMessage(
        place,
        since,
        (each) => keyIn(each.metadata) === key && isBySelf(each, self),
      );
      return found?.ts === undefined ? undefined : { team, channel, ts: found.ts };
    } catch (error) {
      if (!isNotPermitted(error)) throw error;
      if (!this.#isTold)
        logger.warn(
          'The Slack app may not read its channels, so a question is posted twice if a process dies between posting and noting it. Give the app the scopes of slackManifest()',
          { channel: name, failure: failureOf(error) },
        );
      this.#isTold = true;
      return undefined;
    }
  }
}

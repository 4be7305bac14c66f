/** What the parts of a Slack channel share. The channel makes it once. */
import type { Logger } from '../../core/events.js';
import type { Clock } from '../../machine/clock.js';
import type { SlackApi } from './api.js';
import type { ThreadRoots } from './incoming/thread-roots.js';
import type { SlackPeople } from './people.js';

export interface SlackParts {
  /** The name of the channel. */
  readonly name: string;
  /** The options of the same names. */
  readonly team: string | undefined;
  readonly appId: string | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly api: SlackApi;
  readonly people: SlackPeople;
  readonly roots: ThreadRoots;
}

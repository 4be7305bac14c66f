/**
 * A bridge for apps that run on Bolt: what Bolt has received and checked is handed to the channel. It needs nothing of Bolt but the shape of
 * its middleware.
 */
import type { SlackChannel } from './channel.js';
import { isOwnControl, modalCallback } from './drawing/action-data.js';
import { recordOf } from './untyped.js';

/** What Bolt gives to a middleware, as far as it is used here. */
export interface BoltMiddlewareArgs {
  /** The payload as Slack sent it. */
  readonly body: unknown;
  /** Acknowledges an interaction. Bolt acknowledges events itself. */
  readonly ack?: unknown;
  /** Goes on with the next middleware. */
  readonly next: () => Promise<void>;
}

/**
 * A global middleware for Bolt: `app.use(boltMiddleware(slack))`. Messages go to the channel and to your own listeners; buttons and modals
 * of the channel go to it alone. Give Bolt `processBeforeResponse: true`, so that an event is acknowledged only once it is recorded.
 *
 * @example
 * import { boltMiddleware, SlackChannel } from 'askback/channels/slack';
 *
 * const slack = new SlackChannel({
 *   signingSecret: process.env.SLACK_SIGNING_SECRET ?? '',
 *   token: process.env.SLACK_BOT_TOKEN ?? '',
 * });
 * const middleware = boltMiddleware(slack); // app.use(middleware)
 */
export function boltMiddleware(channel: SlackChannel): (args: BoltMiddlewareArgs) => Promise<void> {
  return async ({ body, ack, next }) => {
    if (isOwnInteraction(body)) {
      const reply = await channel.accept(body);
      if (typeof ack === 'function') await (ack as (reply?: unknown) => Promise<void>)(reply);
      return;
    }
    if (isEvent(body)) await channel.accept(body);
    await next();
  };
}

function isEvent(body: unknown): boolean {
  return recordOf(body)['type'] === 'event_callback';
}

/** Whether a control or a modal is one that the channel has drawn. */
function isOwnInteraction(body: unknown): boolean {
  const { type, actions, view } = recordOf(body);
  if (type === 'view_submission') return recordOf(view)['callback_id'] === modalCallback;
  return type === 'block_actions' && Array.isArray(actions) && actions.some((action) => isOwnControl(recordOf(action)));
}

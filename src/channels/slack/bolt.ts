/**
 * A bridge for apps that run on Bolt: what a receiver of Bolt has checked is handed to the channel before Bolt acknowledges it. It needs
 * nothing of Bolt but `processEvent`, which every receiver calls.
 */
import { AgentError } from '../../core/errors.js';
import { describeKind } from '../../core/ids.js';
import type { SlackChannel } from './channel.js';
import { isOwnControl, modalCallback } from './drawing/action-data.js';
import type { SlackReply } from './incoming/receiver.js';
import { recordOf } from './untyped.js';

/** What a receiver of Bolt gives to its app, as far as it is used here. */
export interface BoltEvent {
  /** The payload as Slack sent it. */
  readonly body: unknown;
  /** Acknowledges it. */
  readonly ack: (reply?: SlackReply) => Promise<void>;
}

/** An app of Bolt, as far as it is used here. */
export interface BoltApp {
  /** Handles what a receiver has checked. A rejection is answered with 5xx, or not acknowledged over Socket Mode. */
  processEvent(event: BoltEvent): Promise<void>;
}

/**
 * Connects a channel with an app that runs on Bolt, whichever receiver it has: `connectBolt(app, slack)`. Messages go to the channel and then
 * to your own listeners; buttons and modals of the channel go to it alone. What the channel has not recorded is not acknowledged.
 *
 * It stands before Bolt's middleware, because that is run after a message was acknowledged, and an error handler of the app may hide that
 * it failed.
 *
 * @example
 * import { App } from '@slack/bolt';
 * import { connectBolt, SlackChannel } from 'askback/channels/slack';
 *
 * const signingSecret = process.env.SLACK_SIGNING_SECRET ?? '';
 * const token = process.env.SLACK_BOT_TOKEN ?? '';
 * const slack = new SlackChannel({ signingSecret, token });
 * connectBolt(new App({ signingSecret, token }), slack);
 */
export function connectBolt(app: BoltApp, channel: SlackChannel): void {
  if (typeof recordOf(app)['processEvent'] !== 'function')
    throw new AgentError(
      'bad-option',
      `connectBolt(app, slack): app must be an App of @slack/bolt, got ${describeKind(app)} without processEvent().`,
    );
  const process = app.processEvent.bind(app);
  app.processEvent = async (event) => {
    const { body, ack } = event;
    if (isOwnInteraction(body)) return ack(await channel.accept(body));
    if (isEvent(body)) await channel.accept(body);
    return process(event);
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

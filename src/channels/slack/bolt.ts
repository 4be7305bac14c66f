/**
 * A bridge for apps that run on Bolt: what a receiver of Bolt has checked is handed to the channel before Bolt acknowledges it. It needs
 * `processEvent` of Bolt, which every receiver calls, and tells in Bolt's log of one that does not.
 */
import { AgentError } from '../../core/errors.js';
import { describeKind } from '../../core/ids.js';
import { recordOf } from '../kit/untyped.js';
import { SlackChannel } from './channel.js';
import { isOwnControl, modalCallback } from './drawing/action-data.js';
import type { SlackReply } from './incoming/receiver.js';

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
  /** Adds what is called for each event after `processEvent`: it notices events that came past the channel. */
  use?(middleware: (args: BoltMiddlewareArgs) => Promise<void>): unknown;
}

/** What Bolt gives to a global middleware, as far as it is used here. */
export interface BoltMiddlewareArgs {
  /** The payload as Slack sent it. */
  readonly body: unknown;
  /** Goes on to the listeners. */
  readonly next: () => Promise<void>;
  /** The log of the app. */
  readonly logger: { error(message: string): void };
}

/** The channel of each app. A second one would take every message once more. */
const connected = new WeakMap<BoltApp, SlackChannel>();

/**
 * Connects a channel with an app that runs on Bolt, whichever receiver it has: `connectBolt(app, slack)`. Messages go to the channel and then
 * to your own listeners; buttons and modals of the channel go to it alone. What the channel has not recorded is not acknowledged.
 *
 * It stands before Bolt's middleware, because that is run after a message was acknowledged, and an error handler of the app may hide that
 * it failed. So a receiver of your own must call `app.processEvent(event)` when an event comes, and keep `app` in its `init(app)`: the method
 * that is kept there, before `connectBolt()`, goes past the channel. The log of Bolt says so when it happens.
 *
 * An app has one channel: a second one is refused, the same one again changes nothing.
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
  if (!isBoltApp(app))
    throw new AgentError(
      'bad-option',
      `connectBolt(app, slack): app must be an App of @slack/bolt, got ${kindOf(app)} without processEvent(). The app comes first, then the channel.`,
    );
  if (!(channel instanceof SlackChannel))
    throw new AgentError(
      'bad-option',
      `connectBolt(app, slack): slack must be a SlackChannel, got ${kindOf(channel)}.`,
    );
  const known = connected.get(app);
  if (known === channel) return;
  if (known !== undefined)
    throw new AgentError(
      'bad-option',
      `connectBolt(app, slack): app is connected with the SlackChannel ${JSON.stringify(known.name)} already, and ${JSON.stringify(channel.name)} would take every message once more. Give each channel an App of its own.`,
    );
  connected.set(app, channel);
  const process = app.processEvent.bind(app);
  const offered = new WeakSet<object>();
  app.processEvent = async (event) => {
    const { body, ack } = event;
    offered.add(recordOf(body));
    if (isOwnInteraction(body)) return ack(await channel.accept(body));
    if (isEvent(body)) await channel.accept(body);
    return process(event);
  };
  tellOfMissed(app, (body) => offered.has(recordOf(body)));
}

/** Bolt's middleware is called also for an event that a receiver has handed to the method of before. */
function tellOfMissed(app: BoltApp, isOffered: (body: unknown) => boolean): void {
  let isTold = false; // the receiver does so with each event
  app.use?.(async ({ body, next, logger }) => {
    if (!isTold && !isOffered(body) && (isEvent(body) || isOwnInteraction(body))) {
      isTold = true;
      logger.error(
        'askback: Bolt handled an event that was not given to the SlackChannel of connectBolt(), so that messages and answers are lost. The receiver of the app must call app.processEvent(event) when an event comes, and not a method that it kept in init().',
      );
    }
    await next();
  });
}

function isBoltApp(value: unknown): value is BoltApp {
  return typeof recordOf(value)['processEvent'] === 'function';
}

function kindOf(value: unknown): string {
  if (value instanceof SlackChannel) return 'a SlackChannel';
  return isBoltApp(value) ? 'an App of Bolt' : describeKind(value);
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

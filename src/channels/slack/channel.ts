/**
 * Slack as a channel: what people write and press comes in signed, and is acknowledged once it is recorded; what is said goes out as
 * messages with controls. It decides nothing, and keeps nothing that another process would need.
 */
import {
  anything,
  boolean,
  type CheckedOptions,
  checkOptions,
  func,
  integer,
  matching,
  nonBlank,
  type OptionRule,
  type OptionRules,
  optional,
  wrongOption,
} from '../../core/check-options.js';
import type { OutgoingMessage } from '../../core/conversation/outgoing.js';
import { AgentError, failureOf } from '../../core/errors.js';
import { consoleLogger, type Logger, safeLogger } from '../../core/events.js';
import { describeKind } from '../../core/ids.js';
import type { Json } from '../../core/json.js';
import { isSafeUrl } from '../../core/loopback.js';
import { type Clock, clockOption, systemClock } from '../../machine/clock.js';
import { assertUnpadded } from '../../machine/secrets.js';
import { errorResponse, jsonResponse, limitedBody, notServed, refusal } from '../http.js';
import { JoinedId } from '../kit/joined-id.js';
import { StartedDesk } from '../kit/started-desk.js';
import { deliverableTo, whisper } from '../kit/undeliverable.js';
import type { Channel, Desk } from '../port.js';
import { wordingIn } from '../wording.js';
import { SlackApi, type SlackContent, type SlackPlace } from './api.js';
import { messageMetadata } from './drawing/action-data.js';
import { drawnMessage } from './drawing/blocks.js';
import { longestQuestion } from './drawing/limits.js';
import { assertSlackType, slackJson } from './incoming/payload.js';
import { SlackReceiver, type SlackReply } from './incoming/receiver.js';
import { signingSecretOption, verifySlackSignature } from './incoming/signature.js';
import { ThreadRoots } from './incoming/thread-roots.js';
import type { SlackParts } from './parts.js';
import { SlackPeople } from './people.js';
import {
  addressTo,
  conversationOf,
  isSlackId,
  participantId,
  type SlackAddress,
  type SlackReach,
  sentToOf,
  storedAddress,
  userOf,
} from './places.js';
import { PostedMessages } from './posted-messages.js';
import { RecentAnswers } from './recent-answers.js';
import { SlackSocket } from './socket-mode.js';
import { TokenTeam } from './token-team.js';

/**
 * The options of a `SlackChannel`.
 *
 * @example
 * import type { SlackOptions } from 'askback/channels/slack';
 *
 * const options: SlackOptions = {
 *   signingSecret: process.env.SLACK_SIGNING_SECRET ?? '',
 *   token: process.env.SLACK_BOT_TOKEN ?? '',
 *   team: 'T012AB3CD',
 * };
 */
export interface SlackOptions {
  /**
   * The name of the channel. It begins the ids of its conversations.
   *
   * @default 'slack'
   */
  readonly name?: string;
  /** The signing secret of the app, from "Basic Information"; several while one is replaced. It is needed, except with `appToken`. */
  readonly signingSecret?: string | readonly string[];
  /** The bot token of the app, `xoxb-…`; or a function that gives the token of a workspace, for an app that several have installed. */
  readonly token: string | ((team: string) => string | Promise<string>);
  /**
   * The app-level token, `xapp-…`: what happens on Slack then comes by Socket Mode, which needs no public address. Needs the package
   * `@slack/socket-mode`.
   */
  readonly appToken?: string;
  /**
   * The workspace of addresses that name none: `to: 'C012AB3CD'` instead of `to: { team: 'T012AB3CD', channel: 'C012AB3CD' }`. `token` must
   * be of this workspace.
   */
  readonly team?: string;
  /** The id of the app, `A…`. Payloads of another app are refused. */
  readonly appId?: string;
  /**
   * True if guests of the workspace may write and answer.
   *
   * @default false
   */
  readonly allowGuests?: boolean;
  /**
   * Whether people of other workspaces may write and answer, in channels that are shared with them: all of them, or those of these
   * workspaces.
   *
   * @default false
   */
  readonly otherTeams?: boolean | readonly string[];
  /** The address of a page that shows an ask, such as the inbox: a question that Slack cannot show in full links to it. */
  readonly inboxUrl?: (askId: string) => string;
  /**
   * The most bytes of a request's body.
   *
   * @default 1_048_576
   */
  readonly bodyBytes?: number;
  /** Another address of Slack's Web API than Slack's own: a proxy by https, or a server on this machine, also by http. */
  readonly apiUrl?: string;
  /**
   * Logs who was refused, and what could not be shown. Never given texts, answers or tokens.
   *
   * @default console
   */
  readonly logger?: Logger;
  /** Time and timers, for tests. */
  readonly clock?: Clock;
}

/** What Slack calls a token that begins like this. No error quotes more of a token. */
function tokenKind(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  if (value.startsWith('xapp-')) return 'an app-level token (xapp-…)';
  if (/^(xoxe\.)?xoxp-/.test(value)) return "a person's token (xoxp-…)";
  if (/^(xoxe\.)?xoxb-/.test(value)) return 'a bot token (xoxb-…)';
  return value.startsWith('xoxe-') ? 'a refresh token (xoxe-…)' : undefined;
}

const tokenOption: OptionRule<SlackOptions['token']> = (value, name) => {
  if (typeof value === 'string') assertUnpadded(value, name);
  const kind = tokenKind(value);
  const isBot = kind === undefined || kind.startsWith('a bot');
  if ((typeof value === 'string' && value !== '' && isBot) || typeof value === 'function')
    return value as SlackOptions['token'];
  throw new AgentError(
    'bad-option',
    `${name} must be the bot token of the app (xoxb-…, from "OAuth & Permissions") or a function that gives it for a workspace, got ${kind ?? describeKind(value)}.`,
  );
};

const appTokenOption: OptionRule<string> = (value, name) => {
  if (typeof value === 'string') assertUnpadded(value, name);
  const kind = tokenKind(value);
  if (typeof value === 'string' && value !== '' && (kind === undefined || kind.startsWith('an app'))) return value;
  throw new AgentError(
    'bad-option',
    `${name} must be the app-level token of the app (xapp-…, from "Basic Information", with the scope connections:write), got ${kind ?? describeKind(value)}.`,
  );
};

const idOption = (letters: string, expected: string): OptionRule<string> =>
  matching(expected, (id) => new RegExp(`^[${letters}][A-Z0-9]+$`).test(id));

const urlOption = matching(
  "an https address such as 'https://slack.com/api/', or http on this machine, because the token is sent there",
  (url) => URL.canParse(url) && isSafeUrl(new URL(url)),
);

const teamsOption: OptionRule<boolean | readonly string[]> = (value, name) => {
  const isList =
    Array.isArray(value) && value.every((each) => typeof each === 'string' && /^[TE][A-Z0-9]+$/.test(each));
  if (typeof value === 'boolean' || isList) return value as boolean | readonly string[]; // looked at
  throw wrongOption(name, 'true, false or a list of workspace ids such as T012AB3CD', value);
};

const rules = {
  name: optional(nonBlank(), 'slack'),
  signingSecret: optional(signingSecretOption),
  token: tokenOption,
  appToken: optional(appTokenOption),
  team: optional(idOption('TE', 'the id of a workspace, such as T012AB3CD')),
  appId: optional(idOption('A', 'the id of a Slack app, such as A012AB3CD')),
  allowGuests: optional(boolean(), false),
  otherTeams: optional(teamsOption, false),
  inboxUrl: optional(func<NonNullable<SlackOptions['inboxUrl']>>()),
  bodyBytes: optional(integer({ min: 1, of: 'bytes' }), 1_048_576),
  apiUrl: optional(urlOption),
  logger: optional(anything<Logger>(), consoleLogger),
  clock: optional(clockOption, systemClock),
} satisfies OptionRules<SlackOptions>;

const sentIds = new JoinedId('/', ['team', 'channel', 'ts']);

/** How long it is remembered which channel the direct messages of a person are in, in ms. */
const directLife = 60 * 60_000;

/**
 * Slack. Mount `fetch` in any server, at one address for events and interactivity; the inbox mounts it under `/channels/slack`. The app
 * itself is set up by the manifest that `slackManifest()` gives. Needs the package `@slack/web-api`.
 *
 * @example
 * import { agent, AgentRegistry, confirm } from 'askback';
 * import { SlackChannel } from 'askback/channels/slack';
 *
 * const slack = new SlackChannel({
 *   signingSecret: process.env.SLACK_SIGNING_SECRET ?? '',
 *   token: process.env.SLACK_BOT_TOKEN ?? '',
 * });
 * const refunds = agent('refunds');
 * const sure = refunds.question('sure', confirm('Refund this order?'), { onAnswer: (yes) => (yes ? 'Refunded.' : 'Left as it is.') });
 * refunds.onMessage(({ ask }) => ask(sure));
 * await new AgentRegistry({ agents: [refunds], channels: [slack] }).start();
 * export default { fetch: slack.fetch };
 */
export class SlackChannel implements Channel {
  /** The name of the channel. */
  readonly name: string;
  /** It draws controls, updates messages, and has threads. */
  readonly can = { buttons: true, edit: true, threads: true };
  /** What is longer cannot be shown in full, and is answered elsewhere. */
  readonly longestQuestion = longestQuestion;
  /** An id as Slack's people have them here. */
  readonly idForm = participantId('T012AB3CD', 'U012AB3CD');
  readonly #options: CheckedOptions<typeof rules>;
  readonly #parts: SlackParts;
  readonly #tokenTeam: TokenTeam;
  readonly #reach: SlackReach;
  readonly #receiver: SlackReceiver;
  readonly #posted: PostedMessages;
  readonly #directChannels: RecentAnswers<string>;
  readonly #desk: StartedDesk;
  #socket: SlackSocket | undefined;

  constructor(options: SlackOptions) {
    this.#options = checkOptions('SlackChannel', options, rules, '{ signingSecret, token }');
    const { name, token, team, clock, apiUrl, appId, allowGuests, otherTeams, signingSecret, appToken } = this.#options;
    if (signingSecret === undefined && appToken === undefined)
      throw new AgentError(
        'bad-option',
        'SlackChannel: signingSecret is needed, else anybody could write as anybody. Slack shows it under Basic Information. For Socket Mode give appToken.',
      );
    this.name = name;
    this.#desk = new StartedDesk('SlackChannel', name);
    const logger = safeLogger(this.#options.logger);
    const api = new SlackApi({ token, clock, apiUrl });
    const people = new SlackPeople({ api, clock, allowGuests, otherTeams, team });
    const parts = { name, team, appId, clock, logger, api, people, roots: new ThreadRoots(api, people, clock) };
    this.#parts = parts;
    this.#reach = { team, otherTeams, isOfOneTeam: api.isOfOneTeam };
    this.#directChannels = new RecentAnswers(clock, directLife);
    this.#tokenTeam = new TokenTeam(parts);
    this.#posted = new PostedMessages(parts);
    this.#receiver = new SlackReceiver(parts);
  }

  /**
   * Begins to take what Slack sends; with `appToken` it connects to Slack. Rejects if a package is missing, or if the token is of another
   * workspace than `team`; not while Slack is down. The registry calls it.
   */
  async start(desk: Desk): Promise<void> {
    this.#desk.assertFree(desk);
    await this.#parts.api.load();
    await this.#tokenTeam.checkAtStart();
    const { appToken, apiUrl, clock, name } = this.#options;
    if (appToken !== undefined && this.#socket === undefined) {
      const accept = (payload: unknown) => this.#receiver.accept(this.#desk.current, payload);
      const socket = new SlackSocket({ appToken, apiUrl, clock, name, logger: this.#parts.logger, accept });
      await socket.start();
      this.#socket = socket;
    }
    this.#desk.begin(desk);
  }

  /** Takes nothing any more. What Slack sends meanwhile it sends again later. */
  async stop(): Promise<void> {
    this.#desk.end();
    const socket = this.#socket;
    this.#socket = undefined;
    await socket?.stop();
  }

  /** Serves a request of Slack, wherever it is mounted. Never rejects. */
  readonly fetch = async (request: Request): Promise<Response> => {
    try {
      if (request.method !== 'POST')
        throw notServed('Only POST is served here: this is the request URL of a Slack app.', ['POST']);
      assertSlackType(request.headers.get('content-type'));
      const { signingSecret, bodyBytes, clock } = this.#options;
      if (signingSecret === undefined)
        throw refusal(
          403,
          'This Slack app comes by Socket Mode. For requests give the channel a signingSecret.',
          'unauthenticated',
        );
      const body = await limitedBody(request, bodyBytes);
      const deliveredAt = verifySlackSignature(signingSecret, request.headers, body, clock.now());
      const reply = await this.#recorded(slackJson(request.headers.get('content-type'), body), deliveredAt);
      return reply === undefined ? new Response(null, { status: 200 }) : jsonResponse(200, reply);
    } catch (error) {
      return errorResponse(error, `SlackChannel ${JSON.stringify(this.name)}`);
    }
  };

  /**
   * Takes a payload that did not come by `fetch`: you have checked that Slack is its sender. Resolves once it is recorded, with what Slack
   * is to be answered; rejects if it is not recorded: do not acknowledge it then.
   */
  async accept(payload: unknown): Promise<SlackReply | undefined> {
    return this.#recorded(payload);
  }

  /** Logs why a payload was not recorded: the response is read by Slack alone. `deliveredAt` is by Slack's clock, where that is known. */
  async #recorded(payload: unknown, deliveredAt?: number): Promise<SlackReply | undefined> {
    try {
      return await this.#receiver.accept(this.#desk.current, payload, deliveredAt);
    } catch (error) {
      const about = { channel: this.name, failure: failureOf(error) };
      this.#parts.logger.warn(
        'What Slack sent was not recorded. Slack is told so, and sends it again up to three times',
        about,
      );
      throw error;
    }
  }

  /** Posts what was said. Resolves with the id of the message, so that it can be updated. */
  async send(message: OutgoingMessage): Promise<string | void> {
    if (message.transient) return; // a message for each step would be noise that stays
    const address = this.#addressOf(message);
    await this.#tokenTeam.checkBeforeSending();
    const place = await this.#placeOf(address);
    const content = this.#drawn(message);
    const only = message.only === undefined ? undefined : userOf(message.only);
    if (message.only !== undefined && (only === undefined || only !== address.user)) {
      const log = { channel: this.name, logger: this.#parts.logger };
      return whisper(
        message,
        log,
        only === undefined ? undefined : () => this.#parts.api.postOnly(place, only, content),
      );
    }
    const isHere = conversationOf(this.name, address) === message.conversationId;
    return sentIds.write(
      await this.#parts.api.post(place, content, messageMetadata(message, isHere, this.#sentTo(message))),
    );
  }

  /** Updates a question that is over: without controls, with who decided and when. */
  async update(sentId: string, message: OutgoingMessage): Promise<void> {
    const id = sentIds.read(sentId);
    if (id === undefined) return;
    const metadata = messageMetadata(message, false, this.#sentTo(message)); // a question names its conversation wherever it is
    await this.#parts.api.update(id, this.#drawn(message), metadata);
  }

  /**
   * The id of a question that was posted before, by the key in its metadata. It looks at the messages since the ask was made, up to 600.
   * Rejects if Slack cannot be asked now.
   */
  async findSent(message: OutgoingMessage): Promise<string | undefined> {
    if (message.transient || message.only !== undefined) return undefined; // Slack keeps neither
    const place = await this.#placeOf(this.#addressOf(message));
    const found = await this.#posted.find(place, message.key, message.ask?.askedAt);
    return found && sentIds.write(found);
  }

  /** The conversation of a channel, of a person's direct messages, or of a thread. */
  conversationFor(to: Json): string {
    return conversationOf(this.name, addressTo(this.name, to, this.#reach));
  }

  /** The address that replies from there come with. */
  addressFor(to: Json): Json {
    return { ...addressTo(this.name, to, this.#reach) };
  }

  /** True for every id of Slack: a question is not handed over to a person whom no channel finds there. */
  isOwnId(participantId: string): boolean {
    return isSlackId(participantId);
  }

  /** The direct messages of a person who may answer here, by what Slack says of them. Rejects if Slack cannot be asked. */
  async addressOf(participantId: string): Promise<Json | undefined> {
    const found = await this.#parts.people.recipient(participantId);
    return found && { team: found.team, user: found.user };
  }

  /** The workspace or organisation of a person who may answer here. Rejects if Slack cannot be asked. */
  async tenantOf(participantId: string): Promise<string | undefined> {
    return (await this.#parts.people.recipient(participantId))?.home;
  }

  /** The name of a person who may answer here, as Slack has it. Rejects if Slack cannot be asked. */
  async nameOf(participantId: string): Promise<string | undefined> {
    return (await this.#parts.people.recipient(participantId))?.name;
  }

  #drawn(message: OutgoingMessage): SlackContent {
    const wording = wordingIn(this.#desk.known, message.locale);
    return drawnMessage(message, { ...this.#options, wording, sentTo: this.#sentTo(message) });
  }

  /** How the place of a question is named, if replies from there come with another address. */
  #sentTo(message: OutgoingMessage): string | undefined {
    const named = message.ask === undefined ? undefined : sentToOf(this.name, this.#addressOf(message));
    return named === message.conversationId ? undefined : named; // replies know the conversation
  }

  /** The address of a message: that of the message which it answers, or `to` as an ask or `sendTo()` names it. */
  #addressOf({ address }: OutgoingMessage): SlackAddress {
    return storedAddress(address) ?? deliverableTo(() => addressTo(this.name, address, this.#reach));
  }

  /** Where Slack posts: the direct messages of a person are a channel, too. */
  async #placeOf({ team, channel, user, email, thread }: SlackAddress): Promise<SlackPlace> {
    if (channel !== undefined) return { team, channel, thread };
    const direct = await this.#directChannels.get(`${team}/${user ?? email}`, () =>
      this.#directChannel(team, user, email ?? ''),
    );
    return { team, channel: direct, thread };
  }

  async #directChannel(team: string, user: string | undefined, email: string): Promise<string> {
    const found = user ?? (await this.#parts.api.userByEmail(team, email));
    if (found !== undefined) return this.#parts.api.directChannel(team, found);
    throw new AgentError('undeliverable', 'Nobody in the Slack workspace has this e-mail address. Check it.');
  }
}

/**
 * The calls of Slack's Web API that the channel makes, by Slack's own client. It knows which failures may pass and which never will, and
 * honours rate limits. No error quotes a token or what people wrote.
 */
import type { WebClient } from '@slack/web-api';
import { definedFields } from '../../core/defined-fields.js';
import { AgentError } from '../../core/errors.js';
import type { Json } from '../../core/json.js';
import { imported } from '../../core/optional-package.js';
import type { Clock } from '../../machine/clock.js';
import { assertUnpadded } from '../../machine/secrets.js';
import { RateLimits } from '../kit/rate-limits.js';
import { recordOf, recordsOf, textOf } from '../kit/untyped.js';
import { webApi } from './packages.js';

/** A block of Block Kit, or an element of one. */
export type SlackBlock = { readonly [key: string]: Json };

/** A message as Slack is given it. */
export interface SlackContent {
  /** For notifications, and where blocks are not drawn. */
  readonly text: string;
  readonly blocks: readonly SlackBlock[];
}

/** Where a message goes. */
export interface SlackPlace {
  /** The workspace whose token is used. */
  readonly team: string;
  readonly channel: string;
  /** The `ts` of the thread's first message. */
  readonly thread?: string | undefined;
}

/** A message that was posted. */
export interface SlackMessageId {
  readonly team: string;
  readonly channel: string;
  readonly ts: string;
}

/** What `users.info` gives, as far as the channel looks at it. */
export interface SlackUser {
  readonly id?: string;
  readonly team_id?: string;
  readonly name?: string;
  readonly real_name?: string;
  readonly deleted?: boolean;
  readonly is_bot?: boolean;
  readonly is_restricted?: boolean;
  readonly is_ultra_restricted?: boolean;
  readonly is_stranger?: boolean;
  readonly locale?: string;
  readonly tz?: string;
  readonly profile?: { readonly display_name?: string; readonly real_name?: string; readonly team?: string };
  readonly enterprise_user?: { readonly id?: string; readonly enterprise_id?: string };
}

/** A message that was read from Slack, as far as the channel looks at it. */
export interface SlackReadMessage {
  readonly ts?: string;
  readonly user?: string;
  readonly bot_id?: string;
  readonly app_id?: string;
  readonly metadata?: unknown;
}

/** Who the token belongs to. */
export interface SlackIdentity {
  readonly teamId: string;
  readonly userId: string;
  readonly botId?: string;
  /** The organisation of an Enterprise Grid that the workspace is part of. */
  readonly enterpriseId?: string;
  /** True if the app is installed in the whole organisation. */
  readonly isOfOrganisation?: true;
}

/** The token of a workspace. */
export type SlackToken = string | ((team: string) => string | Promise<string>);

/** How Slack is reached. */
export interface SlackApiOptions {
  readonly token: SlackToken;
  readonly clock: Clock;
  /** Another base address than Slack's own, for tests. */
  readonly apiUrl?: string | undefined;
  /** How long a call may take, in ms. */
  readonly timeout?: number | undefined;
}

type Answer = Readonly<Record<string, unknown>>;

/** A refusal of Slack, with its own word for it. */
class SlackRefusal extends Error {
  readonly word: string;

  constructor(method: string, word: string, more: string) {
    super(`Slack refused ${method}: ${word}${more}.`);
    this.word = word;
  }
}

/** No retry can succeed: the app does not see the place, or Slack does not accept the message. */
export const hopeless: ReadonlySet<string> = new Set([
  'channel_not_found',
  'not_in_channel',
  'is_archived',
  'user_not_found',
  'users_not_found',
  'user_disabled',
  'user_not_in_channel',
  'user_not_visible',
  'cannot_dm_bot',
  'messages_tab_disabled',
  'restricted_action',
  'restricted_action_read_only_channel',
  'restricted_action_thread_only_channel',
  'restricted_action_non_threadable_channel',
  'restricted_action_thread_locked',
  'cannot_reply_to_message',
  'invalid_arguments',
  'invalid_blocks',
  'invalid_blocks_format',
  'invalid_metadata_format',
  'invalid_metadata_schema',
  'metadata_must_be_sent_from_app',
  'metadata_too_large',
  'msg_blocks_too_long',
  'msg_too_long',
  'no_text',
  'team_not_found',
  'team_access_not_granted',
]);

/** The message cannot be updated any more: it is gone, or Slack does not allow it. */
const unchangeable = new Set([
  'message_not_found',
  'cant_update_message',
  'edit_window_closed',
  'channel_not_found',
  'is_archived',
  'not_in_channel',
  'is_inactive',
  'thread_locked',
]);

/** No retry can succeed: the installed app lacks the permission. */
const notPermitted = new Set(['missing_scope', 'no_permission', 'not_allowed_token_type', 'access_denied']);

/** How many messages are read at once, and how often, to find one. An app may be given fewer at once. */
const pageSize = 200;
const mostPages = 3;

/** Slack's calls, each with the token of its workspace. */
export class SlackApi {
  readonly #options: SlackApiOptions;
  #client: Promise<WebClient> | undefined;
  /** By workspace and method. */
  readonly #limits: RateLimits;

  constructor(options: SlackApiOptions) {
    this.#options = options;
    this.#limits = new RateLimits(options.clock, 'Slack');
  }

  /** Whether all calls are made with one token, which belongs to one workspace. */
  get isOfOneTeam(): boolean {
    return typeof this.#options.token === 'string';
  }

  /** Returns whether there is a token for this workspace. Rejects if that is not known now. */
  async hasTokenFor(team: string): Promise<boolean> {
    return isToken(await this.#tokenOf(team));
  }

  /** Posts a message. An `AgentError` with the code `undeliverable` says that no try can succeed. */
  async post(place: SlackPlace, content: SlackContent, metadata: Json): Promise<SlackMessageId> {
    const { team, channel, thread } = place;
    const body = { ...quiet, channel, thread_ts: thread, ...content, metadata };
    const answer = await this.#sent(team, 'chat.postMessage', body);
    return { team, channel: textOf(answer['channel']) ?? channel, ts: textOf(answer['ts']) ?? '' };
  }

  /** Shows a message to one person. Slack keeps it nowhere, and it cannot be changed. */
  async postOnly(place: SlackPlace, user: string, content: SlackContent): Promise<void> {
    const { team, channel, thread } = place;
    await this.#sent(team, 'chat.postEphemeral', { ...verbatim, channel, thread_ts: thread, user, ...content });
  }

  /** Updates a message. One that is gone, or cannot be updated any more, is left as it is. */
  async update({ team, channel, ts }: SlackMessageId, content: SlackContent, metadata: Json): Promise<void> {
    try {
      await this.#patiently(team, 'chat.update', { ...verbatim, channel, ts, ...content, metadata });
    } catch (error) {
      if (!(error instanceof SlackRefusal && unchangeable.has(error.word))) throw error;
    }
  }

  /** Opens a modal. The trigger is good for three seconds, so nothing is tried twice. */
  async openModal(team: string, triggerId: string, view: Json): Promise<void> {
    await this.#call(team, 'views.open', { trigger_id: triggerId, view });
  }

  /** A person's profile; undefined if there is no such person for us. */
  async user(team: string, user: string): Promise<SlackUser | undefined> {
    const answer = await this.#known(team, 'users.info', { user, include_locale: true });
    return answer?.['user'] as SlackUser | undefined; // every field is looked at before it is used
  }

  /** The id of the person with this e-mail address; undefined if there is none. */
  async userByEmail(team: string, email: string): Promise<string | undefined> {
    const answer = await this.#known(team, 'users.lookupByEmail', { email });
    return textOf(recordOf(answer?.['user'])['id']);
  }

  /** The channel of direct messages with a person. */
  async directChannel(team: string, user: string): Promise<string> {
    const answer = await this.#sent(team, 'conversations.open', { users: user });
    const channel = textOf(recordOf(answer['channel'])['id']);
    if (channel === undefined) throw new Error('Slack gave no channel for direct messages (conversations.open).');
    return channel;
  }

  /** The first message of a thread; undefined if it is gone. */
  async threadRoot({ team, channel, ts }: SlackMessageId): Promise<SlackReadMessage | undefined> {
    const about = { channel, ts, limit: 1, inclusive: true, include_all_metadata: true };
    const answer = await this.#known(team, 'conversations.replies', about);
    const [first] = recordsOf(answer?.['messages']) as readonly SlackReadMessage[]; // every field is checked where it is used
    return first?.ts === ts ? first : undefined;
  }

  /**
   * The first message found for which `isIt` holds, in a channel or in a thread of it, since a time in ms; undefined if there is none
   * among those that are read. In a channel that is without what was written in its threads.
   */
  async firstMessage(
    { team, channel, thread }: SlackPlace,
    since: number,
    isIt: (message: SlackReadMessage) => boolean,
  ): Promise<SlackReadMessage | undefined> {
    const method = thread === undefined ? 'conversations.history' : 'conversations.replies';
    const oldest = (since / 1_000).toFixed(6);
    const about = { channel, ts: thread, oldest, limit: pageSize, include_all_metadata: true };
    let cursor: string | undefined;
    for (let page = 0; page < mostPages; page += 1) {
      const answer = await this.#known(team, method, { ...about, cursor });
      const found = recordsOf(answer?.['messages']).find(isIt);
      if (found !== undefined) return found;
      cursor = textOf(recordOf(answer?.['response_metadata'])['next_cursor']);
      if (cursor === undefined) return undefined;
    }
    return undefined;
  }

  /** Who the token belongs to: our own messages are by this user or bot. */
  async identity(team: string): Promise<SlackIdentity> {
    const answer = await this.#call(team, 'auth.test', {});
    const own = { teamId: textOf(answer['team_id']) ?? '', userId: textOf(answer['user_id']) ?? '' };
    const known = { botId: textOf(answer['bot_id']), enterpriseId: textOf(answer['enterprise_id']) };
    const isOfOrganisation = answer['is_enterprise_install'] === true;
    return { ...own, ...definedFields(known), ...(isOfOrganisation ? { isOfOrganisation } : {}) };
  }

  /** Makes a call that reads. Undefined for what does not exist. */
  async #known(team: string, method: string, body: object): Promise<Answer | undefined> {
    try {
      return await this.#call(team, method, body);
    } catch (error) {
      const isUnknown = error instanceof SlackRefusal && /_not_found$|^not_in_channel$/.test(error.word);
      if (isUnknown) return undefined;
      throw error;
    }
  }

  /** Makes a call that sends. A failure that no retry can heal is `undeliverable`. */
  async #sent(team: string, method: string, body: object): Promise<Answer> {
    try {
      return await this.#patiently(team, method, body);
    } catch (error) {
      if (!(error instanceof SlackRefusal && hopeless.has(error.word))) throw error;
      throw new AgentError('undeliverable', `${error.message} ${remedy(error.word)}`);
    }
  }

  #patiently(team: string, method: string, body: object): Promise<Answer> {
    return this.#limits.patiently(() => this.#call(team, method, body));
  }

  async #call(team: string, method: string, body: object): Promise<Answer> {
    const kind = `${team} ${method}`;
    this.#limits.assertFree(kind, method);
    const client = await this.load();
    const own = await this.#tokenOf(team);
    if (!isToken(own))
      throw new AgentError('bad-option', 'SlackChannel: token() gave no token for this workspace. Give its bot token.');
    assertUnpadded(own, 'SlackChannel: what token() gave');
    try {
      return { ...(await client.apiCall(method, { ...body, token: own })) };
    } catch (error) {
      throw this.#failure(kind, method, error);
    }
  }

  /** What is given as the token of a workspace: a function of others may give anything. */
  async #tokenOf(team: string): Promise<unknown> {
    const { token } = this.#options;
    return typeof token === 'string' ? token : token(team);
  }

  /** Slack's client. Rejects if its package is missing. */
  load(): Promise<WebClient> {
    this.#client ??= this.#loaded();
    return this.#client;
  }

  async #loaded(): Promise<WebClient> {
    const { apiUrl, timeout = 10_000 } = this.#options;
    const { WebClient: Client } = await imported(webApi, () => import('@slack/web-api')).catch((error: unknown) => {
      this.#client = undefined;
      throw error;
    });
    return new Client(undefined, {
      ...(apiUrl === undefined ? {} : { slackApiUrl: apiUrl }),
      timeout,
      retryConfig: { retries: 0 }, // the outbox tries again, in whichever process
      rejectRateLimitedCalls: true,
      allowAbsoluteUrls: false,
      logger: silentClientLogger,
    });
  }

  /** The client's error as ours. Its own may quote the request. */
  #failure(kind: string, method: string, error: unknown): Error {
    const { code, data, retryAfter, statusCode, original } = recordOf(error);
    if (code === 'slack_webapi_rate_limited_error') {
      const seconds = Math.max(1, Number(retryAfter) || 0);
      return this.#limits.note(kind, method, seconds * 1_000);
    }
    if (code === 'slack_webapi_platform_error') {
      const { error: word, needed } = recordOf(data);
      if (typeof word !== 'string' || !/^[\w.-]{1,80}$/.test(word))
        return new Error(`Slack answered ${method} with something else than JSON.`);
      const scope = typeof needed === 'string' && /^[\w:.,-]{1,200}$/.test(needed) ? ` (needed: ${needed})` : '';
      return new SlackRefusal(method, word, scope);
    }
    if (code === 'slack_webapi_http_error') return new Error(`Slack answered ${method} with the status ${statusCode}.`);
    const cause = networkCode(original);
    return new Error(`Slack could not be reached for ${method}${cause === undefined ? '' : `: ${cause}`}.`);
  }
}

/** What the network says about a request that failed, by `original` of the client's error: `ECONNREFUSED`. */
export function networkCode(original: unknown): string | undefined {
  const { cause, name } = recordOf(original);
  return textOf(recordOf(cause)['code'] ?? name);
}

/** Whether Slack refused a call because of how the app is installed. */
export function isNotPermitted(error: unknown): boolean {
  return error instanceof SlackRefusal && notPermitted.has(error.word);
}

/** Nothing is looked up for a link, and no name in a text becomes a mention. */
const verbatim = { parse: 'none', link_names: false } as const;
const quiet = { ...verbatim, mrkdwn: false, unfurl_links: false, unfurl_media: false } as const;

const nothing = (): void => {};
/** The client's own log lines may quote requests. */
export const silentClientLogger = {
  debug: nothing,
  info: nothing,
  warn: nothing,
  error: nothing,
  setLevel: nothing,
  getLevel: () => 'error' as never, // an enum of a package that may be missing
  setName: nothing,
};

function isToken(given: unknown): given is string {
  return typeof given === 'string' && given !== '';
}

function remedy(word: string): string {
  if (word === 'not_in_channel') return 'Invite the app into the channel.';
  if (word === 'channel_not_found') return 'Use the id of a channel that the app can see, and invite the app into it.';
  if (/user/.test(word)) return 'Check the id or the e-mail address of the person.';
  return 'It cannot be delivered there.';
}

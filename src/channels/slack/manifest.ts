/** The manifest of a Slack app for this channel: what is pasted into Slack so that the app has the scopes and the events it needs. */
import {
  boolean,
  checkOptions,
  matching,
  type OptionRule,
  type OptionRules,
  optional,
} from '../../core/check-options.js';
import { AgentError } from '../../core/errors.js';
import { isBlank } from '../../core/text.js';

/**
 * The options of `slackManifest()`. `url` or `socketMode` is needed.
 *
 * @example
 * import type { SlackManifestOptions } from 'askback/channels/slack';
 *
 * const options: SlackManifestOptions = { url: 'https://agents.example.com/inbox/channels/slack', name: 'Refunds' };
 */
export interface SlackManifestOptions {
  /** Where Slack sends what happens: the https address at which the channel's `fetch` is mounted. */
  readonly url?: string;
  /**
   * True for an app that connects to Slack by itself and needs no address.
   *
   * @default false
   */
  readonly socketMode?: boolean;
  /**
   * The name of the app and of its user, at most 35 characters.
   *
   * @default 'askback'
   */
  readonly name?: string;
  /**
   * What people read about the app, at most 140 characters.
   *
   * @default 'Asks people, and waits for their answers.'
   */
  readonly description?: string;
}

const httpsUrl: OptionRule<string> = (value, name) => {
  const url = typeof value === 'string' && URL.canParse(value) ? new URL(value) : undefined;
  if (url?.protocol === 'https:' && url.username === '' && url.password === '') return url.href;
  throw new AgentError(
    'bad-option',
    `${name} must be the https address that Slack can reach, such as 'https://agents.example.com/inbox/channels/slack'. Without one, use socketMode: true.`,
  );
};

const upTo = (most: number): OptionRule<string> =>
  matching(`a string of 1 to ${most} characters`, (text) => !isBlank(text) && text.length <= most);

const rules = {
  url: optional(httpsUrl),
  socketMode: optional(boolean(), false),
  name: optional(upTo(35), 'askback'),
  description: optional(upTo(140), 'Asks people, and waits for their answers.'),
} satisfies OptionRules<SlackManifestOptions>;

/** The scopes of the calls that the channel makes, and of the events below. */
const scopes = [
  'app_mentions:read', // messages to the app in channels
  'channels:history', // replies in threads, the first message of a thread, and a question that was posted and not noted
  'chat:write', // questions, and drawing them again
  'groups:history',
  'im:history',
  'im:write', // direct messages to a person
  'mpim:history',
  'users:read', // who is a guest; language and time zone
  'users:read.email', // to: 'anna@example.com'
] as const;

const events = ['app_mention', 'message.channels', 'message.groups', 'message.im', 'message.mpim'] as const;

/**
 * The manifest of a Slack app, to be pasted at https://api.slack.com/apps ("Create New App", "From a manifest", JSON).
 *
 * @example
 * import { slackManifest } from 'askback/channels/slack';
 *
 * console.log(slackManifest({ url: 'https://agents.example.com/inbox/channels/slack', name: 'Refunds' }));
 */
export function slackManifest(options: SlackManifestOptions): string {
  const checked = checkOptions(
    'slackManifest()',
    options,
    rules,
    "{ url: 'https://agents.example.com/inbox/channels/slack' }",
  );
  const { url, socketMode, name, description } = checked;
  if (socketMode === (url !== undefined))
    throw new AgentError(
      'bad-option',
      'slackManifest(): give either url, where Slack sends what happens, or socketMode: true.',
    );
  const address = url === undefined ? {} : { request_url: url };
  const manifest = {
    display_information: { name, description },
    features: {
      app_home: { home_tab_enabled: false, messages_tab_enabled: true, messages_tab_read_only_enabled: false },
      bot_user: { display_name: name, always_online: true },
    },
    oauth_config: { scopes: { bot: scopes } },
    settings: {
      event_subscriptions: { ...address, bot_events: events },
      interactivity: { is_enabled: true, ...address },
      org_deploy_enabled: false,
      socket_mode_enabled: socketMode,
      token_rotation_enabled: false,
    },
  };
  return JSON.stringify(manifest, undefined, 2);
}

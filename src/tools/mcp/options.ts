/**
 * The options of mcpServer(): their types, rules and defaults.
 */
import type { AnswerableBy, PendingAsk } from '../../core/ask/ask.js';
import { checkedAnswerableBy } from '../../core/ask/options.js';
import {
  anything,
  type CheckedOptions,
  checkOptions,
  expecting,
  func,
  instance,
  longestTimer,
  milliseconds,
  nonEmpty,
  type OptionRule,
  type OptionRules,
  object,
  optional,
} from '../../core/check-options.js';
import { definedFields } from '../../core/defined-fields.js';
import { AgentError } from '../../core/errors.js';
import { checkedId, describeKind } from '../../core/ids.js';
import type { Json } from '../../core/json.js';
import type { Participant } from '../../core/participant.js';
import { isBlank } from '../../core/text.js';
import { randomId } from '../../machine/clock.js';
import { assertUnpadded, weaknessOf } from '../../machine/secrets.js';
import type { AskPlace } from '../ask-place.js';
import { providerName } from '../tool-name.js';
import { McpChannel } from './channel.js';

/**
 * A tool of the server, by its default name.
 *
 * @example
 * import type { McpToolName } from 'askback/tools/mcp';
 *
 * const names: Partial<Record<McpToolName, string | false>> = { ask_human: 'clarify', answer_ask: false };
 */
export type McpToolName = 'ask_human' | 'approve_action' | 'list_asks' | 'show_ask' | 'answer_ask';

/**
 * How an MCP server asks, and for whom it answers.
 *
 * @example
 * import { McpChannel, type McpServerOptions } from 'askback/tools/mcp';
 *
 * const forms = new McpChannel();
 * const options: McpServerOptions = { participant: { id: 'mcp:anna' }, forms, channel: 'slack', to: 'C123' };
 */
export interface McpServerOptions {
  /**
   * The user of the client. What their client asks is asked for them, and their tenant bounds who may answer. Answers given there count as
   * theirs, and they see what they may answer.
   */
  readonly participant: Participant;
  /** The registry's `McpChannel`. With it a client that can show questions shows them itself. */
  readonly forms?: McpChannel;
  /** The channel for all questions that the client does not show itself. */
  readonly channel?: string;
  /** The address on that channel. */
  readonly to?: Json;
  /** The conversation in which a reply arrives. Needed only if the channel cannot tell. */
  readonly conversationId?: string;
  /**
   * Who may approve an action.
   *
   * @default whoever the question is put to
   */
  readonly approvers?: AnswerableBy;
  /** The page where a sensitive question is answered. Without it such questions go to the channel. */
  readonly url?: (askId: string) => string;
  /**
   * At least 32 bytes, the same in every process that serves the same clients.
   *
   * @default random, for one process
   */
  readonly secret?: string | Uint8Array;
  /**
   * How long a question waits, in ms. Many clients give up a call earlier, which cancels its question.
   *
   * @default 600_000
   */
  readonly timeout?: number;
  /** Other names for the tools, adapted to what providers accept; `false` omits a tool. */
  readonly names?: Partial<Record<McpToolName, string | false>>;
  /**
   * Whether `participant` may see an ask of their tenant that names nobody.
   *
   * @default if they may answer it
   */
  readonly sees?: (ask: PendingAsk<unknown>) => boolean | Promise<boolean>;
  /** The name and version that the server announces. */
  readonly info?: { readonly name: string; readonly version: string };
}

const leastSecret = 32;

const toolNameRule: OptionRule<string | false> = (value, name) => (value === false ? false : providerName(value, name));

const namesRule = object(
  {
    ask_human: optional(toolNameRule, 'ask_human'),
    approve_action: optional(toolNameRule, 'approve_action'),
    list_asks: optional(toolNameRule, 'list_asks'),
    show_ask: optional(toolNameRule, 'show_ask'),
    answer_ask: optional(toolNameRule, 'answer_ask'),
  } satisfies { readonly [name in McpToolName]: OptionRule<string | false> },
  "{ ask_human: 'clarify' }",
);

const rules = {
  participant: (value: unknown, name: string): Participant => {
    checkedId((value as Partial<Participant> | null | undefined)?.id, `${name}.id`);
    return value as Participant; // the registry looks at the rest
  },
  forms: optional(instance(McpChannel, 'a McpChannel')),
  channel: optional(
    expecting<string>(
      "the name of one of the registry's channels",
      (value) => typeof value === 'string' && !isBlank(value),
    ),
  ),
  to: optional(anything<Json>()),
  conversationId: optional(nonEmpty()),
  approvers: optional(checkedAnswerableBy),
  url: optional(func<NonNullable<McpServerOptions['url']>>()),
  secret: (value: unknown, name: string) => (value === undefined ? ownSecret() : checkedSecret(value, name)),
  timeout: optional(milliseconds({ max: longestTimer }), 600_000),
  names: optional(checkedNames, checkedNames({}, 'names')),
  sees: optional(func<NonNullable<McpServerOptions['sees']>>()),
  info: optional(object({ name: nonEmpty(), version: nonEmpty() }, "{ name: 'askback', version: '1.0.0' }"), {
    name: 'askback',
    version: '1.0.0',
  }),
} satisfies OptionRules<McpServerOptions>;

/** The options with their defaults, and the place of the questions that the client does not show itself. */
export interface CheckedMcpOptions extends CheckedOptions<typeof rules> {
  readonly place?: AskPlace;
}

export function checkedMcpOptions(options: McpServerOptions): CheckedMcpOptions {
  const checked = checkOptions('mcpServer()', options, rules, "{ participant: { id: 'mcp:me' }, forms }");
  const { forms, channel, to, conversationId } = checked;
  if (channel !== undefined) return { ...checked, place: { channel, ...definedFields({ to, conversationId }) } };
  if (forms !== undefined) return checked;
  throw new AgentError(
    'bad-option',
    'mcpServer(): nobody could be asked. Give channel, the name of a channel that people read, or forms, or both.',
  );
}

let own: string | undefined;

/** One secret for all servers of this process: over HTTP each call has a server of its own. */
function ownSecret(): string {
  own ??= `${randomId()}${randomId()}`;
  return own;
}

function checkedSecret(secret: unknown, name: string): string | Uint8Array {
  if (typeof secret === 'string') assertUnpadded(secret, name);
  const isSecret = typeof secret === 'string' || secret instanceof Uint8Array;
  const problem = isSecret ? weaknessOf(secret) : describeKind(secret);
  if (isSecret && problem === undefined) return secret;
  throw new AgentError(
    'bad-option',
    `${name} must be a string or bytes, ${leastSecret} bytes or longer, that nobody can guess, got ${problem}. Make one: openssl rand -base64 32`,
  );
}

function checkedNames(names: unknown, name: string): ReturnType<typeof namesRule> {
  const all = namesRule(names, name);
  const used = Object.values(all).filter((each) => each !== false);
  if (new Set(used).size < used.length)
    throw new AgentError('bad-option', `${name} gives two tools the same name. Give each its own.`);
  return all;
}

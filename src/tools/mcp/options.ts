/**
 * The options of mcpServer(), and their check.
 */
import type { AnswerableBy, PendingAsk } from '../../core/ask/ask.js';
import { definedFields } from '../../core/defined-fields.js';
import { AgentError } from '../../core/errors.js';
import { checkedId, describe } from '../../core/ids.js';
import type { Json } from '../../core/json.js';
import type { Participant } from '../../core/participant.js';
import { isBlank } from '../../core/text.js';
import { randomId } from '../../machine/clock.js';
import { providerName } from '../tool-name.js';
import { McpChannel } from './channel.js';

const toolNames = ['ask_human', 'approve_action', 'list_asks', 'show_ask', 'answer_ask'] as const;
/**
 * A tool of the server, by its default name.
 *
 * @example
 * const names: Partial<Record<McpToolName, string | false>> = { ask_human: 'clarify', answer_ask: false };
 */
export type McpToolName = (typeof toolNames)[number];

/**
 * How an MCP server asks, and for whom it answers.
 *
 * @example
 * const options: McpServerOptions = { participant: { id: 'mcp:anna' }, forms, channel: 'slack', to: 'C123' };
 */
export interface McpServerOptions {
  /** The user of the client: answers given there count as theirs, and they see what they may answer. */
  readonly participant: Participant;
  /** The registry's `McpChannel`. With it a client that can show questions shows them itself. */
  readonly forms?: McpChannel;
  /** The channel for all questions that the client does not show itself. */
  readonly channel?: string;
  /** The address on that channel. */
  readonly to?: Json;
  /** The conversation in which a reply arrives. Needed only if the channel cannot tell. */
  readonly conversationId?: string;
  /** Who may approve an action. Default: whoever the question is put to. */
  readonly approvers?: AnswerableBy;
  /** The page where a sensitive question is answered. Without it such questions go to the channel. */
  readonly url?: (askId: string) => string;
  /** At least 32 bytes, the same in every process that serves the same clients. Default: random, for one process. */
  readonly secret?: string | Uint8Array;
  /** How long a question waits, in ms. Default 600 000. Many clients give up a call earlier, which cancels its question. */
  readonly timeout?: number;
  /** Other names for the tools, adapted to what providers accept; `false` omits a tool. */
  readonly names?: Partial<Record<McpToolName, string | false>>;
  /** Whether `participant` may see an ask that names nobody. Default: if they may answer it. */
  readonly sees?: (ask: PendingAsk<unknown>) => boolean | Promise<boolean>;
  /** The name and version that the server announces. */
  readonly info?: { readonly name: string; readonly version: string };
}

export interface CheckedMcpOptions {
  readonly participant: Participant;
  readonly forms: McpChannel | undefined;
  readonly place: { readonly channel: string; readonly to?: Json; readonly conversationId?: string } | undefined;
  readonly approvers: AnswerableBy | undefined;
  readonly url: ((askId: string) => string) | undefined;
  readonly secret: string | Uint8Array;
  readonly timeout: number;
  readonly names: Readonly<Record<McpToolName, string | false>>;
  readonly sees: ((ask: PendingAsk<unknown>) => boolean | Promise<boolean>) | undefined;
  readonly info: { readonly name: string; readonly version: string };
}

const known = [
  'participant',
  'forms',
  'channel',
  'to',
  'conversationId',
  'approvers',
  'url',
  'secret',
  'timeout',
  'names',
  'sees',
  'info',
];
const leastSecret = 32;
const longestTimeout = 2 ** 31 - 1;

export function checkedMcpOptions(options: McpServerOptions): CheckedMcpOptions {
  for (const [name, value] of Object.entries(options ?? {})) {
    if (value !== undefined && !known.includes(name)) throw wrong(name, `one of ${known.join(', ')}`, 'another name');
  }
  const { participant, forms, channel, to, conversationId, timeout = 600_000 } = options ?? {};
  checkedId(participant?.id, 'mcpServer(): participant.id');
  if (forms !== undefined && !(forms instanceof McpChannel)) throw wrong('forms', 'a McpChannel', forms);
  if (channel !== undefined && (typeof channel !== 'string' || isBlank(channel)))
    throw wrong('channel', 'the name of one of the registry’s channels', channel);
  if (forms === undefined && channel === undefined)
    throw new AgentError(
      'bad-option',
      'mcpServer(): nobody could be asked. Give channel, the name of a channel that people read, or forms, or both.',
    );
  if (typeof timeout !== 'number' || !(timeout > 0) || timeout > longestTimeout)
    throw wrong('timeout', `a number of milliseconds above 0 and up to ${longestTimeout}`, timeout);
  for (const name of ['url', 'sees'] as const) {
    if (options[name] !== undefined && typeof options[name] !== 'function')
      throw wrong(name, 'a function', options[name]);
  }
  return {
    participant,
    forms,
    place: channel === undefined ? undefined : { channel, ...definedFields({ to, conversationId }) },
    approvers: options.approvers,
    url: options.url,
    secret: checkedSecret(options.secret ?? ownSecret()),
    timeout,
    names: checkedNames(options.names ?? {}),
    sees: options.sees,
    info: options.info ?? { name: 'askback', version: '1.0.0' },
  };
}

let own: string | undefined;

/** One secret for all servers of this process: over HTTP each call has its own server. */
function ownSecret(): string {
  own ??= `${randomId()}${randomId()}`;
  return own;
}

function checkedSecret(secret: unknown): string | Uint8Array {
  const fits =
    (typeof secret === 'string' && Buffer.byteLength(secret) >= leastSecret) ||
    (secret instanceof Uint8Array && secret.length >= leastSecret);
  if (fits) return secret as string | Uint8Array;
  // the secret must not appear in the message
  throw new AgentError('bad-option', `mcpServer(): secret must be a string or bytes, ${leastSecret} bytes or longer.`);
}

function checkedNames(names: Readonly<Record<string, unknown>>): CheckedMcpOptions['names'] {
  const all: Record<string, string | false> = Object.fromEntries(toolNames.map((name) => [name, name]));
  for (const [tool, name] of Object.entries(names)) {
    if (name === undefined) continue;
    if (!(tool in all)) throw wrong(`names.${tool}`, `the new name of one of ${toolNames.join(', ')}`, name);
    all[tool] = name === false ? false : providerName(name, `mcpServer(): names.${tool}`);
  }
  const used = Object.values(all).filter((name) => name !== false);
  if (new Set(used).size < used.length)
    throw new AgentError('bad-option', 'mcpServer(): names gives two tools the same name. Give each its own.');
  return all as CheckedMcpOptions['names'];
}

function wrong(name: string, expected: string, value: unknown): AgentError {
  return new AgentError('bad-option', `mcpServer(): ${name} must be ${expected}, got ${describe(value)}.`);
}

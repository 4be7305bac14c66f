/**
 * The channel of questions that an MCP client shows itself. It sends nothing: the question is part of the result of
 * the client's call, and the reply comes with its next call.
 */
import type { Channel } from '../../channels/port.js';
import { checkOptions, nonEmpty, optional } from '../../core/check-options.js';

const rules = { name: optional(nonEmpty(), 'mcp') };

/**
 * The channel for questions that an MCP client shows to its own user. Pass the same one to the registry and to
 * `mcpServer()`.
 *
 * @example
 * import { AgentRegistry } from 'askback';
 * import { McpChannel } from 'askback/tools/mcp';
 *
 * const forms = new McpChannel();
 * const registry = new AgentRegistry({ channels: [forms] });
 */
export class McpChannel implements Channel {
  /** The name of the channel. */
  readonly name: string;
  #started = false;

  constructor(options: { readonly name?: string } = {}) {
    this.name = checkOptions('McpChannel', options, rules, "{ name: 'mcp' }").name;
  }

  /** True once a registry has started it, so that questions can be opened in it. */
  get started(): boolean {
    return this.#started;
  }

  /** Begins to take answers. The registry calls it. */
  start(): void {
    this.#started = true;
  }

  async send(): Promise<void> {}

  /** Ends it. The registry calls it. */
  async stop(): Promise<void> {
    this.#started = false;
  }
}

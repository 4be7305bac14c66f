/**
 * The channel of questions that an MCP client shows itself. It carries nothing: the question stands in the answer to the
 * client's call, and the reply comes with its next one.
 */
import type { Channel } from '../../channels/port.js';

/**
 * Where questions are kept that an MCP client puts to the person who sits at it. Give the same one to the registry and to
 * `mcpServer()`.
 *
 * @example
 * const forms = new McpChannel();
 * const registry = new AgentRegistry({ channels: [forms] });
 */
export class McpChannel implements Channel {
  readonly name: string;
  #started = false;

  constructor(options: { readonly name?: string } = {}) {
    this.name = options.name ?? 'mcp';
  }

  /** A registry has started it, so questions can be opened in it. */
  get started(): boolean {
    return this.#started;
  }

  start(): void {
    this.#started = true;
  }

  async send(): Promise<void> {}

  async stop(): Promise<void> {
    this.#started = false;
  }
}

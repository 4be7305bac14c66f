/**
 * Lists, shows and answers the registry's asks for the user of an MCP client.
 */
import type { CallToolResult } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { PendingAsk } from '../../core/ask/ask.js';
import { definedFields } from '../../core/defined-fields.js';
import { inert } from '../../core/text.js';
import type { Settled } from '../../registry/calls/settle/settle.js';
import type { AgentRegistry } from '../../registry/registry.js';
import { ownerOf } from './asking.js';
import type { CheckedMcpOptions } from './options.js';
import { problem, said, shown, unknownAsk } from './result.js';

const id = z
  .string({ error: 'must be the id of a question' })
  .min(1)
  .max(200)
  .describe('The id of the question, as it was listed.');
export const listArguments = z.strictObject({
  cursor: z.string({ error: 'must be the cursor of the page before' }).optional().describe('Goes on after that page.'),
});
export const showArguments = z.strictObject({ id });
export const answerArguments = z.strictObject({
  id,
  answer: z
    .string({ error: 'must be a string' })
    .max(10_000)
    .describe("The person's own answer, as they gave it: a text, or one of the options."),
});

const page = 50;
const pages = 20;

export class McpSettling {
  readonly #registry: AgentRegistry;
  readonly #options: CheckedMcpOptions;

  constructor(registry: AgentRegistry, options: CheckedMcpOptions) {
    this.#registry = registry;
    this.#options = options;
  }

  /** The asks that this person may answer, by page. Pages with nothing for them are skipped. */
  async list({ cursor: start }: z.infer<typeof listArguments>): Promise<CallToolResult> {
    const found: PendingAsk<unknown>[] = [];
    let cursor = start;
    for (let looked = 0; looked < pages && found.length === 0; looked += 1) {
      const from = { limit: page, ...definedFields({ cursor }) };
      const all = await this.#registry.listAsks(from);
      const theirs = await this.#registry.listAsks({ ...from, for: this.#options.participant });
      const may = new Set(theirs.asks.map((ask) => ask.id));
      for (const ask of all.asks) {
        const open = ask.status === 'pending' && !this.#own(ask); // the list may contain an ask that was just answered
        if (open && (await this.#sees(ask, may.has(ask.id)))) found.push(ask);
      }
      cursor = all.cursor;
      if (cursor === undefined) break;
    }
    const data = { asks: found.map(shown), ...definedFields({ cursor }) };
    const more = cursor === undefined ? '' : ` There is more: cursor ${JSON.stringify(cursor)}.`;
    if (found.length === 0) return said(`Nothing is open for this person.${more}`, data);
    return said(`${data.asks.map((ask) => JSON.stringify(ask)).join('\n')}${more && `\n${more.trim()}`}`, data);
  }

  async show({ id: askId }: z.infer<typeof showArguments>): Promise<CallToolResult> {
    const ask = await this.#visible(askId);
    return ask === undefined ? problem(unknownAsk) : said(JSON.stringify(shown(ask)), { ask: shown(ask) });
  }

  async answer({ id: askId, answer }: z.infer<typeof answerArguments>): Promise<CallToolResult> {
    const ask = await this.#visible(askId);
    if (ask === undefined) return problem(unknownAsk);
    if (ask.status === 'pending' && this.#own(ask))
      return problem('You asked this yourself: a person has to answer it where it was shown to them.');
    if (ask.sensitive) return problem('This question is sensitive: the person has to answer it where it was asked.');
    return became(await this.#registry.answer(askId, { text: answer }, { by: this.#options.participant }));
  }

  /** True for an ask by this person's own model: it must not answer itself. */
  #own(ask: PendingAsk<unknown>): boolean {
    return ask.context['mcp'] === ownerOf(this.#options.participant);
  }

  async #visible(askId: string): Promise<PendingAsk<unknown> | undefined> {
    const ask = await this.#registry.getAsk(askId);
    if (ask === null) return undefined;
    const may = (await this.#registry.getAsk(askId, { for: this.#options.participant })) !== null;
    return (await this.#sees(ask, may)) ? ask : undefined;
  }

  /**
   * Whoever may answer may see it, and nobody else, unless the server's author allows it for an ask of their tenant that names
   * nobody.
   */
  async #sees(ask: PendingAsk<unknown>, may: boolean): Promise<boolean> {
    const { answerableBy } = ask;
    const { sees, participant } = this.#options;
    const isDecider = ask.decidedBy !== undefined && ownerOf(ask.decidedBy) === ownerOf(participant);
    if (isDecider || this.#own(ask)) return true;
    const isNamed = Array.isArray(answerableBy) || (answerableBy === 'asker' && may);
    return sees === undefined || isNamed || ask.tenant !== participant.tenant ? may : sees(ask);
  }
}

function became(settled: Settled): CallToolResult {
  if (settled.type === 'refused' || settled.type === 'unknown') return problem(unknownAsk);
  if (settled.type === 'invalid') return problem(`Not accepted, and the question is still open: ${settled.problem}`);
  if (settled.type === 'received') return said('The answer is recorded. What becomes of it is not known yet.');
  if (settled.type === 'accepted') return said('The answer is accepted.', { ask: shown(settled.ask) });
  if (settled.type === 'counted') return said('The answer counts. Others are needed too.', { ask: shown(settled.ask) });
  if (settled.type === 'changed')
    return problem('The question has changed and is still open: read it again.', { ask: shown(settled.ask) });
  const { status, decidedBy } = settled.ask;
  const by = decidedBy === undefined ? '' : ` by ${inert(decidedBy.name ?? decidedBy.id)}`;
  return problem(status === 'answered' ? `It was already answered${by}.` : `It is over already: ${status}${by}.`);
}

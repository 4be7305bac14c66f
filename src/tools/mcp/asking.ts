/**
 * Asks for an MCP client: in the client itself if it can show the question, else through a channel. Either way it is
 * an ask of the registry, which decides what is an answer and who may give it.
 */
import type {
  AuthInfo,
  CallToolResult,
  InputRequiredResult,
  RequestId,
  ServerContext,
} from '@modelcontextprotocol/server';
import type { AnswerableBy, PendingAsk } from '../../core/ask/ask.js';
import { definedFields } from '../../core/defined-fields.js';
import { AgentError } from '../../core/errors.js';
import { digest } from '../../core/ids.js';
import type { Participant } from '../../core/participant.js';
import type { Wording } from '../../core/wording/wording.js';
import { randomId, systemClock } from '../../machine/clock.js';
import { onAbort } from '../../machine/on-abort.js';
import type { Settled } from '../../registry/calls/settle/settle.js';
import { uses } from '../../registry/calls/single-use.js';
import type { AgentRegistry } from '../../registry/registry.js';
import { askerFor } from '../ask-place.js';
import { noneFitted } from '../model-texts.js';
import type { CheckedMcpOptions } from './options.js';
import type { McpQuestion } from './question.js';
import { answerIn, formOf, messageOf, needsLists } from './question.js';
import { problem, resultOf } from './result.js';

export type McpSdk = typeof import('@modelcontextprotocol/server');
type ClientMode = 'form' | 'page';

/**
 * The state that the client sends back with the answer. It is sealed, and contains nothing that the client must not
 * know.
 */
export interface AskState {
  readonly ask: string;
  readonly tool: string;
  readonly digest: string;
  readonly way: ClientMode;
  readonly round: number;
}

/** What the client of one call can show. */
export interface Abilities {
  readonly form: boolean;
  readonly lists: boolean;
  readonly page: boolean;
  /** True if the call stays open while the client shows the form: then its end is the end of the question. */
  readonly holds: boolean;
}

/** Where a message of a client came from. */
export interface CallOrigin {
  readonly sessionId: string | undefined;
  readonly request: Request | undefined;
  readonly authInfo: AuthInfo | undefined;
}

const rounds = 3;
const progressEvery = 15_000;

export class McpAsking {
  readonly #registry: AgentRegistry;
  readonly #options: CheckedMcpOptions;
  readonly #sdk: McpSdk;
  readonly #sealed: (state: AskState, ctx: ServerContext) => Promise<string>;
  /** The calls that wait on this server. */
  readonly #waiting = new Set<RequestId>();
  readonly #connection = randomId();

  constructor(
    registry: AgentRegistry,
    options: CheckedMcpOptions,
    sdk: McpSdk,
    sealed: (state: AskState, ctx: ServerContext) => Promise<string>,
  ) {
    this.#registry = registry;
    this.#options = options;
    this.#sdk = sdk;
    this.#sealed = sealed;
  }

  async ask(asked: McpQuestion, client: Abilities, ctx: ServerContext): Promise<CallToolResult | InputRequiredResult> {
    const state = ctx.mcpReq.requestState<AskState>();
    if (state !== undefined) return this.#continue(asked, state, ctx);
    const way = this.#clientMode(asked, client);
    if (way === undefined) return this.#throughChannel(asked, ctx);
    const id = await this.#open(asked);
    const withdraw = (): void => void this.#registry.cancel(id).catch(() => {}); // if the registry has stopped, the ask expires
    const { signal } = ctx.mcpReq;
    if (client.holds) onAbort(withdraw, signal);
    try {
      const shown = await this.#formRequest(
        asked,
        { ask: id, tool: asked.tool, digest: asked.digest, way, round: 1 },
        ctx,
      );
      if (signal.aborted) withdraw(); // the result will not reach the client
      return shown;
    } catch (error) {
      withdraw(); // nobody has seen it
      throw error;
    }
  }

  /** The sentences for the person at the client. */
  get #wording(): Wording {
    return this.#registry[uses].wordingFor(this.#options.participant.locale);
  }

  /** How the client shows the question; undefined if it cannot or must not. */
  #clientMode(asked: McpQuestion, client: Abilities): ClientMode | undefined {
    const { forms, url } = this.#options;
    if (forms === undefined || this.#isForOthers(asked)) return undefined;
    if (asked.sensitive) return client.page && url !== undefined ? 'page' : undefined;
    return client.form && (client.lists || !needsLists(asked)) ? 'form' : undefined;
  }

  /** For the model: it must not tell its user that their client lacks something where others have to approve. */
  #whyNobody(asked: McpQuestion): string {
    return this.#isForOthers(asked)
      ? 'Nobody can be asked: others than the person at this client have to approve, and this server has no channel on which to ask them.'
      : 'Nobody can be asked: this client cannot show the question, and this server has no channel on which to ask.';
  }

  #isForOthers({ tool }: McpQuestion): boolean {
    const { approvers, participant } = this.#options;
    return tool === 'approve_action' && approvers !== undefined && !isNamed(participant, approvers);
  }

  async #throughChannel(asked: McpQuestion, ctx: ServerContext): Promise<CallToolResult> {
    const { place, approvers, timeout } = this.#options;
    if (place === undefined) return problem(this.#whyNobody(asked));
    const { sessionId, http } = ctx;
    const { id, signal } = ctx.mcpReq;
    const client = this.#clientOf({ sessionId, request: http?.req, authInfo: http?.authInfo });
    this.#waiting.add(id);
    try {
      await this.#registry.start();
      const options = {
        ...place,
        ...this.#about(asked, { call: id, client }),
        ...definedFields({ answerableBy: asked.tool === 'approve_action' ? approvers : undefined }),
        timeout,
        signal,
        keepAlive: false, // the client's connection does: without it nothing receives the result
      };
      const about = [aboutRequest(client, id)];
      const waiting = this.#registry[uses].waiting.askAndWait(asked.question, options, about);
      return resultOf(asked, (await withProgress(ctx, this.#wording, waiting)).ask);
    } finally {
      this.#waiting.delete(id);
    }
  }

  /**
   * Cancels the ask of a call that the client has given up. Over stateless HTTP the call waits on another server, perhaps in
   * another process, whose signal nobody aborts, so the stored ask is looked for. Another client of the same person may have
   * used the same id, and what their requests say of them may be the same: where several asks fit, none is cancelled.
   */
  async givenUp(call: RequestId, by: CallOrigin): Promise<void> {
    const { place, participant } = this.#options;
    if (place === undefined || this.#waiting.has(call)) return; // on this server the signal of the call is aborted
    const client = this.#clientOf(by);
    await this.#registry.start();
    const asks = await this.#registry[uses].asksAt(place, aboutRequest(client, call));
    const isGiven = ({ context }: PendingAsk<unknown>): boolean =>
      context['mcp'] === ownerOf(participant) && context['call'] === call && context['client'] === client;
    const [given, another] = asks.filter(isGiven);
    if (given !== undefined && another === undefined) await this.#registry.cancel(given.id);
  }

  /**
   * Tells clients apart: by their session, by their connection, which has a server of its own, or over stateless HTTP by what
   * each of their requests says of them.
   */
  #clientOf({ sessionId, request, authInfo }: CallOrigin): string {
    if (sessionId !== undefined) return digest('session', sessionId);
    if (request === undefined) return this.#connection;
    const who = authInfo?.clientId ?? request.headers.get('authorization') ?? '';
    return digest('http', who, request.headers.get('user-agent') ?? '');
  }

  /** Opens the ask. Resolves to its id once it can be answered. */
  async #open(asked: McpQuestion): Promise<string> {
    const { forms, approvers, participant, timeout } = this.#options;
    const { askId: id } = await this.#registry.ask(asked.question, {
      channel: forms?.name ?? '',
      conversationId: `mcp:${randomId()}`,
      ...this.#about(asked),
      answerableBy: (asked.tool === 'approve_action' ? approvers : undefined) ?? [participant.id],
      expiresIn: timeout,
    });
    return id;
  }

  #about({ details, sensitive }: McpQuestion, more: { readonly call?: RequestId; readonly client?: string } = {}) {
    const { participant } = this.#options;
    return {
      context: { mcp: ownerOf(participant), ...more },
      ...definedFields({ details, asker: askerFor(participant, null, {}) }),
      ...(sensitive ? { sensitive } : {}),
    };
  }

  /** The question as the result of this call: the client shows it and calls again with the answer. */
  async #formRequest(
    asked: McpQuestion,
    state: AskState,
    ctx: ServerContext,
    wrong?: string,
  ): Promise<InputRequiredResult> {
    const { inputRequired } = this.#sdk;
    const message = messageOf(asked, wrong);
    const answer =
      state.way === 'page'
        ? inputRequired.elicitUrl({ message, url: pageOf(this.#options, state.ask) })
        : inputRequired.elicit({ message, requestedSchema: formOf(asked, this.#wording) });
    return inputRequired({ inputRequests: { answer }, requestState: await this.#sealed(state, ctx) });
  }

  /** The client calls again. The seal proves that the state is ours; it must also belong to this call. */
  async #continue(
    asked: McpQuestion,
    state: AskState,
    ctx: ServerContext,
  ): Promise<CallToolResult | InputRequiredResult> {
    if (state.tool !== asked.tool || state.digest !== asked.digest)
      return problem('The answer belongs to another question. Call the tool again without requestState.');
    const response = this.#sdk.inputResponse(ctx.mcpReq.inputResponses, 'answer');
    if (response.kind !== 'elicit') return this.#formRequest(asked, state, ctx);
    const by = { by: this.#options.participant };
    if (response.action === 'decline')
      return this.#ended(asked, state, ctx, () => this.#registry.decline(state.ask, by));
    if (response.action !== 'accept') return this.#ended(asked, state, ctx, () => this.#registry.cancel(state.ask));
    if (state.way === 'page') return this.#afterPage(asked, state.ask, ctx);
    const value = answerIn(response.content, asked);
    return this.#ended(asked, state, ctx, () => this.#registry.answer(state.ask, { value }, by));
  }

  /** Waits for the answer: "accept" means only that the person opened the page. */
  async #afterPage(asked: McpQuestion, askId: string, ctx: ServerContext): Promise<CallToolResult> {
    const options = { timeout: this.#options.timeout, keep: false, signal: ctx.mcpReq.signal, keepAlive: false };
    const { ask } = await withProgress(ctx, this.#wording, this.#registry.wait(askId, options));
    return resultOf(asked, ask);
  }

  async #ended(asked: McpQuestion, state: AskState, ctx: ServerContext, settle: () => Promise<Settled>) {
    const settled = await settle();
    if (settled.type === 'invalid' && state.round < rounds)
      return this.#formRequest(asked, { ...state, round: state.round + 1 }, ctx, settled.problem);
    if (settled.type === 'invalid') await this.#registry.cancel(state.ask, { reason: noneFitted });
    if (settled.type === 'refused') await this.#registry.cancel(state.ask);
    const ask = 'ask' in settled ? settled.ask : await this.#registry.getAsk(state.ask);
    if (ask === null) return problem('The question does not exist any more. Ask again if the answer is still needed.');
    return resultOf(asked, ask as PendingAsk<unknown>);
  }
}

/** Whose model asked, as it is kept with the ask: the same id in two tenants is two people. */
export function ownerOf({ id, tenant }: Participant): string {
  return tenant === undefined ? id : JSON.stringify([tenant, id]);
}

/** What the ask of a client's request is found by among the questions of its place. */
function aboutRequest(client: string, call: RequestId): string {
  return digest('mcp', client, JSON.stringify(call));
}

/** Decides only where to ask. The registry decides whether they may answer. */
function isNamed({ id, roles }: Participant, approvers: AnswerableBy): boolean {
  if (approvers === 'anyone') return true;
  if (approvers === 'asker') return false; // put to a conversation in which the asker has not written
  if ('policy' in approvers) return false;
  return 'roles' in approvers ? approvers.roles.some((role) => roles?.includes(role) === true) : approvers.includes(id);
}

function pageOf({ url }: CheckedMcpOptions, askId: string): string {
  const page: unknown = url?.(askId);
  if (typeof page === 'string' && URL.canParse(page)) return page;
  throw new AgentError('bad-option', 'mcpServer(): url(askId) must give the address of a page, such as https://….');
}

/** Sends progress notifications while the work lasts to a client that wants them: many then wait longer. */
async function withProgress<T>({ mcpReq }: ServerContext, wording: Wording, work: Promise<T>): Promise<T> {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return work;
  let progress = 0;
  let cancel = (): void => {};
  const report = (): void => {
    progress += 1;
    const params = { progressToken, progress, message: wording.asking() };
    mcpReq.notify({ method: 'notifications/progress', params }).catch(() => {}); // if the client is gone, the signal aborts
    cancel = systemClock.after(progressEvery, report);
  };
  report();
  return work.finally(() => cancel());
}

/**
 * BaseAgent: the class that users extend. It keeps only its declared questions; everything it does in a turn is
 * recorded in the turn.
 */

import { typeByKind } from '../answers/built-in-types.js';
import { typeOf } from '../answers/question.js';
import type { Agent, AgentInput, AgentResult, Model } from '../core/agent.js';
import type { AnswerType, Question } from '../core/ask/answer-type.js';
import type { Ask, Closed, PendingAsk } from '../core/ask/ask.js';
import { askView } from '../core/ask/ask.js';
import type { AskOptions } from '../core/ask/options.js';
import { alsoTaken, checkedAskOptions } from '../core/ask/options.js';
import type { Outcome } from '../core/ask/outcome.js';
import { outcomeOf } from '../core/ask/outcome.js';
import { findAsk } from '../core/conversation/conversation.js';
import { definedFields } from '../core/defined-fields.js';
import { AgentError, badOption, unreadableQuestion } from '../core/errors.js';
import { describe } from '../core/ids.js';
import { saysSomething } from '../core/text.js';
import { checkedText } from '../registry/arguments.js';
import { warnOnce } from '../registry/context.js';
import type { DeclaredOptions } from '../registry/turn/agent-port.js';
import { attach, declared, declares, reads, serve, tells } from '../registry/turn/agent-port.js';
import { askInTurn, waitInTurn } from '../registry/turn/asking.js';
import { currentTurn } from '../registry/turn/current-turn.js';
import { decide } from '../registry/turn/deciding.js';
import { newAsk } from '../registry/turn/new-ask.js';
import type {
  Continuation,
  Declared,
  HandlerResult,
  Handlers,
  OutcomeHandler,
  SendOptions,
  TellOutcome,
  TextOrDeclared,
} from '../registry/turn/question-handlers.js';
import { resultOf } from '../registry/turn/question-handlers.js';
import { once } from '../registry/turn/remembering.js';
import type { ReplyHandling } from '../registry/turn/reply.js';
import { handleReply, judgedByWords } from '../registry/turn/reply.js';
import { say, sayIn, sendProgress } from '../registry/turn/saying.js';
import type { Turn } from '../registry/turn/turn.js';
import type { ReplyReader, WaitOptions } from '../registry/turn/wait-options.js';
import { checkedWait } from '../registry/turn/wait-options.js';
import type { Declaration } from './declared-questions.js';
import { DeclaredQuestions, unresolvable } from './declared-questions.js';
import { continuation } from './handler-turn.js';
import { judged } from './judge.js';
import type { LoopOptions } from './model-loop.js';
import { resumeLoop, startLoop } from './model-loop.js';
import { sendTarget } from './send-target.js';
import type { AgentTool } from './tool.js';
import { checkedTools } from './tool.js';
import { transcript } from './transcript.js';

/**
 * An agent written as a class. Only `name` and `invokeAgent` are required.
 *
 * @example
 * import { type AgentInput, BaseAgent } from 'askback';
 *
 * class Support extends BaseAgent {
 *   name = 'support';
 *   async invokeAgent(input: AgentInput) {
 *     const pending = this.getPendingAsk();
 *     if (pending && input.message)
 *       return this.handlePendingAsk(pending, input.message, (order) => ({ output: `Refunded ${order}.` }));
 *     return this.ask('What is your order number?');
 *   }
 * }
 */
export abstract class BaseAgent<I extends string = string> implements Agent {
  /** Asks are stored under this name: do not change it while asks are open. */
  abstract readonly name: string;
  /**
   * What this agent is for, in a sentence. It is for people and programs that list agents; the engine does not read
   * it.
   */
  declare readonly description?: string;
  /** A label that is passed to the model. */
  declare readonly mode?: string;
  /** The instructions that the model is given in `run()`. */
  declare readonly systemPrompt?: string;
  /** The model of this agent. Without it the registry's is used. */
  declare readonly model?: Model;
  /** The tools that the model may call in `run()`. */
  declare readonly tools?: readonly AgentTool[];
  readonly #questions = new DeclaredQuestions();
  readonly #outcomes = new Map<string, { readonly declared: OutcomeHandler; readonly handler: TellOutcome }>();
  #registered = false;
  readonly #judge: ReplyHandling<unknown>['judge'] = (question, answer) => this.evaluateAnswer(question, answer);

  /**
   * Handles a message. An agent that wants another to handle it returns what the other's `invokeAgent(input)` gives: what that one asks is put to
   * the same person, and the reply goes to it. Both are in `agents` of the registry.
   */
  abstract invokeAgent(input: AgentInput<I>): Promise<AgentResult>;

  /**
   * Runs after an ask ended without an answer. The decision is stored before it runs. An ask of any question comes here; none has a
   * `value`, so an override may say `pending: PendingAsk`.
   */
  protected onAskClosed?(pending: PendingAsk, why: Closed, turn: Continuation): HandlerResult | Promise<HandlerResult>;

  /** Asks, and returns at once. The reply comes as a new message; `getPendingAsk()` finds it. */
  protected async ask(question: TextOrDeclared, options: AskOptions = {}): Promise<AgentResult> {
    const turn = this.#turn('ask()');
    const { name, asked, stored } = this.#questions.asked(this.name, question, options);
    const request = newAsk(this.name, name, asked, checkedAskOptions(stored, turn.context.settings, asked.type.kind));
    return { metadata: { waitingForHuman: true, askId: await askInTurn(turn, request) } };
  }

  /**
   * Asks, and waits for the outcome inside this turn. The turn keeps its conversation meanwhile, and other messages
   * queue. After a crash the turn runs again, and the same question finds its answer. For waits of minutes; use
   * `ask()` for days.
   */
  protected askAndWait<T = string>(
    question: string | Question<T> | Declared<T>,
    options: Omit<AskOptions, 'via'> & Omit<WaitOptions, 'keepAlive'> = {},
  ): Promise<Outcome<T>> {
    const turn = this.#turn('askAndWait()');
    const { timeout, keep, signal, ...rest } = options;
    const { asked, stored, check } = this.#questions.awaited(this.name, question, rest);
    const checked = checkedAskOptions(
      stored,
      turn.context.settings,
      asked.type.kind,
      'askAndWait()',
      alsoTaken.waiting,
    );
    if (checked.via !== undefined)
      throw badOption(
        'askAndWait(): via is for ask(), and nothing was asked. A turn asks in its own conversation here; to wait for an answer from elsewhere, call askAndWait(question, { channel, to }) of the registry.',
      );
    const wait = checkedWait({ ...definedFields({ timeout, keep, signal }) });
    const reader = { judge: this.#judge, check: check as ReplyReader['check'] };
    return waitInTurn<T>(turn, asked as Question<unknown>, checked, wait, reader);
  }

  /** The ask of this agent that the current message replies to, or null. */
  protected getPendingAsk(conversationId?: string): PendingAsk | null;
  protected getPendingAsk<T>(question: Declared<T>): PendingAsk<T> | null;
  protected getPendingAsk(about?: string | Declared<unknown>): PendingAsk<unknown> | null {
    const turn = currentTurn();
    const ask = turn?.reply;
    if (turn !== undefined) turn.hasLookedForReply = true;
    if (turn === undefined || turn.ended || ask === undefined || ask.agentName !== this.name) return null;
    if (typeof about === 'string' && about !== turn.conversationId) return null;
    if (typeof about === 'object' && about.name !== ask.question.name) return null;
    return askView<unknown>(ask, turn.conversationId);
  }

  /**
   * Parses the reply. An accepted reply is recorded, and `onSufficient` runs. After a refused one the question is
   * asked again, at most `maxRetries` times; then `onInsufficient` runs (or `onAskClosed`, or the step is skipped).
   */
  protected async handlePendingAsk<T = string>(
    pending: PendingAsk<T>,
    reply: string,
    onSufficient: (answer: T, turn: Continuation<T>) => HandlerResult | Promise<HandlerResult>,
    onInsufficient?: (pending: PendingAsk<T>, turn: Continuation<T>) => HandlerResult | Promise<HandlerResult>,
    options: {
      readonly simpleValidation?: (answer: string) => boolean | Promise<boolean>;
      readonly effectKey?: (answer: T, pending: PendingAsk<T>) => string;
    } = {},
  ): Promise<AgentResult> {
    const turn = this.#turn('handlePendingAsk()');
    const declaration = this.#questions.declarationOf(turn.reply) as
      | { declared: Declared<T>; handlers: Handlers<T> }
      | undefined;
    return handleReply<T>(turn, pending.id, reply, {
      type: declaration === undefined ? undefined : typeOf(declaration.declared.question),
      check: declaration?.handlers.check,
      effectKey: options.effectKey ?? declaration?.handlers.effectKey?.bind(declaration.handlers),
      judge: (question, answer) => {
        this.#warnIfUnjudged(turn, question);
        return this.#judge(question, answer);
      },
      simpleValidation: options.simpleValidation,
      onSufficient: (answer, decided) => onSufficient(answer, continuation(this, turn, decided)),
      onExhausted: async (ask) => {
        const more = continuation(this, turn, ask);
        return onInsufficient === undefined ? this.#askClosed(ask, 'exhausted', more) : onInsufficient(ask, more);
      },
    });
  }

  /**
   * Decides whether a reply answers a question: by `simpleValidation`, else by the model, else any reply with a
   * letter or digit does.
   */
  protected async evaluateAnswer(
    question: string,
    answer: string,
    options: { readonly simpleValidation?: (answer: string) => boolean | Promise<boolean> } = {},
  ): Promise<boolean> {
    if (options.simpleValidation !== undefined) return options.simpleValidation(answer);
    const turn = currentTurn();
    const model = this.model ?? turn?.model;
    if (model === undefined) return saysSomething(answer);
    const { context, stop } = this.#turn('evaluateAnswer()');
    const [{ signal }, limit] = [stop, context.settings.judgeLimit];
    return judged(model, question, answer, { signal, limit, clock: context.clock });
  }

  /** Accepts an answer without parsing it. The rest of `invokeAgent` is the continuation. */
  protected async resolvePendingAsk(id: string, answer: string): Promise<void> {
    const turn = this.#turn('resolvePendingAsk()');
    const ask = findAsk(turn.written, id) ?? (turn.reply?.id === id ? turn.reply : undefined);
    if (ask === undefined || ask.agentName !== this.name) throw await unresolvable(turn, id);
    if (ask.decision !== undefined && ask.decision.entry !== turn.workId && turn.reading.type !== 'reply')
      throw await unresolvable(turn, id);
    const { textBytes } = turn.context.settings;
    if (typeof answer !== 'string' || Buffer.byteLength(answer) > textBytes) {
      const got = typeof answer === 'string' ? 'a longer one' : describe(answer);
      throw new AgentError(
        'bad-data',
        `resolvePendingAsk(): the answer must be a string of at most ${textBytes} bytes, got ${got}.`,
      );
    }
    await decide(turn, id, { status: 'answered', answer });
    turn.continued = true;
  }

  /**
   * Sends a message to a channel when the turn is saved. `to` is an address of the channel; the channel `'handle'` has none, and
   * takes the `conversationId` that its transport gives to `handle()`.
   */
  protected async sendTo(channelName: string, message: string, options: SendOptions = {}): Promise<void> {
    const turn = this.#turn('sendTo()');
    const target = sendTarget(turn, channelName, options);
    const text = checkedText(message, 'sendTo()');
    if ('conversationId' in target) sayIn(turn, target, text);
    else say(turn, text, target);
  }

  /** Sends a message at once. It is not stored and may be lost. */
  protected progress(message: string): void {
    sendProgress(this.#turn('progress()'), checkedText(message, 'progress()'));
  }

  /**
   * Runs `work` once for this turn and its re-runs. Only the provider can recognise repeats across turns: pass the
   * key on.
   */
  protected once<T>(key: string, work: (key: string) => Promise<T>): Promise<T> {
    return once(this.#turn('once()'), { key, run: work, by: this.name });
  }

  /**
   * Calls the model, which sees the conversation so far and may call the agent's `tools`. A tool call that asks the
   * person ends the turn; the run continues when the answer comes.
   */
  protected async run(message: string): Promise<AgentResult> {
    const turn = this.#turn('run()');
    const content = checkedText(message, 'run()');
    const messages = [...(await transcript(turn)), { role: 'user' as const, content }];
    return startLoop(turn, this.#loop(turn), messages);
  }

  /**
   * Declares a handler of outcomes by name: what it returns is given to `registry.ask()` as `then`. It gets every outcome of such an
   * ask at least once, in any process, also when the one that asked is gone.
   */
  protected onOutcome(name: string, handler: TellOutcome): OutcomeHandler {
    if (typeof name !== 'string' || name === '' || typeof handler !== 'function')
      throw badOption(
        `onOutcome() needs a name and a function, such as onOutcome('resume', (outcome) => …), got ${describe(name)} and ${describe(handler)}.`,
      );
    if (this.#outcomes.has(name))
      throw badOption(`onOutcome(): the name ${JSON.stringify(name)} is given twice. Give each its own.`);
    const declared: OutcomeHandler = Object.freeze({ name });
    this.#outcomes.set(name, { declared, handler });
    return declared;
  }

  /** Declares a question by name, with the handlers of its answer. */
  protected question<T>(name: string, question: Question<T>, handlers: Handlers<T> = {}): Declared<T> {
    return this.#questions.declare(name, question, handlers);
  }

  /** @internal */
  [attach](): void {
    this.#registered = true;
  }

  /** @internal */
  [serve](turn: Turn): Promise<AgentResult> {
    const { reading } = turn;
    if ('ask' in reading && reading.ask?.own.run !== undefined) return this.#resumeRun(turn, reading.ask);
    if ('ask' in reading && reading.ask?.own.then !== undefined) return this.#toldOutcome(turn, reading.ask);
    if (reading.type === 'close') return this.#closed(turn, reading.ask, reading.as);
    const declaration = reading.type === 'reply' ? this.#questions.declarationOf(reading.ask) : undefined;
    const onAnswer = declaration?.handlers.onAnswer?.bind(declaration.handlers);
    if (reading.type !== 'reply' || declaration === undefined || onAnswer === undefined) {
      turn.begins();
      return this.invokeAgent(turn.input() as AgentInput<I>);
    }
    return handleReply<unknown>(turn, reading.ask.id, turn.message, {
      type: typeOf(declaration.declared.question),
      check: declaration.handlers.check,
      effectKey: declaration.handlers.effectKey?.bind(declaration.handlers),
      judge: this.#judge,
      onSufficient: (answer, pending) => onAnswer(answer, continuation(this, turn, pending)),
      onExhausted: (ask) => this.#hook(turn, declaration, ask, 'exhausted'),
    });
  }

  /** @internal */
  [declares](question: Declared<unknown>): AskOptions | undefined {
    return this.#questions.storedFor(question);
  }

  /** @internal */
  [declared](): readonly DeclaredOptions[] {
    return this.#questions.all();
  }

  /** @internal */
  [tells](handler: OutcomeHandler): boolean {
    return this.#outcomes.get(handler?.name)?.declared === handler;
  }

  /** @internal */
  [reads](ask: Ask): AnswerType<unknown> | undefined {
    if (ask.own.then !== undefined) return typeByKind(ask.question.kind);
    const declaration = ask.own.run === undefined ? this.#questions.declarationOf(ask) : undefined;
    const { onAnswer, check, effectKey } = declaration?.handlers ?? {};
    if (declaration === undefined || onAnswer === undefined || check !== undefined || effectKey !== undefined)
      return undefined;
    return typeOf(declaration.declared.question);
  }

  /** An ask of `run()` has ended: its outcome goes to the model, and the run continues. */
  async #resumeRun(turn: Turn, ask: Ask): Promise<AgentResult> {
    const goOn = (): Promise<AgentResult> => resumeLoop(turn, this.#loop(turn), findAsk(turn.written, ask.id) ?? ask);
    if (turn.reading.type === 'close') return goOn();
    return handleReply<unknown>(turn, ask.id, turn.message, {
      judge: judgedByWords,
      onSufficient: goOn,
      onExhausted: goOn,
    });
  }

  /** An ask that names an outcome handler: its reply is read by its kind, and however it ends, the handler is told. */
  async #toldOutcome(turn: Turn, ask: Ask): Promise<AgentResult> {
    const tell = async (pending: PendingAsk<unknown>): Promise<HandlerResult> => {
      const { conversationId } = turn;
      const decided = findAsk(turn.written, ask.id) ?? turn.reply ?? ask;
      const told = this.#outcomes.get(ask.own.then ?? '');
      if (told === undefined) {
        turn.hasBegun = false; // nothing of the author's has run: the attempt of whoever has the handler is the first
        throw unreadableQuestion(
          `Agent ${this.name} has no outcome handler ${JSON.stringify(ask.own.then)}, which ask ${ask.id} names. Declare it again with onOutcome(), then retry.`,
        );
      }
      turn.begins();
      return told.handler(outcomeOf<unknown>(decided, conversationId), continuation(this, turn, pending));
    };
    if (turn.reading.type === 'close') {
      const now = findAsk(turn.written, ask.id) ?? ask;
      return resultOf(await tell(askView<unknown>(now, turn.conversationId)));
    }
    return handleReply<unknown>(turn, ask.id, turn.message, {
      type: turn.context.answerTypes.get(ask.question.kind),
      judge: this.#judge,
      onSufficient: (_, pending) => tell(pending),
      onExhausted: tell,
    });
  }

  /** An open question that nothing judges: "asdf" answers it, and so does "what?". */
  #warnIfUnjudged(turn: Turn, question: string): void {
    const isOwn = this.evaluateAnswer !== BaseAgent.prototype.evaluateAnswer;
    if (isOwn || (this.model ?? turn.model) !== undefined) return;
    warnOnce(
      turn.context,
      `not judged: ${this.name}`,
      'Any reply with a letter or a digit answers this open question: nothing says what an answer is. Give handlePendingAsk() a simpleValidation, the question a pattern or a check, or the agent a model',
      { conversationId: turn.conversationId, agentName: this.name, question },
    );
  }

  #loop(turn: Turn): LoopOptions {
    const model = this.model ?? turn.model;
    if (model === undefined)
      throw new AgentError(
        'no-model',
        `Agent ${this.name} has no model for run(). Give it one, or give the registry one: new AgentRegistry({ model }).`,
      );
    return { model, system: this.systemPrompt, tools: checkedTools(this.tools, this.name), agentName: this.name };
  }

  async #closed(turn: Turn, ask: Ask, why: Closed): Promise<AgentResult> {
    const now = findAsk(turn.written, ask.id) ?? ask;
    const view = askView<unknown>(now, turn.conversationId);
    return resultOf(await this.#hook(turn, this.#questions.declarationOf(ask), view, why));
  }

  async #hook(
    turn: Turn,
    declaration: Declaration | undefined,
    ask: PendingAsk<unknown>,
    why: Closed,
  ): Promise<HandlerResult> {
    const handlers = declaration?.handlers;
    const more = continuation(this, turn, ask);
    turn.begins();
    if (handlers?.onClosed === undefined) return this.#askClosed(ask, why, more);
    return handlers.onClosed(ask, why, more);
  }

  #askClosed<T>(ask: PendingAsk<T>, why: Closed, turn: Continuation<T>): HandlerResult | Promise<HandlerResult> {
    return this.onAskClosed?.(ask as PendingAsk<never>, why, turn as Continuation<never>); // without an answer it has no value
  }

  #turn(what: string): Turn {
    const turn = currentTurn();
    if (turn === undefined) {
      if (!this.#registered)
        throw new AgentError(
          'not-registered',
          `Agent not registered - cannot use ${what}. Pass the agent to new AgentRegistry({ agents: [...] }).`,
        );
      throw new AgentError(
        'no-turn',
        `${what} was called outside a turn, so there is no conversation to use. Call it from invokeAgent() or a handler.`,
      );
    }
    turn.assertOpen(what);
    return turn;
  }
}

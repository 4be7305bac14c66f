/**
 * One reply, for both ways of writing an agent: parse, check, judge, decide, write, continue. The decision is written before
 * the continuation starts, so a re-run finds it and goes straight to the continuation.
 */

import { typeByKind } from '../../answers/built-in-types.js';
import { asksWhy } from '../../answers/reading/reply.js';
import type { AgentResult } from '../../core/agent.js';
import type { AnswerType, Parsed } from '../../core/ask/answer-type.js';
import { withNumbers } from '../../core/ask/answer-type.js';
import type { Ask, FollowUp, PendingAsk } from '../../core/ask/ask.js';
import { askView, insufficient, isRepeated, promptOf } from '../../core/ask/ask.js';
import type { NewVerdict } from '../../core/ask/decision.js';
import { effectKeyRule } from '../../core/ask/options.js';
import { quotes } from '../../core/conversation/hidden-words.js';
import { AgentError, unreadableQuestion } from '../../core/errors.js';
import { digest } from '../../core/ids.js';
import { asJson } from '../../core/json.js';
import { saysSomething } from '../../core/text.js';
import type { AnswerCheck } from './answer-check.js';
import { objectionOf } from './answer-check.js';
import { decide, vote } from './deciding.js';
import { answerOf, parsedAs, plainValue } from './parse-reply.js';
import type { HandlerResult } from './question-handlers.js';
import { resultOf } from './question-handlers.js';
import { followUp, reask, showAgain, tell } from './saying.js';
import type { Turn } from './turn.js';

/** How one reply is read, and what follows it. */
export interface ReplyHandling<T> {
  /** The declared question's own type; without it the ask's kind names a built-in one. */
  readonly type?: AnswerType<T> | undefined;
  readonly check?: AnswerCheck<T> | undefined;
  readonly effectKey?: ((answer: T, pending: PendingAsk<T>) => string) | undefined;
  /** Asked when neither the type nor a check can tell whether the reply is an answer. */
  readonly judge: (question: string, reply: string) => Promise<boolean>;
  readonly simpleValidation?: ((answer: string) => boolean | Promise<boolean>) | undefined;
  readonly onSufficient: (answer: T, pending: PendingAsk<T>) => HandlerResult | Promise<HandlerResult>;
  /** After the last insufficient reply. If it says and asks nothing, the human gets the skip sentence. */
  readonly onExhausted: (pending: PendingAsk<T>) => Promise<HandlerResult>;
}

/** Whether the reply has words: where no model judges, or may judge, they are an answer. */
export const judgedByWords = async (_question: string, reply: string): Promise<boolean> => saysSomething(reply);

/** Handles a reply that somebody waits for: the decision is all that is needed. */
export function handleAwaited(
  turn: Turn,
  ask: Ask,
  reader: Pick<ReplyHandling<unknown>, 'type' | 'judge' | 'check'>,
): Promise<AgentResult> {
  return handleReply<unknown>(turn, ask.id, turn.message, {
    ...reader,
    onSufficient: (value) => tellAnswered(turn, value, reader.type),
    onExhausted: async () => undefined,
  });
}

export async function handleReply<T>(
  turn: Turn,
  askId: string,
  reply: string,
  how: ReplyHandling<T>,
): Promise<AgentResult> {
  const ask = turn.reply;
  if (ask === undefined || ask.id !== askId) {
    throw new AgentError(
      'unknown-ask',
      `Ask ${askId} is not the one this turn's message replies to. Pass what getPendingAsk() returned in this turn.`,
    );
  }
  if (ask.decision !== undefined) return await continueAfter(turn, ask, how);
  const read = await readReply(turn, ask, reply, how);
  if (read.type === 'refused') return refuse(turn, ask, read, how);
  if (read.type === 'asked-why') {
    showAgain(turn, ask.id);
    return waitingFor(ask.id);
  }
  if (read.type === 'more') {
    followUp(turn, ask.id, read.followUp, read.followUp.prompt, false);
    return waitingFor(ask.id);
  }
  const verdict = verdictOf(turn, ask, reply, read.value, how);
  const decided =
    ask.audience.quorum === undefined
      ? await decide(turn, ask.id, verdict)
      : await vote(turn, ask.id, verdict.value === true, verdict);
  return decided === undefined ? waitingFor(ask.id) : await continueAfter(turn, decided, how);
}

/** What a reply was read as. Problems are in the words of whoever wrote it. */
type ReplyReading<T> =
  | { readonly type: 'value'; readonly value: T }
  | { readonly type: 'more'; readonly followUp: FollowUp }
  /** No answer and no attempt at one: what is it needed for? */
  | { readonly type: 'asked-why' }
  | {
      readonly type: 'refused';
      readonly problem: string;
      readonly why: 'not-understood' | 'not-valid';
      /** The author's check has said what is wrong. */
      readonly isObjection?: true;
      /** What is asked again, where that is not simply the question. */
      readonly followUp?: FollowUp;
    };

/** What the reply is read as. Nothing that is said about a sensitive one quotes it: what is said is stored and sent. */
async function readReply<T>(turn: Turn, ask: Ask, reply: string, how: ReplyHandling<T>): Promise<ReplyReading<T>> {
  const read = await judgedReply(turn, ask, reply, how);
  if (!ask.question.sensitive || read.type !== 'refused' || !isQuoted(read.problem, ask, reply)) return read;
  return { ...read, problem: turn.language.wording.wrongPattern(undefined) };
}

function isQuoted(text: string, ask: Ask, reply: string): boolean {
  const given = JSON.stringify(ask.progress.part?.partial ?? '');
  return quotes(text, [reply, given], `${ask.question.text} ${promptOf(ask)} ${JSON.stringify(ask.question.data)}`);
}

/** Parses, then checks, then asks the judge; each only where the one before has not settled it. */
async function judgedReply<T>(turn: Turn, ask: Ask, reply: string, how: ReplyHandling<T>): Promise<ReplyReading<T>> {
  const { wording } = turn.language;
  const { settings } = turn.context;
  const type = typeFor<T>(ask, how.type);
  const parsed = await parse(turn, ask, type, reply);
  if (!parsed.ok && parsed.why === 'more') return { type: 'more', followUp: followUpOf(turn, ask, reply, parsed) };
  if (!parsed.ok) return { type: 'refused', why: parsed.why, problem: parsed.say?.(wording) ?? parsed.problem };
  const value = plainValue(parsed.value, settings) as T; // a copy that its type has read: a check may change what it is given
  if (how.check !== undefined) {
    const objection = await objectionOf(how.check, parsed.value);
    if (objection !== undefined) {
      const again = type.reopen?.(value, ask.question.data as never, objection.fields);
      const refusal = { type: 'refused', why: 'not-valid', problem: objection.problem, isObjection: true } as const;
      return again === undefined ? refusal : { ...refusal, followUp: followUpOf(turn, ask, reply, again) };
    }
  }
  if (how.simpleValidation !== undefined && !(await how.simpleValidation(reply)))
    return { type: 'refused', why: 'not-valid', problem: wording.wrongPattern(undefined) };
  const isProven =
    how.check !== undefined || how.simpleValidation !== undefined || type.isOpen?.(ask.question.data) !== true;
  if (isProven) return { type: 'value', value };
  const { reading } = turn;
  if (reading.type === 'reply' && reading.how === 'typed' && asksWhy(reply, { language: turn.language }))
    return { type: 'asked-why' };
  // a sensitive answer is never shown to a model
  const isAnswer = ask.question.sensitive ? saysSomething(reply) : await how.judge(ask.question.text, reply);
  if (isAnswer) return { type: 'value', value };
  const problem = saysSomething(reply) ? wording.unclear() : wording.needText();
  return { type: 'refused', why: 'not-understood', problem };
}

function typeFor<T>(ask: Ask, own: AnswerType<T> | undefined): AnswerType<T> {
  const { kind, kindVersion } = ask.question;
  const type = own ?? (typeByKind(kind) as AnswerType<T> | undefined);
  if (type !== undefined && type.kind === kind && (kindVersion ?? 1) <= (type.version ?? 1)) return type;
  const version = kindVersion === undefined ? '' : `, version ${kindVersion}`;
  throw unreadableQuestion(
    `Ask ${ask.id} is of kind ${JSON.stringify(kind)}${version}, which this release of agent ${ask.agentName} cannot read. Deploy one that can, then retry.`,
  );
}

function parse<T>(turn: Turn, ask: Ask, type: AnswerType<T>, reply: string): Parsed<T> | Promise<Parsed<T>> {
  const { reading, message, who } = turn;
  const entry = reading.type === 'reply' && reply === message ? reading.entry : undefined;
  const locale = who?.locale ?? ask.question.locale;
  const { language, conversationId, context } = turn;
  return parsedAs(type, ask, { text: reply, entry, language, locale, conversationId }, context.settings);
}

type PartialReading = Extract<Parsed<unknown>, { why: 'more' }>;

function followUpOf(turn: Turn, ask: Ask, reply: string, { partial, prompt, say, shape }: PartialReading): FollowUp {
  const said = say?.(turn.language.wording);
  const isSecret = ask.question.sensitive && said !== undefined && isQuoted(said.replace(prompt, ''), ask, reply);
  const own = said === undefined || isSecret ? prompt : said;
  return { partial: asJson(partial), prompt: own, shape: withNumbers(asJson(shape)) }; // a type from elsewhere may have made them
}

function verdictOf<T>(turn: Turn, ask: Ask, reply: string, value: T, how: ReplyHandling<T>): NewVerdict {
  const answer = answerOf(value, reply, turn.context.settings);
  if (how.effectKey === undefined) return { status: 'answered', ...answer };
  const pending = { ...askView<T>(ask, turn.conversationId), answer: answer.answer, value };
  const effectKey = effectKeyRule(how.effectKey(value, pending), 'The result of effectKey()');
  return { status: 'answered', ...answer, effectKey };
}

/** Asks again, or gives up after the last attempt. What a control or a program gave is no attempt: it is told so. */
async function refuse<T>(
  turn: Turn,
  ask: Ask,
  refusal: ReplyReading<T> & { type: 'refused' },
  how: ReplyHandling<T>,
): Promise<AgentResult> {
  const { wording } = turn.language;
  const { reading } = turn;
  if (reading.type === 'reply' && reading.how !== 'typed') {
    // what is said about a sensitive answer may quote it, and this is stored
    const problem = ask.question.sensitive ? wording.wrongPattern(undefined) : refusal.problem;
    turn.undecided = { type: 'invalid', problem };
    const isTold = reading.entry.type === 'message' && reading.entry.tellsProblem === true;
    if (reading.how === 'control' && !isTold) tell(turn, wording.invalid(problem));
    return waitingFor(ask.id);
  }
  const { retries, returns = 0 } = ask.progress;
  const { maxRetries, retryText } = ask.question;
  const attempts = refusal.followUp === undefined ? retries : returns;
  const said = saidByAddress(reading, ask);
  if (attempts >= maxRetries && !isRepeated(ask, said)) {
    const decided = await decide(turn, ask.id, { status: 'exhausted', answer: insufficient });
    return continueAfter(turn, decided, how);
  }
  const again = (question: string, problem: string): string => {
    if (retryText !== undefined && refusal.isObjection !== true) return `${retryText}\n${question}`;
    return refusal.why === 'not-valid' ? wording.notValid(question, problem) : wording.notUnderstood(question, problem);
  };
  if (refusal.followUp === undefined) reask(turn, ask.id, again(promptOf(ask), refusal.problem), said);
  else followUp(turn, ask.id, refusal.followUp, again(refusal.followUp.prompt, refusal.problem), true);
  return waitingFor(ask.id);
}

/**
 * The digest of a reply whose author is known by the address alone: a program that answers each mail with the same words costs one attempt.
 * Undefined for a sensitive question: a digest of a short answer would tell it.
 */
function saidByAddress(reading: Turn['reading'], ask: Ask): string | undefined {
  if (reading.type !== 'reply' || reading.entry.type !== 'message' || ask.question.sensitive === true) return undefined;
  const { place, text, participant } = reading.entry;
  return place.proof === 'address' ? digest('reply', participant?.id ?? '', text).slice(0, 16) : undefined;
}

/** Tells whoever typed an answer what they have done, where its type says so and no agent does: a pressed control is redrawn. */
function tellAnswered<T>(turn: Turn, value: T, own: AnswerType<T> | undefined): undefined {
  const { reading } = turn;
  if (reading.type !== 'reply' || reading.how !== 'typed') return;
  const type = own ?? (typeByKind(reading.ask.question.kind) as AnswerType<T> | undefined);
  const told = type?.told?.(value, reading.ask.question.data as never, turn.language.wording);
  if (told !== undefined) tell(turn, told);
}

function waitingFor(askId: string): AgentResult {
  return { metadata: { waitingForHuman: true, askId } };
}

async function continueAfter<T>(turn: Turn, ask: Ask, how: ReplyHandling<T>): Promise<AgentResult> {
  const pending = askView<T>(ask, turn.conversationId);
  turn.continued = true;
  turn.begins();
  if (ask.status === 'answered') return resultOf(await how.onSufficient(pending.value as T, pending)); // answered: it has a value
  const before = turn.moves.length;
  const result = resultOf(await how.onExhausted(pending));
  if (result.output !== undefined || turn.moves.length > before) return result;
  tell(turn, turn.language.wording.skipped());
  turn.skipped = ask.id;
  return {
    output: 'Step skipped due to insufficient input.',
    metadata: { ...result.metadata, skipped: true, askId: ask.id },
  };
}

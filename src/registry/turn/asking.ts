/**
 * What a turn asks. The same question in a re-run of the turn is the same ask; all of them are opened by the save that closes the turn.
 */
import { typeOf } from '../../answers/question.js';
import type { Question } from '../../core/ask/answer-type.js';
import type { Ask } from '../../core/ask/ask.js';
import type { CheckedAskOptions } from '../../core/ask/options.js';
import type { Outcome } from '../../core/ask/outcome.js';
import { openEntryId } from '../../core/conversation/entry.js';
import { AgentError } from '../../core/errors.js';
import type { QuestionPlace } from '../../core/ids.js';
import { askIdentity, describe } from '../../core/ids.js';
import { canonical } from '../../core/json.js';
import { waitingAgent, warnOnce } from '../context.js';
import type { NewAsk } from './new-ask.js';
import {
  assertRoom,
  newAsk,
  openingOf,
  preparedAsk,
  questionKey,
  tenantCheck,
  viaTarget,
  warnOfDoubtfulOptions,
} from './new-ask.js';
import type { Turn } from './turn.js';
import type { CheckedWait, ReplyReader } from './wait-options.js';

/**
 * Opens an ask with the end of the turn. Gives a promise only if tenants of listed ids have to be looked up, and for what is asked
 * meanwhile: asks are opened in the order asked.
 */
export function askInTurn(turn: Turn, request: NewAsk): string | Promise<string> {
  turn.assertOpen('ask()');
  assertRegistered(turn, request.agentName);
  const { context, conversationId: askedIn } = turn;
  const { options } = request;
  const target = options.via === undefined ? undefined : viaTarget(context, options.via, { askedIn });
  const there = target ?? { conversationId: askedIn, isApart: false, place: turn.place };
  const made = preparedAsk(context, request, there);
  warnOfDoubtfulOptions(context, request);
  const { id, conversationId } = identityOf(turn, request, there);
  const open = (): string => {
    const { asker, cause, lease } = turn;
    const ask = made({ id, asker, elsewhere: target !== undefined, cause, now: lease.now() });
    assertRoom(turn, ask);
    if (target === undefined) openHere(turn, ask);
    else openThere(turn, ask, conversationId, options.expiresIn);
    return id;
  };
  const check = tenantCheck(context, turn.asker.tenant, options);
  return check === undefined && turn.checking === 0 ? open() : checked(turn, check, open);
}

/** Asks in the turn's own conversation, and waits for the outcome. */
export function waitInTurn<T>(
  turn: Turn,
  question: Question<unknown>,
  options: CheckedAskOptions,
  wait: CheckedWait,
  reader: Omit<ReplyReader, 'type'>,
): Promise<Outcome<T>> {
  const request = newAsk(waitingAgent, undefined, question, options);
  return turn.waiting.wait<T>(turn, request, wait, { ...reader, type: typeOf(question) });
}

function openHere(turn: Turn, ask: Ask): void {
  warnIfOpen(turn, ask);
  turn.moves.push({ type: 'open', ask });
}

function openThere({ moves }: Turn, ask: Ask, conversationId: string, expiresIn: number | undefined): void {
  moves.push({ type: 'forward', conversationId, entryId: openEntryId(ask.id), entry: openingOf(ask, expiresIn) });
}

/** Opens an ask after its check and after all asks before it. The turn may be over by then. */
function checked(turn: Turn, check: Promise<void> | undefined, open: () => string): Promise<string> {
  turn.checking += 1;
  const done = Promise.all([check, turn.lastChecked])
    .then(() => {
      turn.assertOpen('ask()');
      return open();
    })
    .finally(() => {
      turn.checking -= 1;
    });
  turn.lastChecked = done.catch(() => undefined);
  return done;
}

/** The reply goes to the agent by its name: one that another runs in this turn has to be there, too. */
function assertRegistered({ context: { agentNames } }: Turn, name: string): void {
  if (name === waitingAgent || agentNames.includes(name)) return; // every registry reads what is only waited for
  throw new AgentError(
    'not-registered',
    `ask(): agent ${JSON.stringify(name)} is not registered, so nobody could read the reply. Nothing was asked. Put it into \`agents\` beside ${agentNames.map(describe).join(', ')}, or let it use askAndWait().`,
  );
}

function warnIfOpen({ context, conversationId, moves, written }: Turn, asked: Ask): void {
  const { id: askId, agentName, question, own } = asked;
  const { name, text } = question;
  const opened = moves.flatMap((move) => (move.type === 'open' ? [move.ask] : []));
  const twin = [...written.asks, ...opened].find(
    (each) =>
      each.status === 'pending' &&
      each.id !== askId &&
      each.question.text === text &&
      each.agentName === agentName &&
      canonical(each.own.context) === canonical(own.context),
  );
  if (twin === undefined) return;
  warnOnce(
    context,
    `asked twice: ${agentName} ${name ?? text}`,
    'A question was asked while the same question is open in its conversation: the person has to answer it twice. Do not ask it again, or cancel the open one first',
    { conversationId, agentName, askId, open: twin.id },
  );
}

/** The ask's id and its conversation: the same for the same question in a re-run of the turn. The id is secret by the turn's. */
export function identityOf(turn: Turn, request: NewAsk, there: QuestionPlace): ReturnType<typeof askIdentity> {
  const question = questionKey(request);
  const identity = nextIdentity(turn, request, there, question);
  turn.asked.push(question);
  return identity;
}

/** What they would be if the question were asked now. */
export function nextIdentity(
  { id, asked }: Turn,
  request: NewAsk,
  there: QuestionPlace,
  question = questionKey(request),
): ReturnType<typeof askIdentity> {
  const number = asked.filter((each) => each === question).length;
  return askIdentity(there, id, question, String(number));
}

/**
 * Asks a person to approve an action: deny, once, or for this session. The exact action is stored with the ask, and
 * only that is approved. Nothing is executed here; anything but a clear yes is a no.
 */
import { approvalChoice } from '../../answers/choice.js';
import type { Question } from '../../core/ask/answer-type.js';
import type { AnswerableBy, PendingAsk } from '../../core/ask/ask.js';
import { checkedAnswerableBy } from '../../core/ask/options.js';
import {
  assertObject,
  boolean,
  type CheckedOptions,
  checkOptions,
  milliseconds,
  nonEmpty,
  type OptionRules,
  optional,
  string,
} from '../../core/check-options.js';
import { definedFields } from '../../core/defined-fields.js';
import { AgentError } from '../../core/errors.js';
import { digest } from '../../core/ids.js';
import type { Json } from '../../core/json.js';
import type { Participant } from '../../core/participant.js';
import type { Wording } from '../../core/wording/wording.js';
import { uses } from '../../registry/calls/single-use.js';
import type { AgentRegistry } from '../../registry/registry.js';
import type { AskPlace, AskPlaceOption, ToolCall, Unattended } from '../ask-place.js';
import { askerFor, callKeyFor, checkedCall, fixedPlace, placeOf, unattendedRule, whereRule } from '../ask-place.js';
import type { Interrupt } from '../interrupt.js';
import {
  askedAndWaited,
  callContext,
  checkedInterrupt,
  closedInterrupt,
  endedAsk,
  openedInterrupt,
} from '../interrupt.js';
import {
  approvalInterrupted,
  changed,
  denied,
  nobodyDecides,
  notStorable,
  ranOut,
  undecided,
  usedUp,
} from '../model-texts.js';
import type { ToolAskOptions } from '../options.js';
import { askingRules, askOptionsOf, registryGetter, timeoutRule } from '../options.js';
import { SharedCalls } from '../shared-calls.js';
import type { PlacedAction } from './action.js';
import {
  aboutAction,
  actionOf,
  currentSession,
  digestOf,
  isSameAction,
  sessionKey,
  shownDetails,
  storedAction,
} from './action.js';
import type { Grant } from './grants.js';
import { Grants } from './grants.js';

/** The options of `approve()`: where and whom to ask, and how long. */
export interface ApprovalOptions extends ToolAskOptions {
  /** Where to ask: a place, `'here'`, or a function of the call. */
  readonly where: AskPlaceOption;
  /** Who may approve. Required: there is no safe default. */
  readonly answerableBy: AnswerableBy;
  /**
   * What happens if nobody can be asked. Nothing is ever done without a person.
   *
   * @default 'reject'
   */
  readonly unattended?: Unattended;
  /**
   * How long to wait for the decision, in ms. Then the ask is cancelled.
   *
   * @default 600_000
   */
  readonly timeout?: number;
  /**
   * How long an approval is valid, in ms from the decision, at most `settings.dedupeWindow`.
   *
   * @default 3_600_000
   */
  readonly expiresIn?: number;
  /**
   * False: a person can approve it once only.
   *
   * @default true
   */
  readonly session?: boolean;
}

/** The outcome of a request. `text` is for the model. */
export type Approval =
  | { readonly approved: true; readonly input: Json; readonly effectKey: string }
  | { readonly approved: false; readonly text: string };

/** An action that a model wants to take. */
export interface ActionRequest {
  /** The name of the tool. */
  readonly tool: string;
  /** The arguments of the call: exactly these are approved. */
  readonly input: unknown;
  /** Default: "Allow <tool>?", in the language of whoever is asked, if that is known. */
  readonly question?: string;
}

/** Approvals of actions that a model wants to take. */
export interface Approvals {
  /** Asks and waits, unless a grant covers exactly this action. Execute the returned `input`, with its `effectKey`. */
  request(action: ActionRequest, call?: ToolCall): Promise<Approval>;
  /** Asks without waiting; undefined if a grant covers the action already: then `request` returns at once. */
  open(action: ActionRequest, call?: ToolCall): Promise<Interrupt | undefined>;
  /** The outcome of an open request. One that nobody has decided by now is cancelled. */
  resume(tool: string, interrupt: Interrupt): Promise<Approval>;
  /** The session grants that are valid now at this place. Default: where it asks, unless `where` is a function. */
  grants(place?: AskPlace): Promise<readonly Grant[]>;
  /** Revokes a grant by its id, for every process; false if there is none. */
  revoke(id: string): Promise<boolean>;
}

export const approvalRules = {
  ...askingRules,
  where: whereRule,
  answerableBy: (value: unknown, name: string): AnswerableBy => {
    if (value !== undefined) return checkedAnswerableBy(value, name);
    throw new AgentError(
      'bad-option',
      `${name} must say who may approve, such as { roles: ['manager'] }, got nothing.`,
    );
  },
  unattended: unattendedRule,
  timeout: timeoutRule,
  expiresIn: optional(milliseconds({ max: Number.POSITIVE_INFINITY }), 3_600_000),
  session: optional(boolean(), true),
} satisfies OptionRules<ApprovalOptions>;

export const approvalExample = "{ where: { channel: 'slack', to: 'C1' }, answerableBy: { roles: ['manager'] } }";

/**
 * Approvals for actions of a model. A grant is for one tool with exactly these arguments: used once, or in the same
 * conversation until `expiresIn`. Grants are stored and shared by all processes on the same store.
 *
 * @example
 * import { AgentRegistry } from 'askback';
 * import { approve } from 'askback/tools';
 *
 * const registry = new AgentRegistry();
 * const where = { channel: 'handle', conversationId: 'managers' };
 * const approvals = approve(registry, { where, answerableBy: { roles: ['manager'] } });
 * const approval = await approvals.request({ tool: 'refund', input: { order: '12345' } }, { callId: 'call_1' });
 * console.log(approval.approved ? approval.effectKey : approval.text);
 */
export function approve(registry: AgentRegistry | (() => AgentRegistry), options: ApprovalOptions): Approvals {
  return new Approving(
    registryGetter(registry, 'approve()'),
    checkOptions('approve()', options, approvalRules, approvalExample),
  );
}

type CheckedApprovalOptions = CheckedOptions<typeof approvalRules>;

/** An action with the participant for whom it is wanted, if that is not the asker of a turn. */
interface WantedAction extends PlacedAction {
  readonly asker: Participant | undefined;
}

export class Approving implements Approvals {
  readonly #registry: () => AgentRegistry;
  readonly #checked: CheckedApprovalOptions;
  readonly #grants: Grants;
  /** Calls that run now: the same call again must not ask twice. */
  readonly #requesting = new SharedCalls<Approval>();
  readonly #opening = new SharedCalls<Interrupt | undefined>();

  constructor(registry: () => AgentRegistry, checked: CheckedApprovalOptions) {
    this.#registry = registry;
    this.#checked = checked;
    this.#grants = new Grants(registry, checked);
  }

  async request(request: ActionRequest, given: ToolCall = {}): Promise<Approval> {
    assertRequest(request, 'request()');
    const call = checkedCall(given, 'request()');
    const action = await this.#wanted(request, call);
    if ('text' in action) return refusal(action.text);
    const key = callKeyFor(call, action.digest);
    return this.#requesting.share(sharedKey(action, key), call.signal, (signal) =>
      this.#request(request, action, key, { ...call, signal }),
    );
  }

  async #request(
    request: ActionRequest,
    action: WantedAction,
    key: string | undefined,
    call: ToolCall,
  ): Promise<Approval> {
    const registry = this.#registry();
    await registry.start();
    const how = { waits: true as const, ...definedFields({ key }) };
    const [question, asking] = [this.#question(request, action), this.#options(action, call, how)];
    // a re-run gets the answer that this call had: a grant that was given later would carry it out again, or in spite of a no
    if (!(await registry[uses].wasAsked(question, asking))) {
      const effectKey = await this.#grants.use(action, key);
      if (effectKey !== undefined) return { approved: true, input: action.input, effectKey };
    }
    const options = { ...asking, ...definedFields({ timeout: this.#checked.timeout, signal: call.signal }) };
    const outcome = await askedAndWaited(registry, question, options, [aboutAction(action)]);
    if (outcome === undefined) return refusal(undecided('cancelled'));
    const verdict = this.#verdict(outcome.ask, action.tool);
    // the caller's object may have changed while the person was reading
    const now = verdict.approved ? actionOf(request.tool, request.input) : action;
    return 'digest' in now && now.digest === action.digest ? verdict : refusal(changed);
  }

  async open(request: ActionRequest, given: ToolCall = {}): Promise<Interrupt | undefined> {
    assertRequest(request, 'open()');
    const call = checkedCall(given, 'open()');
    const action = await this.#wanted(request, call);
    if ('text' in action) return closedInterrupt(request.tool, call.callId, action.text);
    const key = call.callId === undefined ? undefined : callKeyFor(call, action.digest);
    return this.#opening.share(sharedKey(action, key), undefined, () => this.#open(request, action, key, call));
  }

  async #open(
    request: ActionRequest,
    action: WantedAction,
    key: string | undefined,
    call: ToolCall,
  ): Promise<Interrupt | undefined> {
    await this.#registry().start();
    if (await this.#grants.has(action)) return undefined;
    const { tool, input } = action;
    return openedInterrupt(this.#registry(), {
      kind: 'approval',
      tool,
      callId: call.callId,
      question: this.#question(request, action),
      options: this.#options(action, call, definedFields({ key })),
      payload: { tool, input },
      key: sessionKey(action),
      isSame: ({ context }) => isSameAction(storedAction(context), action),
      about: [aboutAction(action)],
    });
  }

  async resume(tool: string, given: Interrupt): Promise<Approval> {
    const interrupt = checkedInterrupt(given, 'resume(): the interrupt');
    if (interrupt.kind === 'closed') return refusal(interrupt.text);
    const registry = this.#registry();
    const ask = await endedAsk(registry, tool, interrupt);
    if (ask === null || ask.status === 'pending') return refusal(approvalInterrupted);
    const approval = this.#verdict(ask, tool);
    if (!approval.approved) return approval;
    const age = (await registry[uses].now()) - (ask.decidedAt ?? ask.askedAt).getTime();
    if (age >= registry[uses].usableFor(this.#checked.expiresIn)) return refusal(ranOut);
    // any other resume, in this process or another, finds it used
    return (await registry.use(ask.id)) ? approval : refusal(usedUp);
  }

  async grants(place?: AskPlace): Promise<readonly Grant[]> {
    const there = place ?? fixedPlace(this.#checked, 'grants()');
    await this.#registry().start();
    return there === undefined ? [] : this.#grants.list(there);
  }

  async revoke(id: string): Promise<boolean> {
    await this.#registry().start();
    return this.#grants.revoke(id);
  }

  async #wanted({ tool, input }: ActionRequest, call: ToolCall): Promise<WantedAction | { readonly text: string }> {
    const action = actionOf(tool, input);
    if ('problem' in action) return { text: notStorable(action.problem) };
    const place = await placeOf(this.#checked, action.input, call);
    if (typeof place === 'string') return { text: nobodyDecides[place] };
    const asker = askerFor(this.#checked.asker, action.input, call);
    return { ...action, place, session: currentSession(asker), asker };
  }

  #question({ tool, question }: ActionRequest, { place }: PlacedAction): Question<unknown> {
    const wording = this.#wordingAt(place);
    return approvalChoice(question ?? wording.allow(tool), wording, this.#checked.session);
  }

  #wordingAt(place: AskPlace): Wording {
    return this.#registry()[uses].wordingAt(place);
  }

  #options({ asker, ...action }: WantedAction, { callId }: ToolCall, how: Parameters<typeof callContext>[2]) {
    const { tool, place } = action;
    const asking = askOptionsOf(this.#checked);
    const details = shownDetails(action, asking.details, this.#wordingAt(place));
    const context = { ...asking.context, call: callContext(tool, callId, how), action };
    return { ...asking, ...place, details, context, ...definedFields({ asker }) };
  }

  /** The outcome, from the stored ask alone: its decision and its action. */
  #verdict(ask: PendingAsk<unknown>, tool: string): Approval {
    if (ask.status !== 'answered') return refusal(undecided(ask.status, ask.reason));
    if (ask.value !== 'once' && ask.value !== 'session') return refusal(denied);
    const stored = storedAction(ask.context);
    if (stored === undefined || stored.tool !== tool || digestOf(stored.tool, stored.input) !== stored.digest)
      return refusal(changed);
    return { approved: true, input: stored.input, effectKey: ask.effectKey };
  }
}

/** The request is not copied: when it is approved, its input is compared once more. */
function assertRequest(request: ActionRequest, call: string): void {
  const example = "an object such as { tool: 'refund', input: { order: '12345' } }";
  const { tool, question } = assertObject(request, `${call}: the action`, example);
  nonEmpty()(tool, `${call}: tool`);
  optional(string())(question, `${call}: question`);
}

/** The same call for the same session at the same place. Undefined: a call without a key has no repeat. */
function sharedKey(action: PlacedAction, callKey: string | undefined): string | undefined {
  return callKey === undefined ? undefined : digest(callKey, sessionKey(action));
}

function refusal(text: string): Approval {
  return { approved: false, text };
}

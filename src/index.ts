/**
 * The front door, in the order people need it.
 */

// To write an agent
export { agent } from './agent/agent.js';
export { BaseAgent } from './agent/base-agent.js';
export { AgentRegistry } from './registry/registry.js';
export type { AgentInput, AgentResult } from './core/agent.js';
export type { PlainAgent } from './agent/agent.js';
export type { Closed, PendingAsk } from './core/ask/ask.js';
export type { Participant } from './core/participant.js';

// To ask
export { text } from './answers/text.js';
export { choice } from './answers/choice.js';
export { choices } from './answers/choices.js';
export { confirm } from './answers/confirm.js';
export { number } from './answers/number.js';
export { date } from './answers/date.js';
export { email } from './answers/email.js';
export { form, optional } from './answers/form.js';
export type { Question } from './core/ask/answer-type.js';
export type { Handled, HandleOptions } from './registry/intake/intake.js';
export type { FetchedOutput, Outputs, OutputsOptions } from './registry/outbox/said-outputs.js';
export type { AskFromOutsideOptions, OpenedAsk } from './registry/calls/ask-from-outside.js';
export type {
  Continuation,
  Declared,
  MessageTurn,
  OutcomeHandler,
  SendOptions,
} from './registry/turn/question-handlers.js';
export type { AskOptions } from './core/ask/options.js';
export type { Outcome } from './core/ask/outcome.js';

// To look at asks and end them
export type { AskFilter, AskPage } from './registry/calls/list-asks.js';
export type { CancelOptions, Cancelled, Settled } from './registry/calls/settle.js';
export type { AskStatus } from './core/ask/ask.js';
export type { Disposition } from './core/conversation/entry.js';
export type { HistoryItem } from './core/conversation/history.js';

// To operate
export type { RegistryOptions } from './registry/options.js';
export type { Settings } from './core/settings.js';
export type { Policy } from './registry/context.js';
export type { Logger, RegistryEvents } from './core/events.js';
export type { ParkedWork } from './registry/calls/lookup.js';
export type { SweepReport } from './registry/intake/sweeper.js';

// To start
export { MemoryStore } from './stores/memory/store.js';
export { TerminalChannel } from './channels/terminal.js';

// When it goes wrong
export { AgentError } from './core/errors.js';
export type { AgentErrorCode } from './core/errors.js';

// To add your own
export type { Channel, Desk, IncomingMessage } from './channels/port.js';
export type { OutgoingMessage } from './core/conversation/outgoing.js';
export type { AnswerType, Choice, Parsed, Shape } from './core/ask/answer-type.js';
export type { Store } from './stores/port.js';
export type { Model } from './core/agent.js';
export { unrelatedBy } from './agent/judge.js';
export type { Language } from './core/wording/language.js';
export type { Wording } from './core/wording/wording.js';
export type { Json } from './core/json.js';

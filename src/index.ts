/**
 * The front door, in the order people need it.
 */

// To write an agent
export { agent } from './agent/agent.js';
export { BaseAgent } from './agent/base-agent.js';
export { AgentRegistry } from './registry/registry.js';
export type { Agent, AgentInput, AgentResult } from './core/agent.js';
export type { MessageHandler, PlainAgent, PlainAgentOptions } from './agent/agent.js';
export type { AskStep, Closed, PendingAsk, PublicPendingAsk, ShownAsk } from './core/ask/ask.js';
export type { Participant, ShownPerson } from './core/participant.js';

// To ask
export { text, type TextOptions } from './answers/text.js';
export { choice, type ChoiceOptions } from './answers/choice.js';
export { choices, type ChoicesLimits } from './answers/choices.js';
export { confirm, type ConfirmLabels } from './answers/confirm.js';
export { number, type NumberOptions } from './answers/number.js';
export { date, type DateOptions } from './answers/date.js';
export { email, type EmailOptions } from './answers/email.js';
export { form, optional } from './answers/form.js';
export type { FormValue, OptionalQuestion } from './answers/form.js';
export type { OptionId } from './answers/question.js';
export type { Question } from './core/ask/answer-type.js';
export type {
  FetchedOutput,
  Followed,
  FollowedItem,
  FollowOptions,
  Handled,
  HandleOptions,
  Outputs,
  OutputsOptions,
} from './core/conversation/said.js';
export type { AskAndWaitOptions } from './registry/calls/ask-and-wait.js';
export type { AskedFromOutside } from './registry/calls/ask-owner.js';
export type { AskFromOutsideOptions, AskThereOptions, OpenedAsk } from './registry/calls/open-ask.js';
export type { WaitOptions } from './registry/turn/wait-options.js';
export type {
  AnswerHandlers,
  Continuation,
  Declared,
  HandlerResult,
  Handlers,
  MessageTurn,
  OutcomeHandler,
  SendOptions,
  TellOutcome,
  TextOrDeclared,
  TurnActions,
} from './registry/turn/question-handlers.js';
export type { AnswerCheck, SchemaResult, StandardSchema } from './registry/turn/answer-check.js';
export type { AskOptions } from './core/ask/options.js';
export type { AnsweredOutcome, Outcome, UnansweredOutcome } from './core/ask/outcome.js';

// To look at asks and end them
export type { AskFilter, AskPage } from './registry/calls/list-asks.js';
export type {
  CancelOptions,
  Cancelled,
  CloseParkedOptions,
  ParkedClosed,
  Settled,
} from './registry/calls/settle/settle.js';
export type { HandOverOptions, HandOverResult } from './registry/calls/settle/hand-over.js';
export type { EraseResult } from './registry/calls/erase.js';
export type { AnswerableBy, AskStatus } from './core/ask/ask.js';
export type { Disposition } from './core/conversation/entry.js';
export type { HistoryItem } from './core/conversation/history.js';

// To operate
export type { RegistryOptions } from './registry/options.js';
export type { Settings } from './core/settings.js';
export type { Policy, QuietUntil, SortReply } from './registry/context.js';
export type { ReplySorting } from './core/conversation/match-reply.js';
export type { AskEvent, ConversationEvent, DecidedAskEvent, Logger, RegistryEvents } from './core/events.js';
export type { Clock } from './machine/clock.js';
export type { ParkedFilter, ParkedPage, ParkedWork } from './registry/calls/lookup.js';
export type { SweepReport } from './registry/intake/sweeper.js';

// To start
export { MemoryStore } from './stores/memory/store.js';
export type { MemoryStoreOptions } from './stores/memory/store.js';
export { TerminalChannel } from './channels/terminal.js';
export type { TerminalOptions } from './channels/terminal.js';

// When it goes wrong
export { AgentError } from './core/errors.js';
export type { AgentErrorCode, Failure } from './core/errors.js';

// To add your own
export type { Channel, Desk, IncomingMessage } from './channels/port.js';
export type {
  ChannelTraits,
  DeskAsks,
  DeskConversations,
  DeskResponses,
  FindsMessages,
  KnowsPeople,
  ReachesAddresses,
  ServesRequests,
  TakesQuotes,
  UpdatesMessages,
} from './channels/port.js';
export type { OutgoingMessage } from './core/conversation/outgoing.js';
export type { AnswerType, Choice, Field, Parsed, ReplyContext, Shape } from './core/ask/answer-type.js';
export type { Store } from './stores/port.js';
export type { Model, ModelCall, ModelMessage, ModelReply, ModelRequest, ModelTool } from './core/agent.js';
export type { AgentTool, AskingTool, DoingTool, HumanQuestion, RunCall, ToolDescription } from './agent/tool.js';
export { unrelatedBy } from './agent/judge.js';
export type { Words } from './core/wording/data.js';
export type { Language } from './core/wording/language.js';
export type { Wording } from './core/wording/wording.js';
export type { Json } from './core/json.js';

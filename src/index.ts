/**
 * The front door, in the order people need it.
 */

// To write an agent
export { agent } from './agent/agent.js';
export { BaseAgent } from './agent/base.js';
export type { Declared } from './agent/declared.js';
export { choice } from './answers/choice.js';
export { confirm } from './answers/confirm.js';
// To ask
export { text } from './answers/text.js';
// To add your own
export type { Channel, Desk, IncomingMessage } from './channels/port.js';
export { TerminalChannel } from './channels/terminal.js';
export type { AgentInput, AgentResult, Model } from './core/agent.js';
export type { PendingAsk } from './core/ask.js';
export type { AgentErrorCode } from './core/errors.js';
// When it goes wrong
export { AgentError } from './core/errors.js';
export type { Json } from './core/json.js';
export type { AskOptions } from './core/options.js';
export type { OutgoingMessage } from './core/outgoing.js';
export type { Participant } from './core/participant.js';
export type { AnswerType, Question } from './core/question.js';
export type { Wording } from './core/wording.js';
export { AgentRegistry } from './registry/registry.js';
// To start
export { MemoryStore } from './stores/memory.js';
export type { Store } from './stores/port.js';

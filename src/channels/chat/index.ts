/**
 * `askback/channels/chat`: questions on Telegram, Discord, Teams, Google Chat and WhatsApp, by the package `chat` and its adapters.
 */

export { ChatChannel } from './channel.js';
export type { ChatState } from './incoming/record-first.js';
export { recordFirst } from './incoming/record-first.js';
export type { ChatOptions } from './options.js';

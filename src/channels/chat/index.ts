/**
 * `askback/channels/chat`: questions on Telegram, Discord, Teams, Google Chat and WhatsApp, by the package `chat` and its adapters.
 */

export type { ChatOptions } from './channel.js';
export { ChatChannel } from './channel.js';
export type { ChatState } from './record-first.js';
export { recordFirst } from './record-first.js';

/**
 * askback/server: everything HTTP. Written by hand, in the order people need it.
 */
export type { InboxChannelOptions } from '../channels/inbox.js';
export { InboxChannel } from '../channels/inbox.js';
export { hashToken, staticTokens } from './access/tokens.js';
export type { InboxAsk } from './ask-view.js';
export type { Inbox } from './inbox.js';
export { createInbox } from './inbox.js';
export type { LinkOptions } from './linked-asks.js';
export type { Authenticate, InboxOptions, LiveOptions, PersonById } from './options.js';
export type { InboxPerson, Scope } from './person.js';

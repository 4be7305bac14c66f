/**
 * The web chat: the channel, and how a backend signs the visitors that it knows.
 */
export { WebChannel, type WebChannelOptions } from './channel.js';
export { type SignVisitorOptions, signVisitor, type WebVisitor } from './visitor.js';

/**
 * `askback/channels/webhook`: requests in, what was said in the response or by a signed callback.
 */

export type { WebhookCallback, WebhookOptions } from './channel.js';
export { WebhookChannel } from './channel.js';
export type { WebhookOutput, WebhookQuestion, WebhookResponse } from './drawing.js';
export type { WebhookCaller } from './incoming.js';
export type { WebhookContent, WebhookHeaders } from './signature.js';
export { signWebhook, verifyWebhook } from './signature.js';

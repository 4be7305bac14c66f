/** What users import from askback/channels/email. */
export type { MailAddress } from './addresses.js';
export { EmailChannel, type EmailChannelOptions, type EmailReceiving } from './channel.js';
export type { ImapAuth, ImapOptions } from './imap/options.js';
export type { MailTrust } from './incoming/authentication.js';
export type { MailTransport, SmtpAuth, SmtpOptions, TransportMail } from './smtp-options.js';
export type { MailWebhookOptions } from './webhook.js';

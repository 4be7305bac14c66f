/** What users import from askback/channels/email. */
export type { MailAddress } from './addresses.js';
export { EmailChannel, type EmailChannelOptions, type EmailReceiving } from './channel.js';
export type {
  ImapOptions,
  MailLogin,
  MailServer,
  SmtpOptions,
} from './connection/options.js';
export type { MailTrust } from './incoming/authentication.js';
export type { MailTransport, TransportMail } from './smtp.js';
export type { MailWebhookOptions } from './webhook.js';

/**
 * Mail as a channel: questions go out by SMTP, each with a reply address of its own; what people write comes in by IMAP or is posted, and
 * counts only if its author is proved. It decides nothing, and keeps nothing that another process would need.
 */
import {
  anything,
  type CheckedOptions,
  checkOptions,
  func,
  integer,
  nonBlank,
  type OptionRule,
  object,
  optional,
  wrongOption,
} from '../../core/check-options.js';
import type { OutgoingMessage } from '../../core/conversation/outgoing.js';
import { copyIn } from '../../core/conversation/outgoing.js';
import { AgentError, badOption, failureOf } from '../../core/errors.js';
import { consoleLogger, type Logger, safeLogger } from '../../core/events.js';
import type { Json } from '../../core/json.js';
import type { Participant } from '../../core/participant.js';
import { type Clock, clockOption, systemClock } from '../../machine/clock.js';
import { secretRule } from '../../machine/secrets.js';
import { assertSameDesk } from '../one-registry.js';
import type { Channel, Desk } from '../port.js';
import { wordingIn } from '../wording.js';
import { addressOfParticipant, domainOf, mailAddressOption, parseAddress, participantIdOf } from './addresses.js';
import { type ImapOptions, imapOption, type SmtpOptions } from './connection/options.js';
import { allImported } from './connection/packages.js';
import { pageAddress } from './drawing/content.js';
import { drawnMail } from './drawing/mail.js';
import { imapClient, Mailbox, type MailIntake } from './imap/mailbox.js';
import type { SentMail } from './incoming/attribution.js';
import { type MailTrust, mailTrustOption } from './incoming/authentication.js';
import { MailReader } from './incoming/mime.js';
import { conversationWith, MailReceiver } from './incoming/receiver.js';
import { ReplyAddresses, replyBaseOption } from './reply-address.js';
import { ReturnLimit } from './return-limit.js';
import { type MailTransport, Smtp, smtpOption } from './smtp.js';
import { threadHeaders, threadIn } from './threading.js';
import { type MailWebhookOptions, mailWebhook, mailWebhookOption } from './webhook.js';

/**
 * How mail comes in: from a mailbox, or posted by a mail server. With both, a mail that comes both ways is two mails.
 *
 * @example
 * import type { EmailReceiving } from 'askback/channels/email';
 *
 * const receive: EmailReceiving = {
 *   imap: { host: 'imap.shop.example', auth: { user: 'replies@shop.example', pass: process.env.IMAP_PASSWORD ?? '' } },
 * };
 */
export interface EmailReceiving<W extends MailWebhookOptions | undefined = MailWebhookOptions | undefined> {
  /** The mailbox that replies arrive in. Needs the package `imapflow`. */
  readonly imap?: ImapOptions;
  /** A mail server posts each mail to the channel's `fetch`. */
  readonly webhook?: W;
}

/**
 * The options of an `EmailChannel`.
 *
 * @example
 * import type { EmailChannelOptions } from 'askback/channels/email';
 *
 * const options: EmailChannelOptions = {
 *   from: 'Refunds <refunds@shop.example>',
 *   smtp: process.env.SMTP_URL ?? '',
 *   secret: process.env.MAIL_SECRET ?? '',
 * };
 */
export interface EmailChannelOptions<W extends MailWebhookOptions | undefined = MailWebhookOptions | undefined> {
  /**
   * The name of the channel. It begins the ids of its conversations.
   *
   * @default 'email'
   */
  readonly name?: string;
  /** The address that mails are from, with or without a name: `Refunds <refunds@shop.example>`. */
  readonly from: string;
  /** The server that mail is handed to: its URL, its options, or a transport of nodemailer. Needs the package `nodemailer`. */
  readonly smtp: string | SmtpOptions | MailTransport;
  /** Signs reply addresses: at least 32 characters that nobody can guess, the same in every process; several while one is replaced. */
  readonly secret: string | readonly string[];
  /**
   * What reply addresses are made of: `replies@shop.example` becomes `replies+TOKEN@shop.example`, `*@reply.shop.example` becomes
   * `TOKEN@reply.shop.example`.
   *
   * @default the address of `from`
   */
  readonly replyTo?: string;
  /** How replies come in. Without it the channel only sends, and nobody can be asked there. */
  readonly receive?: EmailReceiving<W>;
  /** Whose word about the author of a mail is taken: that of the server which receives it. Needed with `receive`. */
  readonly trust?: MailTrust;
  /**
   * The address of a page where this person can answer the ask, such as `inbox.link(askId, person)` gives it. It stands in the mail of an
   * open question.
   */
  readonly link?: (askId: string, person: Participant) => string | Promise<string>;
  /**
   * How many mails go back to one author within an hour: answers, notices and questions that are asked again. Two programs that answer
   * each other come to an end by it. A new question to an address is not counted.
   *
   * @default 20
   */
  readonly repliesPerHour?: number;
  /**
   * Where it is told that a mail was ignored or refused. Never given texts, answers, addresses of replies or passwords.
   *
   * @default console
   */
  readonly logger?: Logger;
  /** Time and timers, for tests. */
  readonly clock?: Clock;
}

const receiveRules = { imap: optional(imapOption), webhook: optional(mailWebhookOption) };

const receiveOption: OptionRule<CheckedOptions<typeof receiveRules>> = (value, name) => {
  const checked = object(receiveRules, '{ imap: { host, auth } }', { isSecret: true })(value, name);
  if (checked.imap !== undefined || checked.webhook !== undefined) return checked;
  throw wrongOption(name, '{ imap: { host, auth } } or { webhook: { secret } }', value);
};

const rules = {
  name: optional(nonBlank(), 'email'),
  from: mailAddressOption,
  smtp: smtpOption,
  secret: secretRule,
  replyTo: optional(replyBaseOption),
  receive: optional(receiveOption),
  trust: optional(mailTrustOption),
  link: optional(func<NonNullable<EmailChannelOptions['link']>>()),
  repliesPerHour: optional(integer({ min: 1 }), 20),
  logger: optional(anything<Logger>(), consoleLogger),
  clock: optional(clockOption, systemClock),
} satisfies { readonly [name in keyof EmailChannelOptions]-?: OptionRule<unknown> };

/**
 * Mail. Questions are mailed with a reply address of their own; whether a reply decides is said by each ask: `mail: 'decide'`. Without it
 * the mail leads to the page that `link` gives. Needs the package `nodemailer`, and to receive `postal-mime`, `html-to-text` and, for a
 * mailbox, `imapflow`.
 *
 * @example
 * import { agent, AgentRegistry, confirm } from 'askback';
 * import { EmailChannel } from 'askback/channels/email';
 *
 * const email = new EmailChannel({
 *   from: 'Refunds <refunds@shop.example>',
 *   smtp: process.env.SMTP_URL ?? 'smtp://localhost',
 *   secret: process.env.MAIL_SECRET ?? '',
 *   receive: { imap: { host: 'imap.shop.example', auth: { user: 'refunds', pass: process.env.IMAP_PASSWORD ?? '' } } },
 *   trust: { authservId: 'mx.shop.example' },
 * });
 * const refunds = agent('refunds');
 * const sure = refunds.question('sure', confirm('Refund this order?'), {
 *   mail: 'decide',
 *   onAnswer: (yes) => (yes ? 'Refunded.' : 'Left as it is.'),
 * });
 * refunds.onMessage(({ ask }) => ask(sure));
 * await new AgentRegistry({ agents: [refunds], channels: [email] }).start();
 */
export class EmailChannel<W extends MailWebhookOptions | undefined = MailWebhookOptions | undefined>
  implements Channel
{
  /** The name of the channel. */
  readonly name: string;
  /** How its people are named, as an example. */
  readonly idForm = 'mail:anna@example.com';
  /** People are known by their mailbox alone. */
  readonly proof = 'address';
  /** Each question is a mail with a reply address of its own: people answer in any order. */
  readonly hasThreadPerQuestion = true;
  /** True if it cannot receive: nobody can be asked there. */
  readonly isTriggerChannel: boolean;
  /** It draws nothing anew. */
  readonly can = { buttons: false, edit: false, threads: true };
  /** Takes mails that are posted, if `receive.webhook` is given. */
  readonly fetch: W extends MailWebhookOptions ? (request: Request) => Promise<Response> : undefined =
    undefined as never; // until the options were looked at
  readonly #options: CheckedOptions<typeof rules>;
  readonly #logger: Logger;
  readonly #replies: ReplyAddresses | undefined;
  readonly #base: string;
  readonly #smtp: Smtp;
  readonly #receiver: MailReceiver | undefined;
  /** What was warned of, each once: every further mail would say the same. */
  readonly #warned = new Set<string>();
  readonly #limit: ReturnLimit;
  #mailbox: Mailbox | undefined;
  #reader: MailReader | undefined;
  #desk: Desk | undefined;

  constructor(options: EmailChannelOptions<W>) {
    this.#options = checkOptions('EmailChannel', options, rules, '{ from, smtp, secret }');
    const { name, from, smtp, secret, replyTo, receive, trust, repliesPerHour, logger, clock } = this.#options;
    this.name = name;
    this.isTriggerChannel = receive === undefined;
    this.#logger = safeLogger(logger);
    this.#base = replyTo ?? from.address;
    this.#smtp = new Smtp(smtp);
    this.#limit = new ReturnLimit(clock, repliesPerHour);
    if (receive === undefined) return;
    replyBaseOption(
      this.#base,
      `EmailChannel: replyTo${replyTo === undefined ? ', which is the address of from if it is left out,' : ''}`,
    );
    this.#replies = new ReplyAddresses({ base: this.#base, secrets: secret, channel: name });
    if (trust === undefined)
      throw badOption(
        "EmailChannel: trust is needed to receive, else anybody could write as anybody. Give the name at the start of the topmost Authentication-Results field of a mail in the mailbox: { authservId: 'mx.example.com' }; for Exchange Online { microsoft: true }.",
      );
    this.#receiver = new MailReceiver({
      name,
      from,
      replies: this.#replies,
      trust,
      logger: this.#logger,
      send: (message) => this.send(message),
      drawn: (message, reader) => this.#shown(message, reader),
      isStranger: (address, conversationId) => this.#limit.stranger(address, conversationId),
    });
    if (receive.webhook !== undefined) this.fetch = mailWebhook(receive.webhook, this.#intake()) as never; // W is not undefined here
  }

  /** Begins to take mails. The mailbox is connected to in the background. Rejects if a package is missing. The registry calls it. */
  async start(desk: Desk): Promise<void> {
    assertSameDesk(this.#desk, desk, 'EmailChannel', this.name);
    const { receive } = this.#options;
    const reader = receive && MailReader.load();
    await allImported([this.#smtp.load(), reader, receive?.imap && imapClient()]);
    this.#reader = await reader;
    this.#desk = desk;
    if (receive?.imap === undefined || this.#mailbox !== undefined) return;
    this.#mailbox = new Mailbox(receive.imap, this.#intake());
    await this.#mailbox.start();
  }

  /** What takes mails in by either way. */
  #intake(): MailIntake {
    return {
      name: this.name,
      clock: this.#options.clock,
      logger: this.#logger,
      accept: async (raw, about) => {
        if (this.#desk !== undefined && this.#receiver !== undefined && this.#reader !== undefined)
          return this.#receiver.accept(this.#desk, this.#reader, raw, about);
        throw new AgentError('stopped', 'The channel is not started, or it was stopped. Send the mail again later.');
      },
    };
  }

  /** Takes nothing any more. What comes meanwhile stays in the mailbox. */
  async stop(): Promise<void> {
    const mailbox = this.#mailbox;
    this.#mailbox = undefined;
    await mailbox?.stop(); // a mail that is being recorded still needs the desk
    this.#desk = undefined;
    await this.#smtp.close();
  }

  /** Mails what was said. A permanent refusal of the server is `undeliverable`. */
  async send(message: OutgoingMessage): Promise<void> {
    if (message.transient) return; // nobody wants a mail for each step
    const { ask, key, only } = message;
    const to = this.#addressIn(message.address);
    if (only !== undefined && only !== participantIdOf(to)) {
      const problem = 'Something for one person was not mailed, because the address is another one';
      return this.#logger.warn(problem, { channel: this.name, key }); // what one person is told is nobody else's mail
    }
    if (isSentBack(message) && !this.#limit.allows(to, message.conversationId)) return this.#held(message);
    const { from, clock } = this.#options;
    const canReply = this.#canReply(message);
    const link = ask?.status === 'pending' ? await this.#linkFor(ask.id, to, canReply) : undefined;
    if (ask?.status === 'pending' && link === undefined) this.#warnOfAnswering(ask, canReply);
    const copy = copyIn(key);
    const own = ask === undefined || Number.isNaN(copy) ? undefined : { askId: ask.id, copy };
    const { replyTo } = threadIn(message.thread);
    // a notice about a reply to an ask is answered by another reply to it
    const ofNotice = only !== undefined && replyTo !== undefined && this.#replies?.read(replyTo) ? replyTo : undefined;
    await this.#smtp.send({
      from,
      to,
      replyTo: (own && this.#replies?.of(own)) ?? ofNotice ?? (this.#base.startsWith('*@') ? from.address : this.#base),
      envelopeFrom: (own && this.#replies?.of(own, 'report')) ?? from.address,
      ...drawnMail(message, { wording: wordingIn(this.#desk, message.locale), canReply, link }),
      date: new Date(clock.now()),
      ...threadHeaders(message, domainOf(from.address)),
    });
  }

  /** The conversation with whoever has this address. */
  conversationFor(to: Json): string {
    return conversationWith(this.name, this.#checkedTo(to));
  }

  /** The address as replies come from it. */
  addressFor(to: Json): Json {
    return this.#checkedTo(to);
  }

  /** Whoever has this address. */
  participantAt(to: Json): string {
    return participantIdOf(this.#checkedTo(to));
  }

  /** The address of somebody who is known by mail. */
  addressOf(participantId: string): Json | undefined {
    return addressOfParticipant(participantId);
  }

  #checkedTo(to: Json): string {
    const found = typeof to === 'string' ? (addressOfParticipant(to) ?? parseAddress(to)?.address) : undefined;
    if (found !== undefined) return found;
    throw wrongOption(
      `EmailChannel ${JSON.stringify(this.name)}: to`,
      "a mail address such as 'anna@example.com', or the id of a participant, 'mail:anna@example.com', in lower case",
      to,
    );
  }

  #addressIn(address: Json): string {
    try {
      return this.#checkedTo(address);
    } catch (cause) {
      throw new AgentError('undeliverable', failureOf(cause).message, { cause }); // no try can succeed
    }
  }

  /** Somebody else may answer it elsewhere, so the mail goes out all the same. */
  #warnOfAnswering({ id: askId, sensitive }: NonNullable<OutgoingMessage['ask']>, canReply: boolean): void {
    if (canReply && sensitive !== true) return;
    const problem = canReply
      ? 'A question with a secret answer was mailed, and only a reply by mail can answer it there. Give the channel the option link, so that a page can'
      : "A question was mailed that its mail gives no way to answer. Give the ask mail: 'decide', or the channel the option link, unless somebody answers it elsewhere";
    if (this.#warned.has(problem)) return;
    this.#warned.add(problem);
    this.#logger.warn(problem, { channel: this.name, askId });
  }

  /** The page where the person can answer. It may be missing only where a reply can answer, too. */
  async #linkFor(askId: string, address: string, canReply: boolean): Promise<string | undefined> {
    const { link } = this.#options;
    if (link === undefined) return undefined;
    try {
      const given = await link(askId, { id: participantIdOf(address), name: address });
      if (pageAddress(given) !== undefined) return given;
      throw wrongOption('EmailChannel: what link() gives', 'an http or https address', given, {
        hint: 'createInbox() needs the option origin for it.',
      });
    } catch (error) {
      if (!canReply) throw error;
      const problem = 'A mail goes out without its link, because link() failed. It can be answered by a reply';
      this.#logger.warn(problem, { channel: this.name, askId, failure: failureOf(error) });
      return undefined;
    }
  }

  /** A reply to the mail is read: it decides the ask, or is a message to the agent. A notice asks for none. */
  #canReply({ ask, only, follows }: OutgoingMessage): boolean {
    if (this.isTriggerChannel || only !== undefined || follows !== undefined) return false;
    return ask === undefined || (ask.status === 'pending' && ask.mail === 'decide');
  }

  /**
   * What a mail may have shown, as a reader of replies finds it in a quote: as text and as HTML, with each number of votes that were given, and
   * open as it was then. The address of its page is left out: programs rewrite it.
   */
  #shown(message: OutgoingMessage, reader: MailReader): Omit<SentMail, 'at'> {
    const { ask } = message;
    const wording = wordingIn(this.#desk, message.locale);
    const link = this.#options.link && 'https://page.invalid/';
    const votes = ask?.votes ?? [];
    const drawn = [0, ...votes.keys()].map((_, given) => {
      const then = ask && { ...message, ask: { ...ask, status: 'pending' as const, votes: votes.slice(0, given) } };
      const shown = then ?? message;
      return drawnMail(shown, { wording, canReply: this.#canReply(shown), link });
    });
    const texts = drawn.flatMap(({ text, html }) => [text, reader.htmlText(html)]);
    return { subject: drawn[0]?.subject ?? '', texts };
  }

  /** A question is tried again, as after a failure of the server; anything else would be answered by a program again. */
  #held({ key, ask }: OutgoingMessage): void {
    const about = { channel: this.name, key };
    const problem =
      'too many mails went back to one author within an hour, as between two programs that answer each other';
    if (ask?.status === 'pending' && ask.retries === 0) throw new Error(`The question is mailed later: ${problem}.`);
    this.#logger.warn(`A mail was not sent: ${problem}, or to a stranger within a day. See repliesPerHour`, about);
  }
}

/** Whether it answers a mail. What is put to an address for the first time is new. */
function isSentBack({ thread, only, ask }: OutgoingMessage): boolean {
  return only !== undefined || threadIn(thread).id !== undefined || (ask?.status === 'pending' && ask.retries > 0);
}

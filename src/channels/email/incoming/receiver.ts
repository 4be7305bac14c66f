/**
 * Takes a mail to the desk: what a person wrote to the conversation that it belongs to, and what came back to the question that it was.
 * Everything else is ignored and logged, without a word of its content. Its text is read once its author is proved. Who may answer is not
 * decided here.
 */
import { type OutgoingMessage, questionKey } from '../../../core/conversation/outgoing.js';
import type { Logger } from '../../../core/events.js';
import { digest } from '../../../core/ids.js';
import type { Participant } from '../../../core/participant.js';
import { isBlank } from '../../../core/text.js';
import type { Desk } from '../../port.js';
import { wordingIn } from '../../wording.js';
import { domainOf, type MailAddress, participantIdOf } from '../addresses.js';
import type { ArrivedMail, TakenMail } from '../imap/mailbox.js';
import type { AskCopy, ReplyAddresses } from '../reply-address.js';
import { bareSubject, threadOf } from '../threading.js';
import type { SentMail } from './attribution.js';
import { authorOf, type MailTrust, serverNamedIn } from './authentication.js';
import { kindOf } from './kind.js';
import type { MailBody, MailHead, MailReader } from './mime.js';
import { newText } from './new-text.js';

interface MailReceiverParts {
  /** The name of the channel. */
  readonly name: string;
  /** The address that our mails are from. */
  readonly from: MailAddress;
  readonly replies: ReplyAddresses;
  readonly trust: MailTrust;
  readonly logger: Logger;
  /** Mails something back that no entry of a conversation says. */
  readonly send: (message: OutgoingMessage) => Promise<void>;
  /** What a mail of ours may have shown. */
  readonly drawn: (message: OutgoingMessage, reader: MailReader) => Omit<SentMail, 'at'>;
  /** Notes an author who may not answer the ask of this conversation. */
  readonly isStranger: (address: string, conversationId: string) => void;
}

/** A mail, and what it is addressed to. */
interface ReceivedMail {
  readonly desk: Desk;
  readonly reader: MailReader;
  readonly id: string;
  readonly head: MailHead;
  readonly body: () => Promise<MailBody>;
  /** The copies of asks whose reply addresses stand in To or Cc; empty for a mail to us, or to nobody. */
  readonly copies: readonly AskCopy[];
  /** Those asks, each once. */
  readonly askIds: readonly string[];
  /** Why it is addressed to nobody; undefined if it is to us or to an ask. */
  readonly stray: string | undefined;
}

/** Refusals that a change of `trust`, or of the receiving server, can mend: a mail to us is looked at again after the next start. */
const ofSetUp = new Set(['no-authentication-results', 'other-server', 'no-dmarc']);

/** What a reply may repeat, and the mails of ours that it may quote. */
const mostItems = 1_000;
const mostDrawn = 5;

export class MailReceiver {
  readonly #parts: MailReceiverParts;

  constructor(parts: MailReceiverParts) {
    this.#parts = parts;
  }

  /** Resolves once it is recorded, or known to be nothing that is recorded here. Rejects if it must come again. */
  async accept(desk: Desk, reader: MailReader, raw: Uint8Array, { id, size }: ArrivedMail): Promise<TakenMail> {
    const head = reader.head(raw, size);
    const { from, trust, replies } = this.#parts;
    const copies = head.to.flatMap((address) => replies.read(address) ?? []);
    const askIds = [...new Set(copies.map(({ askId }) => askId))];
    const stray = copies.length === 0 ? this.#strayIn(head) : undefined;
    const mail = { desk, reader, id, head, body: () => reader.read(raw, size), copies, askIds, stray };
    const { kind, why } = kindOf(head, (address) => address === from.address);
    if (kind === 'bounce') return this.#cameBack(mail);
    if (kind !== 'person') return this.#ignored(kind, why, askIds.length > 0);
    const proof = authorOf(head, trust);
    if (!proof.ok) return this.#refused(mail, proof.why);
    const { address } = proof.address;
    if (stray !== undefined) return this.#strayed(mail, stray, address);
    if (askIds.length > 1) return this.#ambiguous(mail, address);
    return this.#record(mail, proof.address);
  }

  #strayIn({ to, deliveredTo }: MailHead): string | undefined {
    const { replies, from } = this.#parts;
    const all = [...to, ...deliveredTo];
    if (all.some((address) => address !== from.address && replies.isLike(address)))
      return all.some((address) => replies.read(address)) ? 'reply-address-not-in-to' : 'unknown-reply-address';
    return all.some((address) => address === from.address || replies.isBase(address))
      ? undefined
      : 'not-addressed-to-us';
  }

  async #record({ desk, reader, id, head, copies, ...mail }: ReceivedMail, author: MailAddress): Promise<TakenMail> {
    const { from, replies, drawn, isStranger } = this.#parts;
    const { address } = author;
    const [copy] = copies;
    const askId = copy?.askId;
    const { text: whole, attachments, isMeetingReply } = await mail.body();
    if (isMeetingReply) return this.#ignored('automatic', 'meeting-reply', askId !== undefined);
    const { conversationId, said } = await this.#saidTo(desk, address, askId);
    const mails = askId === undefined ? said : said.filter(({ message }) => message.ask?.id === askId);
    const sent = mails
      .filter((_, i) => i === 0 || i >= mails.length - mostDrawn)
      .map(({ message, at }) => ({ ...drawn(message, reader), at }));
    const isOurs = (each: string) => each === from.address || replies.isLike(each) || replies.isBase(each);
    const reply = { sent, author, ourName: from.name, isOurs, subject: head.subject, cutsQuotes: askId === undefined };
    const text = newText(whole, reply);
    const isOwnSubject = askId === undefined || isBlank(text) || isSubjectOf(head.subject, sent);
    const written = isOwnSubject ? text : `${head.subject}\n${text}`; // a person may have written there
    const isOnlyFiles = isBlank(written) && attachments.length > 0;
    const [asking] = askId === undefined ? [] : mails;
    if (asking?.message.ask?.status === 'pending' && asking.mayAnswer !== true) isStranger(address, conversationId);
    await desk.receive({
      id: `mail:${digest('mail of', address).slice(0, 12)}:${id}`, // nobody else can know the id of an earlier mail of theirs
      conversationId,
      text: isOnlyFiles ? attachments.map((file) => `[attachment: ${file}]`).join('\n') : written,
      participant: participantAt(address),
      address,
      thread: { ...threadOf(head), ...(copy === undefined ? {} : { replyTo: replies.of(copy) }) },
      ...(askId === undefined ? {} : { askId }),
      ...(attachments.length === 0 ? {} : { data: { attachments: [...attachments] } }),
      ...(isBlank(written) ? { wordless: true } : {}), // nobody wrote anything, and a file is no answer, whatever it is called
    });
    return 'done';
  }

  /** What was said in the conversation of the ask, as the author of a mail may see it; in their own if no ask is known. */
  async #saidTo(desk: Desk, address: string, askId: string | undefined) {
    const asked = askId === undefined ? undefined : await desk.conversationOf?.(askId);
    const conversationId = asked ?? conversationWith(this.#parts.name, address);
    const followed = await desk.follow?.(conversationId, { for: participantAt(address), limit: mostItems });
    const said = (followed?.items ?? []).flatMap((item) => (item.type === 'said' ? [item] : []));
    return { conversationId, isKnown: asked !== undefined, said };
  }

  /** Nobody can know which question it answers: its author is told to reply to each. */
  async #ambiguous({ desk, id, head, askIds }: ReceivedMail, address: string): Promise<TakenMail> {
    const { conversationId, said } = await this.#saidTo(desk, address, askIds[0]);
    const locale = said.at(-1)?.message.locale;
    await this.#parts.send({
      key: `two-asks:${id}`,
      conversationId,
      address,
      thread: { ...threadOf(head) },
      text: wordingIn(desk, locale).mailTwoAsks(),
      shape: { type: 'text' },
      only: participantIdOf(address),
      ...(locale === undefined ? {} : { locale }),
    });
    return this.#ignored('person', 'two-asks');
  }

  /**
   * A question that never reaches anybody is given up at once. Which one it was is known by the address for reports, which stands in
   * no text that people pass on; what a mail was forwarded to, and could not be, is another address than the one that was asked.
   */
  async #cameBack({ desk, head, body }: ReceivedMail): Promise<TakenMail> {
    const copies = [...head.to, ...head.deliveredTo].flatMap(
      (address) => this.#parts.replies.read(address, 'report') ?? [],
    );
    if (copies.length === 0) return this.#ignored('bounce', 'of-no-question');
    const { report } = await body();
    const lost = report.filter(({ isPermanent }) => isPermanent);
    if (lost.length === 0) return this.#ignored('bounce', 'not-for-good');
    for (const { askId, copy } of copies)
      for (const { recipient, status, diagnostic } of lost) {
        if (recipient === undefined) continue;
        const reason = `The mail came back: ${status}${diagnostic === undefined ? '' : ` (${diagnostic})`}.`;
        await desk.undelivered?.(questionKey(askId, copy), reason, recipient);
      }
    return 'done';
  }

  /**
   * A reply to an address that another secret has made may be an answer, if its author may answer such an ask. Any other address may be made
   * up: its author must not be able to make a posted mail look like a failure of ours.
   */
  async #strayed({ desk, head }: ReceivedMail, why: string, author: string): Promise<TakenMail> {
    const { replies, logger, name } = this.#parts;
    const askIds = head.to.flatMap((address) =>
      replies.read(address, 'report') ? [] : (replies.unproved(address) ?? []),
    );
    const asks = await Promise.all(
      askIds.slice(0, 3).map(async (askId) => ({ askId, ...(await this.#saidTo(desk, author, askId)) })),
    );
    const isTheirs = asks.some(({ askId, said }) =>
      said.some(({ message, mayAnswer }) => message.ask?.id === askId && mayAnswer === true),
    );
    if (why !== 'unknown-reply-address' || !isTheirs)
      return this.#ignored(
        'stray',
        why,
        asks.some(({ isKnown }) => isKnown),
      );
    logger.warn(
      'A reply was not taken, because its reply address was made with another secret, or by a channel of another name. In a mailbox it is left as it is, and looked at again after the next start; one that was posted is to be sent again. Check secret: while one is replaced, both are given',
      { channel: name, why: 'other-secret' },
    );
    return 'wrong-set-up';
  }

  /** A mail to a question may be an answer all the same: that is a warning. */
  #ignored(kind: string, why: string, isToAsk = false): TakenMail {
    const { logger, name } = this.#parts;
    const about = { channel: name, kind, why };
    if (isToAsk) logger.warn('A mail to a question was ignored', about);
    else logger.info('A mail was ignored', about);
    return 'done';
  }

  /** `server`: the name in the topmost Authentication-Results field. `expected`: the one of the option `trust`. */
  #refused({ head, stray }: ReceivedMail, why: string): TakenMail {
    const { logger, name, trust } = this.#parts;
    const [author, ...others] = head.from;
    const isSetUp = ofSetUp.has(why);
    const expected = 'authservId' in trust ? trust.authservId : 'a field without a name, as Exchange Online writes it';
    logger.warn('A mail was refused, because nobody knows who wrote it', {
      channel: name,
      why,
      ...(author === undefined || others.length > 0 ? {} : { domain: domainOf(author.address) }),
      ...(isSetUp ? { server: serverNamedIn(head) ?? 'none, or one without a name', expected } : {}),
    });
    return isSetUp && stray === undefined ? 'wrong-set-up' : 'done';
  }
}

function isSubjectOf(subject: string, sent: readonly SentMail[]): boolean {
  const bare = bareSubject(subject);
  return isBlank(bare) || sent.length === 0 || sent.some((mail) => bareSubject(mail.subject) === bare);
}

/** The name in From is chosen by whoever sends: only the address is proved. */
function participantAt(address: string): Participant {
  return { id: participantIdOf(address), name: address };
}

/** The conversation of everything that somebody writes to us, beside what they answer. */
export function conversationWith(channel: string, address: string): string {
  return `${channel}:${address}`;
}

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
import { authorOf, type MailTrust, serverNamedIn, type UnprovedAuthor } from './authentication.js';
import { kindOf } from './kind.js';
import type { MailBody, MailHead, MailReader } from './mime.js';
import { newText } from './new-text.js';
import type { SentMail } from './quoted.js';

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

/** What a mail is addressed to. */
type Addressee =
  | { readonly type: 'ask'; readonly copy: AskCopy }
  /** The reply addresses of several asks. */
  | { readonly type: 'asks'; readonly askIds: readonly string[] }
  | { readonly type: 'us' }
  | {
      readonly type: 'nobody';
      readonly why: 'unknown-reply-address' | 'reply-address-not-in-to' | 'not-addressed-to-us';
    };

/** A mail of a proved author to us. */
interface ReadMail {
  readonly id: string;
  readonly head: MailHead;
  readonly body: MailBody;
  readonly to: Addressee;
  readonly author: MailAddress;
}

/** Refusals that a change of `trust`, or of the receiving server, can mend: a mail to us is looked at again after the next start. */
const ofSetUp: ReadonlySet<UnprovedAuthor> = new Set<UnprovedAuthor>([
  'no-authentication-results',
  'other-server',
  'no-dmarc',
]);

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
    const { from, trust } = this.#parts;
    const to = this.#addresseeOf(head);
    const { kind, why } = kindOf(head, (address) => address === from.address);
    if (kind === 'bounce') return this.#cameBack(desk, head, () => reader.read(raw, size));
    if (kind !== 'person') return this.#ignored(kind, why, to.type === 'ask' || to.type === 'asks');
    const author = authorOf(head, trust);
    if (!author.ok) return this.#refused(author.why, head, to);
    if (to.type === 'nobody') return this.#strayed(desk, head, to.why, author.address);
    if (to.type === 'asks') return this.#ambiguous(desk, id, head, to.askIds, author.address);
    const body = await reader.read(raw, size);
    if (body.isMeetingReply) return this.#ignored('automatic', 'meeting-reply', to.type === 'ask');
    const { address } = author.address;
    const named = head.from.find((each) => each.address === address) ?? { address };
    return this.#record(desk, reader, { id, head, body, to, author: named });
  }

  async #record(desk: Desk, reader: MailReader, { id, head, body, to, author }: ReadMail): Promise<TakenMail> {
    const { name, from, replies, drawn, isStranger } = this.#parts;
    const { address } = author;
    const askId = to.type === 'ask' ? to.copy.askId : undefined;
    const asked = askId === undefined ? undefined : await desk.conversationOf?.(askId);
    const conversationId = asked ?? conversationWith(name, address);
    // the name in From is chosen by whoever sends: only the address is proved
    const participant: Participant = { id: participantIdOf(address), name: address };
    const { items = [] } = (await desk.follow?.(conversationId, { for: participant, limit: mostItems })) ?? {};
    const said = items.flatMap((item) => (item.type === 'said' ? [item] : []));
    const ofAsk = said.filter(({ message }) => message.ask?.id === askId && askId !== undefined);
    const mails = askId === undefined ? said : ofAsk;
    const sent = mails
      .filter((_, i) => i === 0 || i >= mails.length - mostDrawn)
      .map(({ message, at }) => ({ ...drawn(message, reader), at }));
    const isOurs = (each: string) => each === from.address || replies.isLike(each) || replies.isBase(each);
    const people = { author, ourName: from.name, isOurs };
    const text = newText(body.text, { sent, people, subject: head.subject, cutsQuotes: askId === undefined });
    const isOwnSubject = askId === undefined || isBlank(text) || isSubjectOf(head.subject, sent);
    const written = isOwnSubject ? text : `${head.subject}\n${text}`; // a person may have written there
    const { attachments } = body;
    const isOnlyFiles = isBlank(written) && attachments.length > 0;
    // nobody but its author can know the id of an earlier mail of theirs
    const idOf = (mail: string) => `mail:${digest('mail of', address).slice(0, 12)}:${mail}`;
    const [asking] = ofAsk;
    if (asking?.message.ask?.status === 'pending' && asking.mayAnswer !== true) isStranger(address, conversationId);
    await desk.receive({
      id: idOf(id),
      conversationId,
      text: isOnlyFiles ? attachments.map((file) => `[attachment: ${file}]`).join('\n') : written,
      participant,
      address,
      thread: { ...threadOf(head), ...(to.type === 'ask' ? { replyTo: replies.of(to.copy) } : {}) },
      ...(askId === undefined ? {} : { askId }),
      ...(attachments.length === 0 ? {} : { data: { attachments: [...attachments] } }),
      ...(isBlank(written) ? { wordless: true } : {}), // nobody wrote anything, and a file is no answer, whatever it is called
    });
    return 'done';
  }

  /** Nobody can know which question it answers: its author is told to reply to each. */
  async #ambiguous(
    desk: Desk,
    id: string,
    head: MailHead,
    askIds: readonly string[],
    { address }: MailAddress,
  ): Promise<TakenMail> {
    const participant = { id: participantIdOf(address) };
    const conversationId =
      (await desk.conversationOf?.(askIds[0] as string)) ?? conversationWith(this.#parts.name, address);
    const { items = [] } = (await desk.follow?.(conversationId, { for: participant, limit: mostItems })) ?? {};
    const locale = items.findLast((item) => item.type === 'said')?.message.locale;
    await this.#parts.send({
      key: `two-asks:${id}`,
      conversationId,
      address,
      thread: { ...threadOf(head) },
      text: wordingIn(desk, locale).mailTwoAsks(),
      shape: { type: 'text' },
      only: participant.id,
      ...(locale === undefined ? {} : { locale }),
    });
    return this.#ignored('person', 'two-asks');
  }

  /**
   * A question that never reaches anybody is given up at once. Which one it was is known by the address for reports, which stands in
   * no text that people pass on; what a mail was forwarded to, and could not be, is another address than the one that was asked.
   */
  async #cameBack(desk: Desk, { to, deliveredTo }: MailHead, body: () => Promise<MailBody>): Promise<TakenMail> {
    const copies = [...to, ...deliveredTo].flatMap(({ address }) => this.#parts.replies.read(address, 'report') ?? []);
    if (copies.length === 0) return this.#ignored('bounce', 'of-no-question');
    const { report } = await body();
    const lost = report?.recipients.filter(({ isPermanent }) => isPermanent) ?? [];
    if (lost.length === 0) return this.#ignored('bounce', 'not-for-good');
    for (const { askId, copy } of copies)
      for (const { recipient, status, diagnostic } of lost)
        if (recipient !== undefined)
          await desk.undelivered?.(
            questionKey({ id: askId, retries: 0 }, copy),
            `The mail came back: ${status}${diagnostic === undefined ? '' : ` (${diagnostic})`}.`,
            recipient,
          );
    return 'done';
  }

  #addresseeOf({ to, deliveredTo }: MailHead): Addressee {
    const { replies, from } = this.#parts;
    const copies = to.flatMap(({ address }) => replies.read(address) ?? []);
    const [copy] = copies;
    const askIds = [...new Set(copies.map(({ askId }) => askId))];
    if (copy !== undefined) return askIds.length === 1 ? { type: 'ask', copy } : { type: 'asks', askIds };
    const all = [...to, ...deliveredTo];
    if (all.some(({ address }) => address !== from.address && replies.isLike(address)))
      return {
        type: 'nobody',
        why: all.some(({ address }) => replies.read(address)) ? 'reply-address-not-in-to' : 'unknown-reply-address',
      };
    const isToUs = all.some(({ address }) => address === from.address || replies.isBase(address));
    return isToUs ? { type: 'us' } : { type: 'nobody', why: 'not-addressed-to-us' };
  }

  /**
   * A reply to an address that another secret has made may be an answer, if its author may answer such an ask. Any other address may be made
   * up: its author must not be able to make a posted mail look like a failure of ours.
   */
  async #strayed(desk: Desk, { to }: MailHead, why: string, { address }: MailAddress): Promise<TakenMail> {
    const { replies, logger, name } = this.#parts;
    const askIds = to.flatMap(({ address }) =>
      replies.read(address, 'report') ? [] : (replies.unproved(address) ?? []),
    );
    let isKnown = false;
    const mayAnswer = await Promise.all(
      askIds.slice(0, 3).map(async (askId) => {
        const conversationId = await desk.conversationOf?.(askId);
        if (conversationId === undefined) return false;
        isKnown = true;
        const options = { for: { id: participantIdOf(address), name: address }, limit: mostItems };
        const { items = [] } = (await desk.follow?.(conversationId, options)) ?? {};
        return items.some((item) => item.type === 'said' && item.message.ask?.id === askId && item.mayAnswer === true);
      }),
    );
    if (why !== 'unknown-reply-address' || !mayAnswer.includes(true)) return this.#ignored('stray', why, isKnown);
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

  #refused(why: UnprovedAuthor, mail: MailHead, to: Addressee): TakenMail {
    const [author, ...others] = mail.from;
    const domain = author === undefined || others.length > 0 ? undefined : domainOf(author.address);
    const servers = ofSetUp.has(why) ? this.#serversOf(mail) : {};
    const about = { channel: this.#parts.name, why, ...(domain === undefined ? {} : { domain }), ...servers };
    this.#parts.logger.warn('A mail was refused, because nobody knows who wrote it', about);
    return ofSetUp.has(why) && to.type !== 'nobody' ? 'wrong-set-up' : 'done';
  }

  /** `server`: the name in the topmost Authentication-Results field. `expected`: the one of the option `trust`. */
  #serversOf(mail: MailHead): { readonly server: string; readonly expected: string } {
    const { trust } = this.#parts;
    const expected = 'authservId' in trust ? trust.authservId : 'a field without a name, as Exchange Online writes it';
    return { server: serverNamedIn(mail) ?? 'none, or one without a name', expected };
  }
}

function isSubjectOf(subject: string, sent: readonly SentMail[]): boolean {
  const bare = bareSubject(subject);
  return isBlank(bare) || sent.length === 0 || sent.some((mail) => bareSubject(mail.subject) === bare);
}

/** The conversation of everything that somebody writes to us, beside what they answer. */
export function conversationWith(channel: string, address: string): string {
  return `${channel}:${address}`;
}

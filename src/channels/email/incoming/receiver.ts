/**
 * Takes a mail to the desk: what a person wrote to the conversation that it belongs to, and what came back to the question that it was.
 * Everything else is ignored and logged, without a word of its content. Who may answer is not decided here.
 */
import { questionKey } from '../../../core/conversation/outgoing.js';
import type { Logger } from '../../../core/events.js';
import { isBlank } from '../../../core/text.js';
import type { Clock } from '../../../machine/clock.js';
import type { Desk } from '../../port.js';
import { domainOf, type MailAddress, participantIdOf } from '../addresses.js';
import type { ArrivedMail, TakenMail } from '../imap/mailbox.js';
import type { AskCopy, ReplyAddresses } from '../reply-address.js';
import { threadOf } from '../threading.js';
import { authorOf, type MailTrust, serverNamedIn, type UnprovedAuthor } from './authentication.js';
import { kindOf } from './kind.js';
import { LoopGuard } from './loop-guard.js';
import { type Mail, readMail } from './mime.js';
import { newText } from './new-text.js';

interface MailReceiverParts {
  /** The name of the channel. */
  readonly name: string;
  /** The address that our mails are from. */
  readonly from: string;
  readonly replies: ReplyAddresses;
  readonly trust: MailTrust;
  /** The lines that our own mails begin with, in every language. */
  readonly markers: readonly string[];
  readonly logger: Logger;
  readonly clock: Clock;
}

/** What a mail is addressed to. */
type Addressee =
  | { readonly type: 'ask'; readonly copies: readonly AskCopy[] }
  | { readonly type: 'us' }
  | {
      readonly type: 'nobody';
      readonly why: 'unknown-reply-address' | 'reply-address-not-in-to' | 'not-addressed-to-us' | 'two-asks';
    };

/** Refusals that a change of `trust`, or of the receiving server, can mend: a mail to us is looked at again after the next start. */
const ofSetUp: ReadonlySet<UnprovedAuthor> = new Set<UnprovedAuthor>([
  'no-authentication-results',
  'other-server',
  'no-dmarc',
]);

export class MailReceiver {
  readonly #parts: MailReceiverParts;
  readonly #loops: LoopGuard;

  constructor(parts: MailReceiverParts) {
    this.#parts = parts;
    this.#loops = new LoopGuard(parts.clock);
  }

  /** Resolves once it is recorded, or known to be nothing that is recorded here. Rejects if it must come again. */
  async accept(desk: Desk, raw: Uint8Array, { id, size }: ArrivedMail): Promise<TakenMail> {
    const mail = await readMail(raw, { size });
    const { from, trust } = this.#parts;
    const to = this.#addresseeOf(mail);
    const { kind, why } = kindOf(mail, (address) => address === from);
    if (kind === 'bounce') return this.#cameBack(desk, mail);
    if (kind !== 'person') return this.#ignored(kind, why);
    const author = authorOf(mail, trust);
    if (!author.ok) return this.#refused(author.why, mail, to);
    if (to.type === 'nobody') return this.#strayed(mail, to.why);
    return this.#record(desk, { id, mail, to, author: author.address });
  }

  async #record(
    desk: Desk,
    {
      id,
      mail,
      to,
      author,
    }: { readonly id: string; readonly mail: Mail; readonly to: Addressee; readonly author: MailAddress },
  ): Promise<TakenMail> {
    const { address } = author;
    const { attachments, isTextCut } = mail;
    // what is missing may take back what is there: a text that is too long is told so
    const written = isTextCut ? mail.text : await newText(mail.text, this.#parts.markers, author);
    const askId = to.type === 'ask' ? to.copies[0]?.askId : undefined;
    const passed = this.#loops.arrived({ id, author: address, askId, text: written });
    if (passed !== 'pass') return this.#looped(address, passed);
    const isOnlyFiles = isBlank(written) && attachments.length > 0;
    const asked = askId === undefined ? undefined : await desk.conversationOf?.(askId);
    await desk.receive({
      id: `mail:${id}`,
      conversationId: asked ?? conversationWith(this.#parts.name, address),
      text: isOnlyFiles ? attachments.map((file) => `[attachment: ${file}]`).join('\n') : written,
      // the name in From is chosen by whoever sends: only the address is proved
      participant: { id: participantIdOf(address), name: address },
      address,
      thread: { ...threadOf(mail) },
      ...(askId === undefined ? {} : { askId }),
      ...(attachments.length === 0 ? {} : { data: { attachments: [...attachments] } }),
      ...(isBlank(written) ? { wordless: true } : {}), // nobody wrote anything, and a file is no answer, whatever it is called
    });
    return 'done';
  }

  /**
   * A question that never reaches anybody is given up at once. Which one it was is known by the address for reports, which stands in
   * no text that people pass on; what a mail was forwarded to, and could not be, is another address than the one that was asked.
   */
  async #cameBack(desk: Desk, { report, to, deliveredTo }: Mail): Promise<TakenMail> {
    const lost = report?.recipients.filter(({ isPermanent }) => isPermanent) ?? [];
    if (lost.length === 0) return this.#ignored('bounce', 'not-for-good');
    const copies = [...to, ...deliveredTo].flatMap(({ address }) => this.#parts.replies.read(address, 'report') ?? []);
    if (copies.length === 0) return this.#ignored('bounce', 'of-no-question');
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

  #addresseeOf({ to, deliveredTo }: Mail): Addressee {
    const { replies, from } = this.#parts;
    const copies = to.flatMap(({ address }) => replies.read(address) ?? []);
    if (copies.length > 0)
      return copies.every(({ askId }) => askId === copies[0]?.askId)
        ? { type: 'ask', copies }
        : { type: 'nobody', why: 'two-asks' };
    const all = [...to, ...deliveredTo];
    if (all.some(({ address }) => address !== from && replies.isLike(address)))
      return {
        type: 'nobody',
        why: all.some(({ address }) => replies.read(address)) ? 'reply-address-not-in-to' : 'unknown-reply-address',
      };
    const isToUs = all.some(({ address }) => address === from || replies.isBase(address));
    return isToUs ? { type: 'us' } : { type: 'nobody', why: 'not-addressed-to-us' };
  }

  /** A reply to an address that another secret has made may be an answer. Whoever has that secret finds it where it is. */
  #strayed({ to }: Mail, why: string): TakenMail {
    const { replies } = this.#parts;
    if (why === 'two-asks') {
      this.#parts.logger.warn(
        'A reply was not taken, because it goes to the reply addresses of two questions: nobody can tell which one it answers. Whoever wrote it is to reply to each question by itself',
        { channel: this.#parts.name, why },
      );
      return 'done';
    }
    const isForeign = ({ address }: MailAddress) => replies.isInForm(address) && !replies.read(address, 'report');
    if (why !== 'unknown-reply-address' || !to.some(isForeign)) return this.#ignored('stray', why);
    this.#parts.logger.warn(
      'A reply was not taken, because its reply address was made with another secret, or by a channel of another name. In a mailbox it is left as it is, and looked at again after the next start; one that was posted is to be sent again. Check secret: while one is replaced, both are given',
      { channel: this.#parts.name, why: 'other-secret' },
    );
    return 'wrong-set-up';
  }

  /** In a mailbox it is looked at again after the next start, in case that a person wrote it. */
  #looped(address: string, passed: 'loop-begins' | 'loop'): TakenMail {
    if (passed === 'loop-begins')
      this.#parts.logger.warn(
        'A mail is left alone, and so are others like it, because its author has sent the same text too often: it may be an automatic reply that does not say so',
        { channel: this.#parts.name, why: 'loop', domain: domainOf(address) },
      );
    return 'left';
  }

  #ignored(kind: string, why: string): TakenMail {
    this.#parts.logger.info('A mail was ignored', { channel: this.#parts.name, kind, why });
    return 'done';
  }

  #refused(why: UnprovedAuthor, mail: Mail, to: Addressee): TakenMail {
    const [author, ...others] = mail.from;
    const domain = author === undefined || others.length > 0 ? undefined : domainOf(author.address);
    const servers = why === 'other-server' ? this.#serversOf(mail) : {};
    const about = { channel: this.#parts.name, why, ...(domain === undefined ? {} : { domain }), ...servers };
    this.#parts.logger.warn('A mail was refused, because nobody knows who wrote it', about);
    return ofSetUp.has(why) && to.type !== 'nobody' ? 'wrong-set-up' : 'done';
  }

  /** The server whose word a mail has, and the one whose word is taken. */
  #serversOf(mail: Mail): { readonly server: string; readonly expected: string } {
    const { trust } = this.#parts;
    const expected = 'authservId' in trust ? trust.authservId : 'a field without a name, as Exchange Online writes it';
    return { server: serverNamedIn(mail) ?? 'a field without a name', expected };
  }
}

/** The conversation of everything that somebody writes to us, beside what they answer. */
export function conversationWith(channel: string, address: string): string {
  return `${channel}:${address}`;
}

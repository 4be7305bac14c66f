/**
 * A mailbox that is read by IMAP. Every mail that is not marked as done is handed on, and marked once it is recorded. It looks at no mail's
 * content and does not depend on \Seen: somebody else may read the mailbox, too.
 */
import type { FetchMessageObject, ImapFlow, ImapFlowOptions } from 'imapflow';
import { failureOf } from '../../../core/errors.js';
import type { Logger } from '../../../core/events.js';
import { digest } from '../../../core/ids.js';
import { imported } from '../../../core/optional-package.js';
import { type Clock, keepAlive, sleep, systemClock } from '../../../machine/clock.js';
import { type CheckedImap, givenToken } from '../connection/options.js';
import { imapflow } from '../connection/packages.js';
import { MailboxRefusal, refusedOrLost, troubleOf } from '../connection/trouble.js';
import { headerBlock, valuesOf } from '../incoming/header-fields.js';
import { longestRead } from '../incoming/mime.js';
import { MailboxProgress } from './progress.js';

/** What is known of a mail besides its bytes. */
export interface ArrivedMail {
  /** The same for every process that reads it, and for every time it is read; nobody who writes a mail can choose it. */
  readonly id: string;
  /** How many bytes it has, of which at most `longestRead` were read. */
  readonly size: number;
}

/**
 * What becomes of a mail: it is done with; or it is left as it is and looked at again after the next start, `wrong-set-up` because a setting
 * must be mended before anybody knows what it is.
 */
export type TakenMail = 'done' | 'left' | 'wrong-set-up';

/** What is needed to take mails in, from a mailbox or as they are posted. */
export interface MailIntake {
  /** The name of the channel. */
  readonly name: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Takes the first `longestRead` bytes of a mail. Resolves once it is recorded, or nothing for us; a repeat under the same id does nothing. */
  readonly accept: (raw: Uint8Array, about: ArrivedMail) => Promise<TakenMail>;
}

/** On every mail that is recorded. */
const keyword = '$AskbackDone';
/** The first wait before another try to connect, and the longest, in ms. */
const firstWait = 1_000;
const longestWait = 60_000;
/** The longest after a refused log-in: servers lock out who tries too often. */
const longestLoginWait = 10 * 60_000;
/** How long connecting and logging in, or any other command, may take, in ms: a connection that is dead says nothing. */
const answerWithin = 60_000;
/** How long IDLE is trusted before the server is asked, and how often one is asked that has no IDLE, in ms. */
const idleFor = 2 * 60_000;
const pollEvery = 30_000;
/** How long logging out may take, in ms. */
const closeWithin = 5_000;
/** So many mails are marked at once. */
const markedAtOnce = 20;
/** After so many failures in a row the store is the likely cause, and the other mails wait as well. */
const failuresInARow = 3;
/** Most servers keep the day of arrival in their own time zone. */
const day = 24 * 60 * 60_000;
/** Of a header, as far as an id is made of it. */
const longestHeader = 256 * 1024;
/** What a server may send at once: one that disregards the limit of a FETCH must not fill the memory. */
const longestLiteral = 64 * 1024 * 1024;

export class Mailbox {
  readonly #imap: CheckedImap;
  readonly #parts: MailIntake;
  readonly #progress = new MailboxProgress();
  /** The failures that were logged since the mailbox was last read: each is told once, not at each try. */
  readonly #told = new Set<string>();
  #client: ImapFlow | undefined;
  #running: Promise<void> | undefined;
  #stopped: Promise<void> | undefined;
  #isStopped = false;
  /** The server has told of a change since the last search, or the connection has ended. */
  #hasNews = false;
  /** The failure to mark mails was logged since one was marked. */
  #isMarkTold = false;
  #wakeUp = (): void => {};
  #releaseProcess = (): void => {};

  /** `imap` is what `imapOption` gives. */
  constructor(imap: CheckedImap, parts: MailIntake) {
    this.#imap = imap;
    this.#parts = parts;
  }

  /** Resolves once the package is there. The server is connected to in the background, for as long as it takes. */
  async start(): Promise<void> {
    const Client = await imapClient();
    if (this.#isStopped) return;
    if (this.#parts.clock === systemClock) this.#releaseProcess = keepAlive(); // also between two tries, when no socket holds it
    this.#running = this.#stayConnected(Client);
  }

  /** Waits for a mail that is being recorded, and ends the connection. Takes 10 s at most. */
  stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  async #stop(): Promise<void> {
    this.#isStopped = true;
    this.#releaseProcess();
    this.#wakeUp();
    const ended = () => Promise.race([this.#running, sleep(this.#parts.clock, closeWithin)]);
    await ended();
    this.#client?.close(); // a command that is not answered ends with it
    await ended();
  }

  /** Connects, reads, and connects again whenever the connection ends. */
  async #stayConnected(Client: typeof ImapFlow): Promise<void> {
    let wait = firstWait;
    while (!this.#isStopped) {
      let longest = longestWait;
      let wasRead = false;
      try {
        await this.#read(await this.#opened(Client), () => {
          wasRead = true;
          wait = firstWait;
        });
      } catch (error) {
        const { word, advice, isLogin, isLost } = troubleOf(error, this.#imap);
        if (isLogin) longest = longestLoginWait;
        const isOrdinary = wasRead && isLost; // a connection that was read by may end
        if (!isOrdinary && !this.#isStopped && !this.#told.has(word)) {
          this.#told.add(word);
          const { logger, name } = this.#parts;
          const failure = { code: failureOf(error).code, message: word };
          logger.error(`The mailbox could not be read. It is tried again. ${advice}`, { channel: name, failure });
        }
      }
      const client = this.#client;
      this.#client = undefined; // what a connection still tells after its end does not count
      this.#hasNews = false;
      client?.close();
      await this.#pause(wait);
      wait = Math.min(wait * 2, longest);
    }
  }

  /** A connection that has logged in and opened the mailbox. */
  async #opened(Client: typeof ImapFlow): Promise<ImapFlow> {
    const { mailbox, done } = this.#imap;
    const client = new Client(await this.#clientOptions());
    this.#client = client;
    client.on('error', () => {}); // the command under way rejects as well
    client.on('close', () => this.#changed(client));
    client.on('exists', () => this.#changed(client));
    if (this.#isStopped) return client;
    await this.#answered(client.connect());
    const box = await this.#answered(client.mailboxOpen(mailbox));
    const { permanentFlags } = box;
    if (done !== 'flag') await this.#assertFolder(client, done.moveTo);
    else if (permanentFlags !== undefined && !permanentFlags.has('\\*') && !permanentFlags.has(keyword))
      throw new MailboxRefusal(
        'no-keywords',
        `The mailbox lets nobody add the keyword ${keyword}, so a mail that is recorded could not be told from a new one, and none is read. Set imap.done: { moveTo: 'Done' } to have recorded mails moved, or give the user the right to write there`,
      );
    return client;
  }

  #changed(client: ImapFlow): void {
    if (client !== this.#client) return;
    this.#hasNews = true;
    this.#wakeUp();
  }

  async #clientOptions(): Promise<ImapFlowOptions> {
    const { host, port, secure, auth, ca } = this.#imap;
    const { user, pass, accessToken } = auth;
    const noToken = (problem: string, cause?: unknown) =>
      new MailboxRefusal('no-token', `imap.auth.accessToken ${problem}`, cause);
    return {
      host,
      port,
      secure: secure === true,
      ...(secure === true ? {} : { doSTARTTLS: secure === 'starttls' }),
      ...(ca === undefined ? {} : { tls: { ca } }),
      auth: accessToken === undefined ? { user, pass } : { user, accessToken: await givenToken(accessToken, noToken) },
      logger: false, // it would log what people write
      clientInfo: { name: 'askback' },
      disableAutoIdle: true, // IDLE begins when everything is read
      disableCompression: true,
      connectionTimeout: answerWithin,
      maxLiteralSize: longestLiteral,
    };
  }

  async #assertFolder(client: ImapFlow, folder: string): Promise<void> {
    const isThere = await this.#answered(client.status(folder, { messages: true }).catch(() => false));
    if (isThere !== false) return;
    await this.#answered(client.mailboxCreate(folder)).catch((cause: unknown) => {
      throw new MailboxRefusal(
        'no-folder',
        'The mailbox of imap.done.moveTo is not there and could not be made, so no mail is read. Make it on the server',
        cause,
      );
    });
  }

  /** Reads what is there, waits for more, and so on until the connection ends or the mailbox is stopped. */
  async #read(client: ImapFlow, whenRead: () => void): Promise<void> {
    while (!this.#isStopped) {
      this.#hasNews = false;
      const isAll = await this.#readAll(client);
      if (this.#told.size > 0) this.#parts.logger.info('The mailbox is read again', { channel: this.#parts.name });
      this.#told.clear();
      whenRead();
      if (this.#hasNews) continue;
      if (!isAll) {
        await this.#pause(firstWait);
        continue;
      }
      const canIdle = client.capabilities.has('IDLE') || client.enabled.has('IMAP4REV2');
      if (canIdle) client.idle().catch(() => {}); // the next command ends it, and rejects as well if the connection is gone
      const { clock } = this.#parts;
      await this.#pause(Math.min(canIdle ? idleFor : pollEvery, this.#progress.untilDue(clock.elapsed())));
    }
    await this.#within(closeWithin, client.logout()).catch(() => {}); // it ends either way
  }

  /** Hands on every mail that is not done, oldest first, and marks what is recorded. False if some were not even tried. */
  async #readAll(client: ImapFlow): Promise<boolean> {
    const { clock } = this.#parts;
    const uids = await this.#searched(client);
    const unmarked = uids.filter((uid) => this.#progress.isRecorded(uid)); // marking them failed before
    let failures = 0;
    for (const uid of this.#progress.toTry(uids, clock.elapsed())) {
      if (this.#isStopped || failures === failuresInARow) break;
      const outcome = await this.#handedOn(client, uid);
      failures = outcome === 'failed' ? failures + 1 : 0;
      if (outcome === 'recorded') unmarked.push(uid);
      if (unmarked.length >= markedAtOnce) await this.#mark(client, unmarked.splice(0));
    }
    if (unmarked.length > 0) await this.#mark(client, unmarked);
    return failures < failuresInARow;
  }

  async #searched(client: ImapFlow): Promise<readonly number[]> {
    const { maxAge, done } = this.#imap;
    const since = new Date(this.#parts.clock.now() - maxAge - day);
    const isOpen = done === 'flag' ? { unKeyword: keyword } : { deleted: false };
    const found = await this.#answered(client.search({ since, ...isOpen }, { uid: true }));
    if (!Array.isArray(found) || client.mailbox === false) throw refusedOrLost(client, 'SEARCH');
    const uids = found.sort((a: number, b: number) => a - b);
    this.#progress.listed(String(client.mailbox.uidValidity), uids);
    return uids;
  }

  async #handedOn(client: ImapFlow, uid: number): Promise<'recorded' | 'left' | 'gone' | 'failed'> {
    try {
      const mail = await this.#fetched(client, uid);
      if (mail === undefined) return 'gone';
      if ((await this.#parts.accept(mail.raw, mail.about)) !== 'done') {
        this.#progress.left(uid);
        return 'left';
      }
    } catch (error) {
      this.#fail(uid, error); // also if the connection ended: a mail that ends every connection must not keep back the others
      if (!client.usable) throw refusedOrLost(client, 'FETCH');
      return 'failed';
    }
    this.#progress.recorded(uid);
    return 'recorded';
  }

  /** Undefined if another client has removed the mail since the search. */
  async #fetched(client: ImapFlow, uid: number) {
    const query = { uid: true, size: true, internalDate: true, source: { start: 0, maxLength: longestRead } };
    const mail = await this.#answered(client.fetchOne(String(uid), query, { uid: true }));
    if (client.mailbox === false) throw refusedOrLost(client, 'FETCH');
    if (mail === undefined || mail === false || mail.source === undefined) return undefined;
    const raw = mail.source.subarray(0, longestRead);
    const id = this.#idOf(mail, raw, client.mailbox.uidValidity);
    return { raw, about: { id, size: Math.max(mail.size ?? 0, raw.length) } };
  }

  /**
   * The id under which a mail is recorded: the same for every process that reads it and for every time it is read, so that a repeat does
   * nothing. Nobody who writes a mail can make it that of somebody else's mail.
   *
   * EMAILID, where the server has it (RFC 8474), stays when a mail is moved or the mailbox is rebuilt. So do the fields by which the servers
   * on its way have numbered it; a mail of another author never has the same id. A mail without them, which no server has received, goes by
   * UIDVALIDITY and UID; the arrival keeps it apart from one of the same numbers on a server that was set up anew. The whole text is no part
   * of an id: some servers write the parts of a mail anew for each reader.
   */
  #idOf({ emailId, uid, internalDate }: FetchMessageObject, raw: Uint8Array, validity: bigint): string {
    const { mailbox, auth } = this.#imap;
    if (emailId !== undefined && emailId !== '') return digest('mail by emailid', auth.user, emailId);
    const { fields } = headerBlock(raw, longestHeader) ?? { fields: [] };
    const [received, messageId, from] = ['received', 'message-id', 'from'].map((name) => valuesOf(fields, name));
    if (received?.length !== 0 && messageId?.length !== 0)
      return digest('mail by received', auth.user, mailbox, JSON.stringify([received, messageId, from]));
    const arrived = internalDate instanceof Date ? internalDate.toISOString() : String(internalDate);
    return digest('mail by uid', auth.user, mailbox, String(validity), String(uid), arrived);
  }

  #fail(uid: number, error: unknown): void {
    const { clock, logger, name } = this.#parts;
    const { tries, isLeft, wait } = this.#progress.failed(uid, clock.elapsed());
    const about = { channel: name, uid, tries, failure: failureOf(error) };
    if (isLeft)
      logger.error(`A mail could not be recorded. It stays in the mailbox and is tried again in ${wait} ms`, about);
    else if (tries === 1 && !troubleOf(error, this.#imap).isLost)
      logger.warn('A mail could not be recorded. It is tried again', about);
  }

  /** What is not marked is remembered as recorded, and marked after the next search. */
  async #mark(client: ImapFlow, uids: readonly number[]): Promise<void> {
    const { done } = this.#imap;
    const range = uids.join(',');
    const isMarked = await this.#answered<unknown>(
      done === 'flag'
        ? client.messageFlagsAdd(range, [keyword], { uid: true, silent: true })
        : client.messageMove(range, done.moveTo, { uid: true }),
    );
    if (!client.usable) throw refusedOrLost(client, 'STORE');
    const isDone = isMarked !== false && isMarked !== undefined;
    const { logger, name } = this.#parts;
    const what = done === 'flag' ? `given the keyword ${keyword}` : 'moved';
    if (!isDone && !this.#isMarkTold)
      logger.error(
        `Mails are recorded, but could not be ${what}. It is tried again. Check that the mailbox is not full, and that the user may write there`,
        { channel: name },
      );
    this.#isMarkTold = !isDone;
  }

  #answered<T>(command: Promise<T>): Promise<T> {
    return this.#within(answerWithin, command);
  }

  /** Closes the connection after `ms`, and with it the command rejects. */
  async #within<T>(ms: number, command: Promise<T>): Promise<T> {
    const client = this.#client;
    const inTime = this.#parts.clock.after(ms, () => client?.close());
    try {
      return await command;
    } finally {
      inTime();
    }
  }

  async #pause(ms: number): Promise<void> {
    if (this.#isStopped || this.#hasNews) return;
    await new Promise<void>((resolve) => {
      const cancel = this.#parts.clock.after(ms, resolve);
      this.#wakeUp = () => {
        cancel();
        resolve();
      };
    });
    this.#wakeUp = () => {};
  }
}

/** The client's class. Rejects if its package is missing. */
export async function imapClient(): Promise<typeof ImapFlow> {
  return imported(imapflow, async () => (await import('imapflow')).ImapFlow);
}

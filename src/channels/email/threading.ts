/**
 * How mails belong together: the id of each mail that is sent, the mails that it answers, and its subject. An id is made of the output's
 * key alone, so a repeat has the same one and mail programs show it once. None of it is trusted when it comes back.
 */
import { askIdIn, copyIn, type OutgoingMessage } from '../../core/conversation/outgoing.js';
import { definedFields } from '../../core/defined-fields.js';
import { digest } from '../../core/ids.js';
import type { Json } from '../../core/json.js';
import { inert, isBlank, withoutControls } from '../../core/text.js';
import { headerText } from './addresses.js';
import { type MailHead, messageIdsIn } from './incoming/mime.js';
import type { SmtpMail } from './smtp.js';

/** What an answer to a mail refers to: `thread` of the messages that come in and go out. */
export interface MailThread {
  /** The Message-ID of the mail, with its angle brackets. */
  readonly id?: string;
  /** The mails that it answers: the first and the last ones. */
  readonly references?: readonly string[];
  readonly subject?: string;
  /** The reply address of an ask that the mail was sent to: what its author is told leads there, too. */
  readonly replyTo?: string;
}

/** Ids that are kept of a thread: enough for every mail program to find one that it has. */
const mostReferences = 10;
const longestSubject = 120;

/** The Message-ID for an output: the same for every try. Nothing can be read from it. */
export function messageIdOf(key: string, domain: string): string {
  return `<${digest('askback mail', key)}@${domain}>`;
}

/** What is kept of a mail for the answers to it. */
export function threadOf({
  messageId,
  references,
  subject,
}: Pick<MailHead, 'messageId' | 'references' | 'subject'>): MailThread {
  return definedFields({
    id: messageId,
    references: references.length === 0 ? undefined : firstAndLast(references),
    subject: isBlank(subject) ? undefined : headerText(subject, longestSubject),
  });
}

/** The first and the last of the ids. */
function firstAndLast(ids: readonly string[]): readonly string[] {
  return ids.length <= mostReferences ? ids : [...ids.slice(0, 1), ...ids.slice(1 - mostReferences)];
}

/** The fields by which mail programs put a mail below another. `domain` is that of our own address. */
export function threadHeaders(
  message: OutgoingMessage,
  domain: string,
): Pick<SmtpMail, 'messageId' | 'inReplyTo' | 'references'> {
  const { key, conversationId } = message;
  const { id, references = [] } = threadIn(message.thread);
  const known = [...references, ...(id === undefined ? [] : [id]), ...earlierMails(message, domain)];
  const all = firstAndLast([...new Set(known)]);
  return {
    // a question's key is the same in no other conversation; that of something said may be
    messageId: messageIdOf(askIdIn(key) === undefined ? digest(conversationId, key) : key, domain),
    ...definedFields({ inReplyTo: all.at(-1), references: all.length === 0 ? undefined : all }),
  };
}

/**
 * The copies of the question before this one, or the question that this says the end of. A copy that went to somebody else is one that no
 * mail program of this person has, which changes nothing.
 */
function earlierMails({ key, follows }: OutgoingMessage, domain: string): readonly string[] {
  if (follows !== undefined) return [messageIdOf(follows, domain)];
  const [askId, copy] = [askIdIn(key), copyIn(key)];
  if (askId === undefined || !Number.isSafeInteger(copy)) return [];
  const first = Math.max(0, copy - mostReferences);
  return Array.from({ length: copy - first }, (_, i) => messageIdOf(`ask:${askId}:${first + i}`, domain));
}

/**
 * The subject of a mail. In a thread it is that of the thread; else the first line of the question, and the same for each of its copies,
 * because mail programs keep only mails of one subject together. `blank` stands for a text without words.
 */
export function threadSubject(message: OutgoingMessage, blank: string): string {
  const { subject } = threadIn(message.thread);
  if (subject !== undefined) return answering(subject);
  const lines = withoutControls(message.ask?.question ?? message.text).split('\n');
  const line = inert(lines.find((each) => !isBlank(each)) ?? blank);
  return message.follows === undefined ? headerText(line, longestSubject) : answering(line);
}

/** What mail programs put before the subject of an answer, in some languages, and as a count: `Re[2]:`. */
const answerMark = /^(?:re|aw|antw|sv|vs|ref|rif|res|odp|ynt)(?:\s?\[\d{1,3}\]|\s?\(\d{1,3}\))?\s?[:：]\s*/i;

function answering(subject: string): string {
  return headerText(`Re: ${bareSubject(subject)}`, longestSubject);
}

/** What servers put before the subject of a mail from outside. */
const outsideMark = /^\[(?:ext|external|extern|externe|externo|external email|caution)\]\s*/i;

/** The subject without the marks of answers and of servers. */
export function bareSubject(subject: string): string {
  let bare = headerText(subject, 2 * longestSubject);
  const next = () => bare.replace(answerMark, '').replace(outsideMark, '');
  for (let left = next(); left !== bare; left = next()) bare = left;
  return bare;
}

/** The thread of a message, as far as it is one: it was stored, and an author may have made it. */
export function threadIn(thread: Json | undefined): MailThread {
  if (thread === null || typeof thread !== 'object' || Array.isArray(thread)) return {};
  const { id, references, subject, replyTo } = thread as { readonly [name: string]: Json }; // no list
  const isId = (each: Json | undefined): each is string => typeof each === 'string' && messageIdsIn(each)[0] === each;
  return definedFields({
    id: isId(id) ? id : undefined,
    references: Array.isArray(references) ? firstAndLast(references.filter(isId)) : undefined,
    subject: typeof subject === 'string' && !isBlank(subject) ? subject : undefined,
    replyTo: typeof replyTo === 'string' ? replyTo : undefined,
  });
}

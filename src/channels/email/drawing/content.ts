/** What a mail says, before it is text or HTML: what is said, the details, the options, and how to answer. All of it is inert. */
import { currentChoices, isNumbered } from '../../../core/ask/answer-type.js';
import type { OutgoingMessage } from '../../../core/conversation/outgoing.js';
import { inert, isBlank, oneLine } from '../../../core/text.js';
import type { Wording } from '../../../core/wording/wording.js';
import { withoutField } from '../../whole-form.js';
import { bareMarker, markerText } from './markers.js';

/** What drawing needs besides the message. */
export interface MailDrawing {
  /** In the language of whoever reads it. */
  readonly wording: Wording;
  /** The address of the page where the ask can be answered. */
  readonly link?: string | undefined;
  /** A reply to the mail is read: it answers the ask, or is a message to the agent. */
  readonly canReply: boolean;
}

/** The parts of a mail, in their order. Each string but `text` is one line. */
export interface MailContent {
  /** The first line, where a reply is read. */
  readonly marker?: string;
  readonly text: string;
  readonly details: readonly (readonly [name: string, value: string])[];
  readonly options: readonly string[];
  readonly isNumbered: boolean;
  /** How to answer, until when, and what became of it. */
  readonly notes: readonly string[];
  readonly link?: { readonly url: string; readonly label: string; readonly before: string; readonly after: string };
}

export function mailContent(message: OutgoingMessage, drawing: MailDrawing): MailContent {
  const { wording } = drawing;
  const { ask } = message;
  const details = Object.entries(ask?.details ?? {}).map(([name, value]) => [oneLine(name), oneLine(value)] as const);
  const nothing = { details, options: [], isNumbered: false, notes: [] };
  const marker = drawing.canReply ? { marker: oneLine(markerText(wording)) } : {};
  if (ask === undefined) return { ...nothing, ...marker, text: shown(message.text, wording) };
  if (ask.status !== 'pending') {
    const by = isBlank(ask.decidedBy?.name ?? '') ? undefined : ask.decidedBy;
    const ended = oneLine(wording.ended(ask.status, by));
    return { ...nothing, text: shown(ask.question, wording), details: [], notes: [ended] };
  }
  return { ...nothing, ...openQuestion({ ...message, ask }, drawing) };
}

type MailQuestion = OutgoingMessage & { readonly ask: NonNullable<OutgoingMessage['ask']> };

function openQuestion(message: MailQuestion, drawing: MailDrawing): Omit<MailContent, 'details'> {
  const { wording, canReply } = drawing;
  const { ask, shape, hint } = message;
  const url = pageAddress(drawing.link);
  const isForm = shape.type === 'fields' && !canReply; // its page asks for all fields at once
  const choices = isForm ? undefined : currentChoices(shape);
  // the answer to a sensitive question is better given on the page
  const isInvited = canReply && !(ask.sensitive === true && url !== undefined);
  const notes = [
    ...(ask.quorum !== undefined && ask.quorum > 1 ? [wording.votesSoFar(ask.votes?.length ?? 0, ask.quorum)] : []),
    ...(ask.expiresAt === undefined ? [] : [wording.openUntil(writtenTime(ask.expiresAt))]),
    ...(isInvited && hint !== undefined ? [hint] : []),
    ...(isInvited ? [wording.mailReply()] : []),
    ...(ask.sensitive === true && url !== undefined ? [wording.mailSecret()] : []),
    ...(!canReply && url === undefined ? [wording.mailNoAnswer()] : []),
  ];
  return {
    ...(canReply ? { marker: isInvited ? oneLine(markerText(wording)) : bareMarker } : {}), // a reply is read either way
    text: shown(isForm ? withoutField(message.text, shape) : message.text, wording),
    options: choices?.choices.map(({ label }) => oneLine(label)) ?? [],
    isNumbered: choices !== undefined && isNumbered(choices),
    notes: notes.map(oneLine).filter((note) => note !== ''),
    ...(url === undefined
      ? {}
      : {
          link: {
            url,
            label: oneLine(wording.openPageButton()),
            before: oneLine(isInvited ? wording.mailOrPage() : canReply ? wording.mailOpenPage() : wording.mailPage()),
            after: oneLine(wording.mailLinkIsYours()),
          },
        }),
  };
}

/** Nothing but an address of the web is a link. */
export function pageAddress(link: unknown): string | undefined {
  const url = typeof link === 'string' && URL.canParse(link) ? new URL(link) : undefined;
  return url?.protocol === 'https:' || url?.protocol === 'http:' ? url.href : undefined;
}

function writtenTime(at: Date): string {
  return `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

function shown(text: string, wording: Wording): string {
  return isBlank(text) ? oneLine(wording.noText()) : inert(text);
}

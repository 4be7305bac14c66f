/** A message as a mail: its subject, its text and the same as HTML. It decides nothing, and what comes from outside stays text. */
import type { OutgoingMessage } from '../../../core/conversation/outgoing.js';
import { threadSubject } from '../threading.js';
import { type MailDrawing, mailContent } from './content.js';
import { htmlPart } from './html-part.js';
import { textPart } from './text-part.js';

/** What a mail shows. */
export interface DrawnMail {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

export function drawnMail(message: OutgoingMessage, drawing: MailDrawing): DrawnMail {
  const subject = threadSubject(message, drawing.wording.noText());
  const content = mailContent(message, drawing);
  return { subject, text: textPart(content), html: htmlPart(content, { title: subject, locale: message.locale }) };
}

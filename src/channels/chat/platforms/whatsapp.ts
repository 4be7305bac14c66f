/** WhatsApp: short texts, three buttons, and messages that stay as they were sent. */
import { recordOf } from '../../kit/untyped.js';
import { marked, type Platform, unknownPlatform } from './platform.js';

export const whatsApp: Platform = {
  ...unknownPlatform,
  name: 'whatsapp',
  exampleUser: '4915112345678',
  isUserId: (user) => /^(?:\d+|[A-Z]{2}\.(?:ENT\.)?[A-Za-z0-9]+)$/.test(user), // a phone number, or Meta's id of a hidden one
  text: 1_024,
  label: 20,
  buttons: 3,
  canUpdate: false,
  typed: (_, { raw }) => marked(textIn(recordOf(recordOf(raw)['message'])), 'single'),
};

/** The adapter's text names what has none, as `[Image]`, and leaves out the caption of a video. Forwarded words are another person's. */
function textIn({ text, image, video, document, context }: Readonly<Record<string, unknown>>): string | undefined {
  const { forwarded, frequently_forwarded: isOften } = recordOf(context);
  if (forwarded === true || isOften === true) return undefined;
  const captions = [image, video, document].map((file) => recordOf(file)['caption']);
  return [recordOf(text)['body'], ...captions].find((each): each is string => typeof each === 'string');
}

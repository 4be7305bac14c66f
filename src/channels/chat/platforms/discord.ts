/** Discord: Markdown everywhere, replies that refer to a message, and buttons that an edit must replace. */
import { recordOf, textOf } from '../../kit/untyped.js';
import { type ChatQuoting, marked, type Platform, unaddressed, unknownPlatform } from './platform.js';

export const discord: Platform = {
  ...unknownPlatform,
  name: 'discord',
  exampleUser: '80351110224678912',
  isUserId: (user) => /^\d+$/.test(user),
  text: 2_000,
  label: 80,
  buttons: 5,
  escape: (text) => text.replace(/[\\*_~`|>#[\]()<-]/g, '\\$&'),
  // the adapter keeps the buttons of a card whose new version has none: a button that cannot be pressed replaces them
  ended: (label) => [{ type: 'actions', children: [{ type: 'button', id: 'over', label, disabled: true }] }],
  typed: (adapter, { raw }) => {
    const { content } = recordOf(raw);
    return unaddressed(adapter, marked(typeof content === 'string' ? content : undefined, 'doubled'));
  },
  quoted,
  localeIn: (raw) => recordOf(raw)['locale'], // only of a press
};

/** Discord's type of a message that is a reply. A forwarded message refers to another one, too. */
const replyType = 19;

/** A reply that mentions the app begins a thread, so the quoted message may be above it: its channel stands beside its id. */
function quoted({ raw, threadId }: ChatQuoting) {
  const { type, message_reference: reference } = recordOf(raw);
  const { message_id: messageId, channel_id: channel } = recordOf(reference);
  const id = textOf(messageId);
  if (type !== replyType || id === undefined) return undefined;
  const parts = threadId.split(':');
  const at = parts.lastIndexOf(textOf(channel) ?? '\n');
  return { thread: at < 0 ? threadId : parts.slice(0, at + 1).join(':'), id };
}

/** Google Chat: HTML in cards, the text without mentions of the app, and presses whose thread does not say that it is direct. */
import { recordOf, textOf } from '../../kit/untyped.js';
import { apart, joiner, marked, type Platform, unknownPlatform, withoutEntities } from './platform.js';

export const googleChat: Platform = {
  ...unknownPlatform,
  name: 'gchat',
  exampleUser: 'users/4711',
  isUserId: (user) => /^users\/(?!app$)[^\s/]+$/.test(user), // the adapter calls an author without an id unknown
  isProgramByIdOnly: true,
  text: 4_000,
  canOpenLater: true,
  // messages have mentions and links in angle brackets, and the adapter makes one `*` of two
  escape: (text) => withoutEntities(apart(text)).replace(/\*(?=\*)/g, `*${joiner}`),
  ended: () => 'plain text', // the adapter leaves the text of a message beside a new card
  // the adapter's text has lost what looks like Markdown
  typed: (_, { raw }) => {
    const { message = recordOf(raw)['message'] } = recordOf(eventIn(raw)['messagePayload']);
    const { argumentText, text } = recordOf(message);
    const typed = [argumentText, text].find((each): each is string => typeof each === 'string');
    return marked(typed?.trimStart(), 'single');
  },
  pressIn: (raw) => textOf(eventIn(raw)['eventTime']),
  isDirectPress: (raw) => {
    const { type, spaceType } = recordOf(recordOf(eventIn(raw)['buttonClickedPayload'])['space']);
    return type === 'DM' || spaceType === 'DIRECT_MESSAGE';
  },
};

function eventIn(raw: unknown): Readonly<Record<string, unknown>> {
  return recordOf(recordOf(raw)['chat']);
}

/** Slack by the adapter of `chat`: text that Slack escapes, and modals that a trigger opens. Its own channel is `askback/channels/slack`. */
import type { Adapter } from 'chat';
import { recordOf, recordsOf, textOf } from '../../kit/untyped.js';
import { emojiIn, richIn } from '../../slack/incoming/payload.js';
import { ownTypedText } from '../../slack/incoming/typed-text.js';
import { type ChatQuoting, joiner, type Platform, unknownPlatform } from './platform.js';

export const slack: Platform = {
  ...unknownPlatform,
  name: 'slack',
  misuseOf: (adapter) => {
    const { mode, clientId } = adapter as { readonly mode?: unknown; readonly clientId?: unknown };
    if (clientId !== undefined)
      return 'the Slack adapter must be of one workspace, with botToken and without clientId: its ids of people do not name their workspace. askback/channels/slack serves several.';
    return mode === 'socket'
      ? "the Slack adapter must not have mode: 'socket': it acknowledges a message before it is recorded. Give it requests, or use Socket Mode by askback/channels/slack."
      : undefined;
  },
  exampleUser: 'U012AB3CD',
  isUserId: (user) => /^(?!USLACKBOT$)[UW][A-Z0-9]+$/.test(user),
  text: 3_000,
  modals: { canOpen: ({ openModal }) => openModal !== undefined, hasCallbackOnly: false },
  escape: (text) => escaped(text).replace(/\*(?=\*)/g, `*${joiner}`), // the adapter makes one of two
  escapeControl: escaped,
  typed: ({ botUserId: self }, { raw }) => {
    const { text, blocks } = recordOf(raw);
    if (typeof text !== 'string') return undefined;
    return ownTypedText(text, { self, emoji: emojiIn(blocks), rich: richIn(blocks) });
  },
  quoted,
  pressIn: (raw) => textOf(recordsOf(recordOf(raw)['actions'])[0]?.['action_ts']),
};

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

function escaped(text: string): string {
  return text.replace(/[&<>]/g, (character) => escapes[character] as string);
}

/** On Slack a reply stands in the thread below what it is about. */
function quoted({ raw, threadId }: ChatQuoting, adapter: Adapter) {
  const { ts, thread_ts: root } = recordOf(raw);
  const id = textOf(root);
  if (id === undefined || id === ts) return undefined;
  return { thread: `${adapter.channelIdFromThreadId(threadId)}:`, id };
}

/** What the drivers of the platforms of `chat` share: a silent Chat, a channel on the loopback address, and ids by name. */
import { createMemoryState } from '@chat-adapter/state-memory';
import { type Adapter, Chat } from 'chat';
import { ChatChannel, type ChatOptions, type ChatState, recordFirst } from '../../../src/channels/chat/index.js';
import type { Acknowledged } from '../../../src/testing/index.js';
import { linesLogged } from '../slack/world.js';
import { served } from './slack.js';

export const told = ({ status }: { readonly status: number }): Acknowledged =>
  status === 200 ? 'received' : 'refused';

const { logger } = linesLogged();
/** A logger of `chat` that writes nothing. */
export const quiet = { ...logger, child: () => quiet };

/** A Chat with one adapter. The packages of `chat` may have different versions of its types. */
export function chatWith(name: string, adapter: unknown, state: ChatState = createMemoryState()): Chat {
  return new Chat({
    userName: 'shopbot',
    adapters: { [name]: adapter as Adapter },
    state: recordFirst(state),
    concurrency: 'concurrent',
    logger: quiet,
  });
}

interface Opened {
  app: string | undefined;
  close(): Promise<void>;
}

/** A channel on a platform, whose requests come over HTTP. The Chat may have to know the address of the app. */
export async function channelOn(platform: Opened, chatAt: (url: string) => Chat, options: Partial<ChatOptions>) {
  const { logger: log, lines } = linesLogged();
  let app = async (_: Request): Promise<Response> => new Response(null, { status: 503 });
  const { url, close: closeApp } = await served((request) => app(request));
  const channel = new ChatChannel({ chat: chatAt(url), logger: log, ...options });
  app = channel.fetch;
  platform.app = url;
  const close = async (): Promise<void> => {
    await closeApp();
    await platform.close();
  };
  return { channel, lines, close };
}

/** The platform's own ids of what the contract calls by names. */
export function idsByName<T>(nextId: () => T): (name: string) => T {
  const ids = new Map<string, T>();
  return (name) => {
    const id = ids.get(name) ?? nextId();
    ids.set(name, id);
    return id;
  };
}

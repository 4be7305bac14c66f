/** Google Chat with a channel of `chat` on it: for the channel contract, and for tests of their own. */
import { GoogleChatAdapter } from '@chat-adapter/gchat';
import { createMemoryState } from '@chat-adapter/state-memory';
import { type Adapter, Chat } from 'chat';
import { ChatChannel, type ChatOptions, recordFirst } from '../../../src/channels/chat/index.js';
import type { Acknowledged, ChannelDriver, ChannelWorld } from '../../../src/testing/index.js';
import { served } from '../chat/slack.js';
import { linesLogged } from '../slack/world.js';
import { seenText } from '../telegram/driver.js';
import { GoogleChatServer } from './server.js';

const told = ({ status }: Response): Acknowledged => (status === 200 ? 'received' : 'refused');

/** What Google's own client has: the adapter gives no option for either. */
interface GoogleClient {
  readonly endpoints: { oauth2FederatedSignonPemCertsUrl: string };
  setCredentials(credentials: { readonly access_token: string; readonly expiry_date: number }): void;
}

function googleChatChat(google: GoogleChatServer, endpointUrl: string): Chat {
  const quiet = { ...linesLogged().logger, child: () => quiet };
  const adapter = new GoogleChatAdapter({
    credentials: { client_email: 'shop@local.iam.gserviceaccount.com', private_key: 'not used' },
    endpointUrl,
    workspaceAddOnServiceAccountEmail: google.addOn,
    botUserId: google.bot,
    userName: 'shopbot',
    apiUrl: google.url,
    logger: quiet,
  });
  const { authClient, oauth2Client } = adapter as unknown as Record<'authClient' | 'oauth2Client', GoogleClient>;
  authClient.setCredentials({ access_token: google.token, expiry_date: 4_102_444_800_000 }); // else it asks Google for one
  oauth2Client.endpoints.oauth2FederatedSignonPemCertsUrl = `${google.url}certificates`;
  return new Chat({
    userName: 'shopbot',
    adapters: { gchat: adapter as unknown as Adapter },
    state: recordFirst(createMemoryState()),
    concurrency: 'concurrent',
    logger: quiet,
  });
}

/** A Google Chat whose events come over HTTP. */
export async function googleChatChannel(options: Partial<ChatOptions> = {}) {
  const google = await GoogleChatServer.opened();
  const { logger, lines } = linesLogged();
  let app = async (_: Request): Promise<Response> => new Response(null, { status: 503 });
  const { url, close: closeApp } = await served((request) => app(request)); // the adapter must know its address
  const channel = new ChatChannel({ chat: googleChatChat(google, url), logger, ...options });
  app = channel.webhook('gchat');
  google.app = url;
  const close = async (): Promise<void> => {
    await closeApp();
    await google.close();
  };
  return { google, channel, lines, close };
}

/** One person in the direct messages of the app. */
export async function googleChatDriver({ clock }: ChannelWorld): Promise<ChannelDriver> {
  const { google, channel, close } = await googleChatChannel({ clock });
  google.now = () => clock.now();
  const here = google.direct('1');
  /** Google's own ids of what the contract calls by names. */
  const ids = new Map<string, string>();
  const numbered = (id: string): string => {
    const known = ids.get(id) ?? google.nextId();
    ids.set(id, known);
    return known;
  };
  return {
    channel,
    participantId: 'gchat:users/1',
    secrets: [google.token],
    says: async ({ id, text }) => told(await google.writes(text, { id: numbered(id) })),
    presses: async (label, id) => told(await google.presses(label, { id: numbered(id) })),
    poses: async ({ id, text }, participantId) => {
      const more = { author: { userId: participantId }, participant: participantId, user: { name: participantId } };
      return told(await google.writes(text, { id: numbered(id), more }));
    },
    garbage: async () => {
      const event = JSON.stringify(google.event({}, { from: '1', id: '1', parameters: {} }));
      const wrong = [
        google.posts('{"chat":', google.idToken()),
        google.posts('', google.idToken()),
        google.posts(event),
        google.posts(event, 'no.id.token'),
        google.posts(event, google.idToken({ aud: 'https://another.example.com' })),
      ];
      return (await Promise.all(wrong)).map(told);
    },
    fails: (isOn) => (isOn ? google.fails(500) : google.works()),
    seen: () =>
      google.said(here, '1').map(({ text, buttons }) => ({
        text: seenText(text),
        controls: buttons.map((button) => seenText(button.text)),
      })),
    wire: () => JSON.stringify(google.calls),
    close,
  };
}

/** Google Chat with a channel of `chat` on it: for the channel contract, and for tests of their own. */
import { GoogleChatAdapter } from '@chat-adapter/gchat';
import type { Chat } from 'chat';
import type { ChatOptions } from '../../../src/channels/chat/index.js';
import type { ChannelDriver, ChannelWorld } from '../../../src/testing/index.js';
import { channelOn, chatWith, idsByName, quiet, told } from '../chat/platform-chat.js';
import { seenText } from '../telegram/driver.js';
import { GoogleChatServer } from './server.js';

/** What Google's own client has: the adapter gives no option for either. */
interface GoogleClient {
  readonly endpoints: { oauth2FederatedSignonPemCertsUrl: string };
  setCredentials(credentials: { readonly access_token: string; readonly expiry_date: number }): void;
}

function googleChatChat(google: GoogleChatServer, endpointUrl: string): Chat {
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
  return chatWith('gchat', adapter);
}

/** A Google Chat whose events come over HTTP. */
export async function googleChatChannel(options: Partial<ChatOptions> = {}) {
  const google = await GoogleChatServer.opened();
  return { google, ...(await channelOn(google, (url) => googleChatChat(google, url), options)) };
}

/** One person in the direct messages of the app. */
export async function googleChatDriver({ clock }: ChannelWorld): Promise<ChannelDriver> {
  const { google, channel, close } = await googleChatChannel({ clock });
  google.now = () => clock.now();
  const here = google.direct('1');
  const numbered = idsByName(() => google.nextId());
  return {
    channel,
    participantId: 'gchat:users/1',
    address: 'gchat:users/1',
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

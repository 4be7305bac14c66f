/**
 * A local server in the shape of Google Chat: its API on the loopback address, and events to the app as Google sends them to a Workspace
 * add-on, each with an ID token that is signed with RS256. It also serves the certificates for these. It is made after Google's
 * documentation, and knows nothing of askback.
 */
import { Buffer } from 'node:buffer';
import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import {
  type PlatformFields as Fields,
  failure,
  type PlatformCall,
  type PlatformRefusal,
  PlatformServer,
  shownButton,
} from '../chat/platform-server.js';

interface GoogleChatButton {
  readonly text: string;
  readonly onClick: {
    readonly action?: { readonly function: string; readonly parameters: readonly { key: string; value: string }[] };
    readonly openLink?: { readonly url: string };
  };
}

/** A message of the app, as people see it. */
interface GoogleChatMessage {
  readonly space: string;
  readonly thread: string;
  readonly name: string;
  readonly body: Fields;
  /** The text and the cards, as they are seen. */
  readonly text: string;
  readonly buttons: readonly GoogleChatButton[];
  /** The only person who sees it. */
  readonly only?: string;
}

/** Who does something, where. */
export interface GoogleChatActing {
  readonly from?: string;
  /** A space of several people; without one the direct messages of the person. */
  readonly space?: string;
  /** The id of the message or the press; the same again is a second delivery. */
  readonly id?: string;
  /** More fields of the message. */
  readonly more?: Fields;
}

/** Made once: a pair takes a while. */
const keys = generateKeyPairSync('rsa', { modulusLength: 2_048 });

export class GoogleChatServer extends PlatformServer {
  readonly token = 'local-access-token-0123456789';
  readonly addOn = 'service-4711@gcp-sa-gsuiteaddons.iam.gserviceaccount.com';
  readonly bot = 'users/4711';
  /** A space of several people, with one thread. */
  readonly staff = 'spaces/STAFF';
  protected readonly authorization = `Bearer ${this.token}`;
  readonly #messages = new Map<string, GoogleChatMessage>();
  #failing: 'messages' | 'finding' = 'messages';

  static opened(): Promise<GoogleChatServer> {
    return new GoogleChatServer().listening();
  }

  override get url(): string {
    return `${super.url}/`;
  }

  /** Every message that is posted, or every look for direct messages, fails from now on with this status. */
  override fails(status: number, of: 'messages' | 'finding' = 'messages'): void {
    super.fails(status);
    this.#failing = of;
  }

  /** The space of the direct messages with a person. */
  direct(person: string): string {
    return `spaces/DM${person}`;
  }

  /** What a person, or everybody, sees of the app in a space, in order. */
  said(space: string, person?: string): readonly GoogleChatMessage[] {
    return [...this.#messages.values()].filter(
      (message) => message.space === space && (message.only === undefined || message.only === person),
    );
  }

  /** Somebody writes. In a space the app is told only of what mentions it. */
  writes(text: string, { from = '1', space, id = this.nextId(), more }: GoogleChatActing = {}): Promise<Response> {
    const where = space ?? this.direct(from);
    const mention = space === undefined ? '' : '@Shop Bot';
    const user = { name: this.bot, displayName: 'Shop Bot', type: 'BOT' };
    const annotation = { type: 'USER_MENTION', startIndex: 0, length: mention.length, userMention: { user } };
    const message = {
      name: `${where}/messages/${id}`,
      sender: person(from),
      createTime: new Date(this.now()).toISOString(),
      text: mention === '' ? text : `${mention} ${text}`,
      argumentText: mention === '' ? text : ` ${text}`,
      annotations: mention === '' ? [] : [annotation],
      thread: { name: this.#thread(where, id) },
      space: spaceOf(where),
      ...more,
    };
    return this.delivers({ messagePayload: { space: spaceOf(where), message } }, { from });
  }

  /** Somebody presses the button with this text, on the latest message of the space that has one. */
  presses(text: string, { from = '1', space, id = this.nextId() }: GoogleChatActing = {}): Promise<Response> {
    const where = space ?? this.direct(from);
    const { message, button } = shownButton(this.said(where, from), text, (each) => each.text);
    const { action } = button.onClick;
    if (action === undefined) throw new Error(`the button ${text} opens a page`);
    if (action.function !== this.app) throw new Error('Google calls the address that the button names');
    const parameters = Object.fromEntries(action.parameters.map(({ key, value }) => [key, value]));
    return this.delivers(this.press(message, where), { from, id, parameters });
  }

  /** What Google sends for a press. */
  press({ name, thread }: Pick<GoogleChatMessage, 'name' | 'thread'>, space: string): Fields {
    const sender = { name: this.bot, displayName: 'Shop Bot', type: 'BOT' };
    const message = { name, sender, thread: { name: thread }, space: spaceOf(space) };
    return { buttonClickedPayload: { message, space: spaceOf(space) } };
  }

  delivers(
    payload: Fields,
    {
      from = '1',
      id = this.nextId(),
      parameters = {},
    }: Pick<GoogleChatActing, 'from' | 'id'> & { readonly parameters?: Fields } = {},
  ): Promise<Response> {
    return this.posts(JSON.stringify(this.event(payload, { from, id, parameters })), this.idToken());
  }

  event(
    payload: Fields,
    { from, id, parameters }: { readonly from: string; readonly id: string; readonly parameters: Fields },
  ): Fields {
    const eventTime = new Date(1_700_000_000_000 + Number(id)).toISOString();
    return {
      commonEventObject: { hostApp: 'CHAT', platform: 'WEB', parameters },
      authorizationEventObject: { systemIdToken: `token-${this.nextId()}` }, // another one at each delivery
      chat: { user: person(from), eventTime, ...payload },
    };
  }

  /** The ID token of an event. */
  idToken(claims: Fields = {}, key: KeyObject = keys.privateKey): string {
    const now = Math.floor(Date.now() / 1_000);
    const standard = { iss: 'https://accounts.google.com', aud: this.app, sub: '1', iat: now, exp: now + 3_600 };
    const payload = { ...standard, email: this.addOn, email_verified: true, ...claims };
    const parts = [{ alg: 'RS256', kid: 'local', typ: 'JWT' }, payload];
    const signed = parts.map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
    return `${signed}.${sign('RSA-SHA256', Buffer.from(signed), key).toString('base64url')}`;
  }

  posts(body: string, token?: string): Promise<Response> {
    return this.request(body, token === undefined ? {} : { authorization: `Bearer ${token}` });
  }

  /** The direct messages have a thread for each message; the space has one. */
  #thread(space: string, id: string): string {
    return space === this.staff ? `${space}/threads/T1` : `${space}/threads/${id}`;
  }

  protected override open(path: string): Fields | undefined {
    return path === '/certificates' ? { local: keys.publicKey.export({ format: 'pem', type: 'spki' }) } : undefined;
  }

  protected refused({ message, status: code }: PlatformRefusal): Fields {
    return { error: { code, message, status: 'REFUSED' } };
  }

  protected result({ method, path, body }: PlatformCall): Fields {
    const { pathname, searchParams } = new URL(path, this.url);
    if (pathname === '/v1/spaces:findDirectMessage') {
      this.#assertWorks('finding');
      const user = String(searchParams.get('name')).replace('users/', '');
      if (!/^\d{1,2}$/.test(user)) throw failure(404, 'No direct messages with this user');
      return { name: this.direct(user) };
    }
    if (pathname === '/v1/spaces:setup') throw failure(403, 'An app may not set up a space');
    const [, space = '', id] = /^\/v1\/(spaces\/\w+)\/messages(?:\/(\w+))?$/.exec(pathname) ?? [];
    if (space === '') throw failure(404, 'Unknown path');
    if (method === 'PUT') return this.#changed(`${space}/messages/${id}`, body, String(searchParams.get('updateMask')));
    return this.#posted(space, body);
  }

  #assertWorks(what: 'messages' | 'finding'): void {
    if (this.fault !== undefined && this.#failing === what) throw failure(this.fault, 'Not now');
  }

  #posted(space: string, body: Fields): Fields {
    this.#assertWorks('messages');
    if (space === this.direct('66')) throw failure(403, 'The app is blocked');
    if (!/^spaces\/(?:DM\d{1,2}|STAFF)$/.test(space)) throw failure(404, 'No such space');
    const id = this.nextId();
    const name = `${space}/messages/${id}`;
    const { name: given } = (body['thread'] ?? {}) as { readonly name?: string };
    const thread = given ?? `${space}/threads/${id}`;
    const { name: viewer } = (body['privateMessageViewer'] ?? {}) as { readonly name?: string };
    const only = viewer === undefined ? {} : { only: viewer.replace('users/', '') };
    this.#messages.set(name, { space, thread, name, body, ...drawn(body), ...only });
    return { name, thread: { name: thread }, space: spaceOf(space) };
  }

  /** Only what the mask names is replaced: the text stays beside a new card. */
  #changed(name: string, given: Fields, mask: string): Fields {
    const before = this.#messages.get(name);
    if (before === undefined) throw failure(404, 'No such message');
    const body = { ...before.body, ...Object.fromEntries(mask.split(',').map((field) => [field, given[field]])) };
    this.#messages.set(name, { ...before, body, ...drawn(body) });
    return { name };
  }
}

function drawn(body: Fields): Pick<GoogleChatMessage, 'text' | 'buttons'> {
  const { text = '', cardsV2 = [] } = body as {
    readonly text?: string;
    readonly cardsV2?: readonly {
      readonly card: { readonly sections: readonly { readonly widgets: readonly Fields[] }[] };
    }[];
  };
  const widgets = cardsV2.flatMap(({ card }) => card.sections.flatMap((section) => section.widgets));
  const paragraphs = widgets.flatMap(({ textParagraph }) =>
    textParagraph === undefined ? [] : [cardText((textParagraph as { readonly text: string }).text)],
  );
  const buttons = widgets.flatMap(
    ({ buttonList }) => (buttonList as { readonly buttons: GoogleChatButton[] } | undefined)?.buttons ?? [],
  );
  const shown = [messageText(text), ...paragraphs].filter((each) => each !== '').join('\n');
  if (shown.trim() === '') throw failure(400, 'Message cannot be empty');
  if (shown.length > 4_096) throw failure(400, 'Message is too long');
  return { text: shown, buttons };
}

/** The text of a message, if nobody is mentioned and nothing is linked in it. */
function messageText(text: string): string {
  const mark = /<(?:users\/|https?:|mailto:)/.exec(text);
  if (mark !== null) throw failure(400, `${mark[0]} would be a mention or a link`);
  return text;
}

/** The text of a card, if nothing in it is HTML. */
function cardText(text: string): string {
  const mark = /<[\w/!]|&#?\w+;/.exec(text);
  if (mark !== null) throw failure(400, `${mark[0]} would be markup`);
  return text;
}

function spaceOf(name: string): Fields {
  const isDirect = name.startsWith('spaces/DM');
  return isDirect
    ? { name, type: 'DM', spaceType: 'DIRECT_MESSAGE', singleUserBotDm: true }
    : { name, type: 'ROOM', spaceType: 'SPACE', displayName: 'Staff' };
}

function person(id: string): Fields {
  return { name: `users/${id}`, displayName: `Person ${id}`, email: `person${id}@example.com`, type: 'HUMAN' };
}

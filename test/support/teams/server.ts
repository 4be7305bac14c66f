/**
 * A local server in the shape of Teams: the connector of the Bot Framework on the loopback address, and activities to the app. It is made
 * after Microsoft's documentation, and knows nothing of askback. In place of Microsoft's signature its requests carry a secret.
 */
import { Buffer } from 'node:buffer';
import {
  failure,
  type PlatformCall,
  type PlatformRefusal,
  PlatformServer,
  shownButton,
  type PlatformFields as TeamsFields,
} from '../chat/platform-server.js';

export type { PlatformFields as TeamsFields } from '../chat/platform-server.js';

interface TeamsButton {
  readonly title: string;
  readonly data?: TeamsFields;
  readonly url?: string;
}

/** A message of the bot, as people see it. */
interface TeamsMessage {
  readonly conversation: string;
  readonly id: string;
  /** After its markup was read. */
  readonly text: string;
  readonly buttons: readonly TeamsButton[];
  /** The only person who sees it. */
  readonly only?: string;
}

/** Who does something, where. */
export interface TeamsActing {
  readonly from?: string;
  /** A conversation of several people; without one the chat of the person with the bot. */
  readonly conversation?: string;
  /** The id of the activity; the same again is a second delivery. */
  readonly id?: string;
  /** More fields of the activity. */
  readonly more?: TeamsFields;
}

/** A dialog that the app has answered with. */
export interface TeamsDialog {
  readonly status: number;
  readonly title?: string;
  /** The texts in it. */
  readonly texts: readonly string[];
  readonly inputs: readonly TeamsFields[];
  /** What its button sends besides the inputs. */
  readonly data?: TeamsFields;
}

export class TeamsServer extends PlatformServer {
  /** In the shape of a token of Microsoft, signed by nobody. */
  readonly token = [{ alg: 'none' }, { appid: 'local', exp: 4_102_444_800 }, 'local-bot-token']
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');
  readonly secret = 'local-request-secret-0123456789';
  readonly appId = '00000000-0000-4000-8000-00000000b077';
  readonly tenant = '00000000-0000-4000-8000-000000000001';
  /** A thread of a channel. */
  readonly staff = '19:staff@thread.tacv2;messageid=1000';
  protected readonly authorization = `Bearer ${this.token}`;
  readonly #messages = new Map<string, TeamsMessage>();

  static opened(): Promise<TeamsServer> {
    return new TeamsServer().listening();
  }

  /** The chat of a person with the bot. */
  direct(person: string): string {
    return `a:${person}`;
  }

  /** What a person, or everybody, sees of the bot in a conversation, in order. */
  said(conversation: string, person?: string): readonly TeamsMessage[] {
    return [...this.#messages.values()].filter(
      (message) => message.conversation === conversation && (message.only === undefined || message.only === person),
    );
  }

  /** Somebody writes. */
  writes(text: string, acting: TeamsActing = {}): Promise<Response> {
    return this.delivers({ ...this.activity('message', acting), text, textFormat: 'plain', ...acting.more });
  }

  /** Somebody quotes a message: as the types of Microsoft's SDK have it, with a mark in the text. */
  quotes(messageId: string, text: string, acting: TeamsActing = {}): Promise<Response> {
    const entities = [{ type: 'quotedReply', quotedReply: { messageId, validatedMessageReference: true } }];
    return this.writes(`<quoted messageId="${messageId}"/> ${text}`, { ...acting, more: { entities, ...acting.more } });
  }

  /** Somebody presses the button with this title, on the latest message of the conversation that has one. */
  presses(title: string, acting: TeamsActing = {}): Promise<Response> {
    const { message, button } = this.#button(title, acting);
    return this.delivers({
      ...this.activity('message', acting),
      replyToId: message.id,
      value: button.data,
      ...acting.more,
    });
  }

  /** Somebody presses a button that asks for a dialog. */
  async opens(title: string, acting: TeamsActing = {}): Promise<TeamsDialog> {
    const { message, button } = this.#button(title, acting);
    const { msteams } = button.data ?? {};
    if ((msteams as TeamsFields | undefined)?.['type'] !== 'task/fetch') throw new Error(`${title} opens no dialog`);
    const value = { data: button.data, context: { theme: 'default' } };
    const invoke = { ...this.activity('invoke', acting), name: 'task/fetch', replyToId: message.id, value };
    return dialogIn(await this.delivers(invoke));
  }

  /** Somebody sends a dialog off, filled in by the labels of its inputs. */
  async submits(dialog: TeamsDialog, values: TeamsFields, acting: TeamsActing = {}): Promise<TeamsDialog> {
    const filled = dialog.inputs.map(({ id, label, value }) => [id, values[String(label)] ?? value ?? '']);
    const data = { ...dialog.data, ...Object.fromEntries(filled) };
    const invoke = { ...this.activity('invoke', acting), name: 'task/submit', value: { data } };
    return dialogIn(await this.delivers({ ...invoke, ...acting.more }));
  }

  /** The fields that every activity has. */
  activity(type: string, { from = '1', conversation, id = this.nextId() }: TeamsActing): TeamsFields {
    const isPersonal = conversation === undefined;
    return {
      type,
      id,
      timestamp: new Date(this.now()).toISOString(),
      channelId: 'msteams',
      serviceUrl: `${this.url}/`,
      locale: 'en-US',
      from: { id: `29:${from}`, name: `Person ${from}`, aadObjectId: aadId(from) },
      recipient: { id: `28:${this.appId}`, name: 'shopbot' },
      conversation: {
        id: conversation ?? this.direct(from),
        tenantId: this.tenant,
        conversationType: isPersonal ? 'personal' : 'channel',
        ...(isPersonal ? {} : { isGroup: true }),
      },
      channelData: { tenant: { id: this.tenant }, ...(isPersonal ? {} : { team: { id: '19:team@thread.tacv2' } }) },
    };
  }

  delivers(activity: TeamsFields): Promise<Response> {
    return this.posts(JSON.stringify(activity), this.secret);
  }

  posts(body: string, secret: string): Promise<Response> {
    return this.request(body, { 'x-secret': secret });
  }

  #button(title: string, { from = '1', conversation }: TeamsActing) {
    return shownButton(this.said(conversation ?? this.direct(from), from), title, (each) => each.title);
  }

  protected refused({ message }: PlatformRefusal): TeamsFields {
    return { error: { code: 'Refused', message } };
  }

  protected result({ method, path, body }: PlatformCall): TeamsFields {
    const { pathname, searchParams } = new URL(path, this.url);
    const [, version, room, conversation, part, id] = pathname.split('/').map(decodeURIComponent);
    if (version !== 'v3' || room !== 'conversations') throw failure(404, 'Not Found');
    if (conversation === undefined) return this.#created(body);
    if (part === 'members' && method === 'GET') return member(String(id).replace('29:', ''));
    if (part !== 'activities') throw failure(404, 'Not Found');
    const only = searchParams.get('isTargetedActivity') === 'true' ? recipientOf(body) : undefined;
    if (method === 'PUT') return this.#sent(conversation, String(id), body, only);
    const thread = id === undefined || conversation.includes(';') ? conversation : `${conversation};messageid=${id}`;
    return this.#sent(thread, this.nextId(), body, only);
  }

  #created({ members, tenantId }: TeamsFields): TeamsFields {
    const [{ id } = { id: '' }] = members as readonly { readonly id: string }[];
    if (tenantId !== this.tenant) throw failure(403, 'The bot is not part of the tenant');
    return { id: this.direct(member(id.replace('29:', ''))['key'] as string) };
  }

  #sent(conversation: string, id: string, body: TeamsFields, only: string | undefined): TeamsFields {
    if (this.fault !== undefined) throw failure(this.fault, 'Not now');
    if (conversation === this.direct('66')) throw failure(403, 'The bot is blocked by the user');
    if (!conversation.startsWith('a:') && !conversation.startsWith('19:staff')) throw failure(404, 'No conversation');
    const attachments = (body['attachments'] ?? []) as readonly { readonly content: TeamsFields }[];
    const card = attachments[0]?.content ?? {};
    const blocks = (card['body'] ?? []) as readonly { readonly text: string }[];
    const given = [body['text'], ...blocks.map(({ text }) => text)]
      .filter((each) => typeof each === 'string')
      .join('\n');
    if (given === '') throw failure(400, 'BadSyntax');
    const buttons = (card['actions'] ?? []) as readonly TeamsButton[];
    if (buttons.length > 6) throw failure(400, 'Six actions are shown');
    this.#messages.set(id, { conversation, id, text: shown(given), buttons, ...(only === undefined ? {} : { only }) });
    return { id };
  }
}

function aadId(person: string): string {
  return `00000000-0000-4000-8000-${person.padStart(12, '0')}`;
}

/** People have numbers below 100. */
function member(person: string): TeamsFields {
  if (!/^\d{1,2}$/.test(person)) throw failure(404, 'No such member');
  const userPrincipalName = `person${person}@example.com`;
  return { id: `29:${person}`, key: person, name: `Person ${person}`, aadObjectId: aadId(person), userPrincipalName };
}

function recipientOf({ recipient }: TeamsFields): string {
  return String((recipient as TeamsFields | undefined)?.['id']).replace('29:', '');
}

async function dialogIn(response: Response): Promise<TeamsDialog> {
  const { status } = response;
  const body = (await response.text()) || '{}';
  const { task } = (status === 200 ? JSON.parse(body) : {}) as { readonly task?: { readonly value?: TeamsFields } };
  const { title, card } = task?.value ?? {};
  const content = (card as { readonly content?: TeamsFields } | undefined)?.content ?? {};
  const parts = (content['body'] ?? []) as readonly TeamsFields[];
  const [action] = (content['actions'] ?? []) as readonly TeamsButton[];
  return {
    status,
    ...(typeof title === 'string' ? { title } : {}),
    texts: parts.flatMap(({ type, text }) => (type === 'TextBlock' ? [shown(String(text))] : [])),
    inputs: parts.filter(({ type }) => String(type).startsWith('Input.')),
    ...(action?.data === undefined ? {} : { data: action.data }),
  };
}

/** Text as Teams shows it, if every mark in it is escaped. A single line break shows as a blank there. */
function shown(text: string): string {
  const mark = /[*_~`|]|^[>#+-]|\]\(|<[\w/]|&\w+;|\{\{/m.exec(text.replace(/\\[!-~]/g, ''));
  if (mark !== null) throw failure(400, `${mark[0]} would be markup`);
  return text
    .replace(/\\([!-/:-@[-`{-~])/g, '$1')
    .replace(/\n{2}|\n/g, (end) => (end === '\n' ? ' ' : '\n'))
    .replaceAll('\u00a0', ' ');
}

/**
 * What Slack sends, read into what the channel works with: a message that a person wrote, controls that a person used, a modal that a
 * person sent off. Everything else is told apart here, and nothing is asked or decided.
 */
import { definedFields } from '../../../core/defined-fields.js';
import { AgentError } from '../../../core/errors.js';
import { parsedJson, refusal } from '../../http.js';
import { recordOf, recordsOf, textOf } from '../../kit/untyped.js';
import type { RichMarks } from './typed-text.js';

type Fields = Readonly<Record<string, unknown>>;

/** A person as the payload names them. */
export interface SlackAuthor {
  readonly user: string;
  /** The workspace or organisation that they belong to, where the payload says so: another one in a channel that is shared. */
  readonly home?: string;
}

/** A message that a person wrote. */
export interface SlackWritten {
  readonly type: 'message';
  /** The workspace that has installed the app. */
  readonly team: string;
  readonly appId: string;
  readonly author: SlackAuthor;
  readonly channel: string;
  readonly isDirect: boolean;
  readonly ts: string;
  /** When it was written, by Slack's clock, in ms since 1970. */
  readonly sentAt?: number;
  /** The first message of the thread that it was written in. */
  readonly thread?: string;
  /** Who wrote that first message, where the payload says so. */
  readonly threadAuthor?: string;
  /** As Slack sends it, escaped. */
  readonly text: string;
  /** The emoji in it, by the names that the text has for them. */
  readonly emoji: ReadonlyMap<string, string>;
  readonly rich: RichMarks;
  readonly files: readonly string[];
  /** The bot user of the app, where the payload says so. */
  readonly self?: string;
}

/** A control that was used, or a view that was sent off, as Slack names it. */
export interface SlackUsed {
  /** The workspace that has installed the app. */
  readonly team: string;
  readonly appId: string;
  readonly author: SlackAuthor;
}

/** Controls of a message that a person used. */
export interface SlackClicked extends SlackUsed {
  readonly type: 'actions';
  readonly actions: readonly Fields[];
  readonly channel: string;
  readonly ts: string;
  readonly thread?: string;
  /** The message that the controls are on; an ephemeral one does not come with it. */
  readonly message?: Fields;
  /** What is chosen in the message's controls. */
  readonly state: Fields;
  /** Opens a modal within three seconds. */
  readonly trigger: string;
}

/** A modal that a person sent off. */
export interface SlackSubmitted extends SlackUsed {
  readonly type: 'submission';
  readonly view: Fields;
  readonly viewId: string;
  /** Each time that the person sends it off has its own; a repeat by Slack has the same. */
  readonly trigger?: string;
}

export type SlackPayload =
  | SlackWritten
  | SlackClicked
  | SlackSubmitted
  | { readonly type: 'challenge'; readonly challenge: string }
  /** Nothing that a person says to the app. */
  | { readonly type: 'ignored' };

const json = 'application/json';
const form = 'application/x-www-form-urlencoded';

function typeIn(contentType: string | null): string | undefined {
  return contentType?.split(';')[0]?.trim().toLowerCase();
}

export function assertSlackType(contentType: string | null): void {
  const type = typeIn(contentType);
  if (type !== json && type !== form)
    throw refusal(415, `The content-type must be ${json} or ${form}, as Slack sends it.`);
}

/** The JSON of a body: events come as it is, interactions in the field `payload` of a form. */
export function slackJson(contentType: string | null, body: Uint8Array): unknown {
  if (typeIn(contentType) === json) return parsedJson(body);
  const payloads = new URLSearchParams(new TextDecoder().decode(body)).getAll('payload');
  if (payloads.length !== 1) throw malformed('the form must have one field "payload".');
  return parsedJson(new TextEncoder().encode(payloads[0]));
}

/** Throws for what no Slack sends. What Slack sends and the channel has no use for is `ignored`. */
export function readPayload(given: unknown): SlackPayload {
  const payload = fieldsIn(given, 'it');
  switch (payload['type']) {
    case 'url_verification':
      return { type: 'challenge', challenge: stringIn(payload, 'challenge') };
    case 'event_callback':
      return readEvent(payload, fieldsIn(payload['event'], 'event'));
    case 'block_actions':
      return readActions(payload);
    case 'view_submission':
      return readSubmission(payload);
    default:
      if (typeof payload['type'] !== 'string') throw malformed('it has no type.');
      return ignored;
  }
}

const ignored = { type: 'ignored' } as const;

/** Messages of people. All other subtypes are notices, changes of a message, and what programs write. */
const writtenSubtypes: ReadonlySet<unknown> = new Set([undefined, 'file_share', 'thread_broadcast', 'me_message']);

function readEvent(payload: Fields, event: Fields): SlackPayload {
  const { type, subtype } = event;
  if (typeof type !== 'string') throw malformed('event has no type.');
  if ((type !== 'message' && type !== 'app_mention') || !writtenSubtypes.has(subtype)) return ignored;
  const isByProgram = isSet(event['bot_id']) || isSet(event['bot_profile']);
  if (isByProgram || isSet(event['edited']) || event['hidden'] === true) return ignored;
  if (event['user'] === undefined && !isSet(event['text'])) return ignored;
  const user = stringIn(event, 'user');
  const self = selfIn(payload);
  if (user === self || user === 'USLACKBOT') return ignored;
  const channel = stringIn(event, 'channel');
  const ts = stringIn(event, 'ts');
  const thread = optionalString(event, 'thread_ts');
  return {
    type: 'message',
    team: teamOf(payload),
    appId: optionalString(payload, 'api_app_id') ?? '',
    author: { user, ...definedFields({ home: optionalString(event, 'user_team') ?? optionalString(event, 'team') }) },
    channel,
    isDirect: event['channel_type'] === 'im' || channel.startsWith('D'),
    ts,
    ...definedFields({ sentAt: timeOf(ts) }),
    ...(thread === undefined || thread === ts
      ? {}
      : { thread, ...definedFields({ threadAuthor: optionalString(event, 'parent_user_id') }) }),
    text: optionalString(event, 'text') ?? '',
    emoji: emojiIn(event['blocks']),
    rich: richIn(event['blocks']),
    files: fileNames(event['files']),
    ...definedFields({ self }),
  };
}

/** The id of a message in its channel is the time at which it was written, in seconds. */
function timeOf(ts: string): number | undefined {
  return /^\d{1,12}\.\d{1,6}$/.test(ts) ? Math.floor(Number(ts) * 1_000) : undefined;
}

/** The workspace that has installed the app: in a shared channel the event itself may name the author's. */
function teamOf(payload: Fields): string {
  const installed = optionalString(firstAuthorization(payload), 'team_id');
  return installed ?? optionalString(payload, 'context_team_id') ?? stringIn(payload, 'team_id');
}

function selfIn(payload: Fields): string | undefined {
  const authorization = firstAuthorization(payload);
  return authorization['is_bot'] === true ? optionalString(authorization, 'user_id') : undefined;
}

function firstAuthorization(payload: Fields): Fields {
  return recordsOf(payload['authorizations'])[0] ?? {};
}

/** The emoji of a rich text, at whatever depth Slack puts them. */
export function emojiIn(blocks: unknown, found = new Map<string, string>(), depth = 0): ReadonlyMap<string, string> {
  if (depth > 5) return found;
  for (const { type, name, unicode, skin_tone: tone, elements } of recordsOf(blocks)) {
    if (type !== 'emoji') emojiIn(elements, found, depth + 1);
    else if (
      typeof name === 'string' &&
      typeof unicode === 'string' &&
      /^[\da-f]{1,6}(-[\da-f]{1,6})*$/i.test(unicode)
    ) {
      const points = unicode.split('-').map((each) => Number.parseInt(each, 16));
      if (points.every((point) => point <= 0x10ffff))
        found.set(typeof tone === 'number' ? `${name}::skin-tone-${tone}` : name, String.fromCodePoint(...points));
    }
  }
  return found;
}

/** Whether something in a rich text is struck out, or quoted. */
export function richIn(blocks: unknown, depth = 0): RichMarks {
  if (depth > 5) return { isMarked: false };
  const isMarked = recordsOf(blocks).some(({ type, style, elements }) => {
    const isStruck = recordOf(style)['strike'] === true;
    return type === 'rich_text_quote' || isStruck || richIn(elements, depth + 1).isMarked;
  });
  return { isMarked };
}

/** Slack may leave a file's name out: it is then a file all the same. */
function fileNames(files: unknown): readonly string[] {
  return recordsOf(files)
    .slice(0, 10)
    .map(({ name, title }) => textOf(name) ?? textOf(title) ?? 'file');
}

function readActions(payload: Fields): SlackPayload {
  const { actions } = payload;
  if (!Array.isArray(actions) || !actions.every(isFields)) throw malformed('actions must be a list of objects.');
  const container = recordOf(payload['container']);
  if (container['type'] !== 'message') return ignored; // in a modal nothing counts before it is sent off
  const message = isFields(payload['message']) ? payload['message'] : undefined;
  const thread = optionalString(container, 'thread_ts') ?? (message && optionalString(message, 'thread_ts'));
  const state = recordOf(recordOf(payload['state'])['values']);
  const channel = optionalString(container, 'channel_id') ?? stringIn(fieldsIn(payload['channel'], 'channel'), 'id');
  return {
    type: 'actions',
    ...usedBy(payload, message && optionalString(message, 'team')),
    actions,
    channel,
    ts: stringIn(container, 'message_ts'),
    ...definedFields({ thread, message }),
    state,
    trigger: optionalString(payload, 'trigger_id') ?? '',
  };
}

function readSubmission(payload: Fields): SlackPayload {
  const view = fieldsIn(payload['view'], 'view');
  const team = optionalString(view, 'app_installed_team_id') ?? optionalString(view, 'team_id');
  const trigger = optionalString(payload, 'trigger_id');
  return {
    type: 'submission',
    ...usedBy(payload, team),
    view,
    viewId: stringIn(view, 'id'),
    ...definedFields({ trigger }),
  };
}

/** Who used a control. `own` is the workspace whose message or view it is: the payload itself may name the person's. */
function usedBy(payload: Fields, own: string | undefined): SlackUsed {
  const user = fieldsIn(payload['user'], 'user');
  const used = optionalString(recordOf(payload['team']), 'id');
  const organisation = optionalString(recordOf(payload['enterprise']), 'id');
  const team = own ?? used ?? organisation;
  if (team === undefined) throw malformed('it names no team.');
  return {
    team,
    appId: optionalString(payload, 'api_app_id') ?? '',
    author: { user: stringIn(user, 'id'), ...definedFields({ home: optionalString(user, 'team_id') ?? used }) },
  };
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function fieldsIn(value: unknown, name: string): Fields {
  if (isFields(value)) return value;
  throw malformed(`${name} must be an object.`);
}

/** Ids of Slack are short. A longer one is none, and would not fit into the ids that are made of it. */
const longestString = 255;

function stringIn(fields: Fields, name: string): string {
  const value = fields[name];
  if (typeof value === 'string' && value !== '' && (name === 'challenge' || value.length <= longestString))
    return value;
  throw malformed(`${name} must be a string of 1 to ${longestString} characters.`);
}

/** Null and an empty string say that there is none. */
function optionalString(fields: Fields, name: string): string | undefined {
  const value = fields[name];
  if (value === undefined || value === null || value === '') return undefined;
  if (typeof value === 'string') return value;
  throw malformed(`${name} must be a string.`);
}

function isSet(value: unknown): boolean {
  return value !== undefined && value !== null && value !== '';
}

function malformed(what: string): AgentError {
  return new AgentError('bad-message', `This is no payload of Slack: ${what}`);
}

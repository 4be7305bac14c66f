/**
 * Where people are on Slack: addresses, and the conversation that belongs to each. An address and its conversation say the same, so that
 * one is made of the other without asking anybody.
 */
import { hasFields } from '../../core/check-options.js';
import { definedFields } from '../../core/defined-fields.js';
import { AgentError } from '../../core/errors.js';
import { describe } from '../../core/ids.js';
import type { Json } from '../../core/json.js';
import { recordOf } from '../kit/untyped.js';
import type { IncomingMessage } from '../port.js';

/** Where a message goes, or came from: a channel, the direct messages of a person, or a thread in one of them. */
export interface SlackAddress {
  readonly team: string;
  readonly channel?: string;
  readonly user?: string;
  readonly email?: string;
  /** The `ts` of the first message of a thread. */
  readonly thread?: string;
}

const channelId = /^[CGD][A-Z0-9]+$/;
const userId = /^[UW][A-Z0-9]+$/;
const teamId = /^[TE][A-Z0-9]+$/;
const email = /^[^\s@/<>]+@[^\s@/<>]+$/;
const timestamp = /^\d+\.\d+$/;

/** The id of a person as a participant. */
export function participantId(home: string, user: string): string {
  return `slack:${home}/${user}`;
}

/** The user id of a participant; undefined for a participant of another channel. */
export function userOf(participant: string): string | undefined {
  return personIn(participant)?.user;
}

/** The user id of a participant, and their home workspace or organisation; undefined for a participant of another channel. */
export function personIn(participant: string): { readonly home: string; readonly user: string } | undefined {
  const [, home, user] = /^slack:([TE][A-Z0-9]+)\/([UW][A-Z0-9]+)$/.exec(participant) ?? [];
  return home === undefined || user === undefined ? undefined : { home, user };
}

/** Whether an id is one of Slack, of whichever workspace, and whether or not there is such a person. */
export function isSlackId(participant: string): boolean {
  return participant.startsWith('slack:');
}

/**
 * Whether a message is meant for the app: it mentions the app, or was written in the direct messages with it. For rooms in which people
 * talk to each other.
 *
 * @example
 * import { isAddressedOnSlack } from 'askback/channels/slack';
 * import { onlyWhenAddressed } from 'askback/interceptors';
 *
 * const shy = onlyWhenAddressed({ names: ['askback'], unless: isAddressedOnSlack });
 */
export function isAddressedOnSlack({ address, data }: Pick<IncomingMessage, 'address' | 'data'>): boolean {
  const { user } = recordOf(address);
  return typeof user === 'string' || recordOf(data)['mentioned'] === true;
}

/** The conversation of an address: `slack:T1/C1/1700000000.000100`. `name` is that of the channel. */
export function conversationOf(name: string, { team, channel, user, email: mail, thread }: SlackAddress): string {
  const place = channel ?? user ?? encodeURIComponent(mail ?? '');
  return `${name}:${team}/${place}${thread === undefined ? '' : `/${thread}`}`;
}

/**
 * An address as a string, where replies from there come with another one: an e-mail address, or the channel of direct messages. Undefined
 * for any other.
 */
export function sentToOf(name: string, address: SlackAddress): string | undefined {
  const isNamedOtherwise = address.email !== undefined || address.channel?.startsWith('D') === true;
  return isNamedOtherwise ? conversationOf(name, address) : undefined;
}

/** The address of a conversation; undefined for one that is not of this channel. */
export function addressOf(name: string, conversationId: string): SlackAddress | undefined {
  if (!conversationId.startsWith(`${name}:`)) return undefined;
  const [team = '', place = '', thread, ...more] = conversationId.slice(name.length + 1).split('/');
  const isThread = thread === undefined || timestamp.test(thread);
  if (!teamId.test(team) || !isThread || more.length > 0) return undefined;
  const where = placeIn(place);
  return where === undefined ? undefined : { team, ...where, ...definedFields({ thread }) };
}

function placeIn(place: string): Pick<SlackAddress, 'channel' | 'user' | 'email'> | undefined {
  if (channelId.test(place)) return { channel: place };
  if (userId.test(place)) return { user: place };
  const mail = /^[\w.!~*'()%+-]+$/.test(place) ? decoded(place) : '';
  return email.test(mail) ? { email: mail } : undefined;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
}

/** Which workspaces a channel writes to. */
export interface SlackReach {
  /** The workspace where an address names none. */
  readonly team: string | undefined;
  /** Whether there is one token, which writes to its own workspace whatever an address names. */
  readonly isOfOneTeam: boolean;
  /** The workspaces whose people it writes to from its own, in what is shared with them. */
  readonly otherTeams: boolean | readonly string[];
}

/** The address that `to` of an ask names. Throws for one of a workspace that the channel does not write to. */
export function addressTo(name: string, to: Json, reach: SlackReach): SlackAddress {
  const { team } = reach;
  const given =
    typeof to === 'string' ? { place: to } : hasFields(to) ? (to as { readonly [field: string]: Json }) : {};
  const { place, channel = place, user, email: mail, thread, team: own, ...more } = given;
  const [, home, person] = /^slack:([A-Z0-9]+)\/([A-Z0-9]+)$/.exec(String(channel)) ?? [];
  const named = person ?? [channel, user, mail].filter((each) => each !== undefined);
  const where = Array.isArray(named) ? (named.length === 1 ? placeOf(named[0]) : undefined) : placeOf(named);
  const isThread = thread === undefined || (typeof thread === 'string' && timestamp.test(thread));
  if (where === undefined || !isThread || Object.keys(more).length > 0) throw wrongTo(name, to);
  // the id of a person on an Enterprise Grid names the organisation, and no workspace
  const workspace = own ?? (home === undefined || home.startsWith('E') ? team : workspaceFor(home, reach)) ?? team;
  if (typeof workspace !== 'string' || !teamId.test(workspace))
    throw new AgentError(
      'bad-option',
      `SlackChannel ${JSON.stringify(name)}: to must name the workspace, such as { team: 'T012AB3CD', channel: 'C012AB3CD' }, because the channel has no option team.`,
    );
  if (isElsewhere(workspace, reach))
    throw new AgentError(
      'bad-option',
      `SlackChannel ${JSON.stringify(name)}: to names the workspace ${workspace}, but the channel is of ${team}: it would reach whoever has this id in ${team}. Use an id of ${team}, or a channel for ${workspace}. For several workspaces give token as a function.`,
    );
  return { team: workspace, ...where, ...definedFields({ thread }) };
}

/** The workspace in which a person with this home gets messages: that of the channel for people of another allowed workspace. */
function workspaceFor(home: string, reach: SlackReach): string | undefined {
  const { team, otherTeams } = reach;
  const isAllowed = typeof otherTeams === 'boolean' ? otherTeams : otherTeams.includes(home);
  return isAllowed && isElsewhere(home, reach) ? team : home;
}

/** Whether a workspace is another one than that of the only token. An organisation as `team` has several. */
function isElsewhere(workspace: string, { team, isOfOneTeam }: SlackReach): boolean {
  return isOfOneTeam && team?.startsWith('T') === true && workspace !== team;
}

function placeOf(place: Json | undefined): Pick<SlackAddress, 'channel' | 'user' | 'email'> | undefined {
  if (typeof place !== 'string') return undefined;
  if (channelId.test(place)) return { channel: place };
  if (userId.test(place)) return { user: place };
  return email.test(place) ? { email: place.toLowerCase() } : undefined;
}

function wrongTo(name: string, to: Json): AgentError {
  const isName = typeof to === 'string' && to.startsWith('#');
  const advice = isName
    ? ' A name can change: use the id, which Slack shows at the end of "View channel details".'
    : '';
  return new AgentError(
    'bad-option',
    `SlackChannel ${JSON.stringify(name)}: to must be the id of a channel ('C012AB3CD') or of a person ('U012AB3CD'), a participant ('slack:T012AB3CD/U012AB3CD'), an e-mail address, or { team, channel, thread }, got ${to === null ? 'no to' : describe(to)}.${advice}`,
  );
}

/** An address as it was stored; it is one of ours. */
export function storedAddress(address: Json): SlackAddress | undefined {
  if (!hasFields(address)) return undefined;
  const { team, channel, user, email: mail } = address as Partial<SlackAddress>;
  return typeof team === 'string' && typeof (channel ?? user ?? mail) === 'string'
    ? (address as unknown as SlackAddress) // made by addressTo() or by a message
    : undefined;
}

/**
 * The participants of Slack: home workspace and user id. Separates guests, people of other workspaces, programs and ids that Slack does not
 * know. Profiles are cached for minutes, and never stored.
 */
import { definedFields } from '../../core/defined-fields.js';
import type { Participant } from '../../core/participant.js';
import type { Clock } from '../../machine/clock.js';
import { textOf } from '../kit/untyped.js';
import { personName } from '../kit/written.js';
import type { SlackApi, SlackIdentity, SlackReadMessage, SlackUser } from './api.js';
import type { SlackAuthor } from './incoming/payload.js';
import { participantId, personIn } from './places.js';
import { RecentAnswers } from './recent-answers.js';

/** The person who wrote or pressed, or why they were refused. */
export type SlackSender =
  | { readonly type: 'person'; readonly participant: Participant }
  | { readonly type: 'refused'; readonly why: string; readonly locale?: string };

interface PeopleOptions {
  readonly api: Pick<SlackApi, 'user' | 'identity' | 'hasTokenFor' | 'isOfOneTeam'>;
  readonly clock: Clock;
  readonly allowGuests: boolean;
  readonly otherTeams: boolean | readonly string[];
  /** The workspace of the app, or that of addresses which name none. */
  readonly team?: string | undefined;
}

/** A person whom the app can write to, and who may answer. */
export interface SlackRecipient {
  /** The workspace in which the app writes to them. */
  readonly team: string;
  readonly user: string;
  /** Their tenant. */
  readonly home: string;
  readonly name?: string;
}

/** How long a profile is cached, in ms: a person who becomes a guest or leaves may answer for so long. */
const profileLife = 5 * 60_000;
/** How long it counts which app the token belongs to. */
const identityLife = 60 * 60_000;
const longestName = 80;

export class SlackPeople {
  readonly #options: PeopleOptions;
  readonly #profiles: RecentAnswers<SlackUser | undefined>;
  readonly #identities: RecentAnswers<SlackIdentity>;

  constructor(options: PeopleOptions) {
    this.#options = options;
    this.#profiles = new RecentAnswers(options.clock, profileLife);
    this.#identities = new RecentAnswers(options.clock, identityLife);
  }

  /** The app itself in a workspace. Rejects if Slack cannot be asked. */
  self(team: string): Promise<SlackIdentity> {
    const { api } = this.#options;
    return this.#identities.get(api.isOfOneTeam ? '' : team, () => api.identity(team));
  }

  /** Who wrote. Rejects if Slack cannot be asked. */
  async sender(team: string, { user, home }: SlackAuthor): Promise<SlackSender> {
    const [profile, self] = await Promise.all([this.#profile(team, user), this.self(team)]);
    const locale = textOf(profile?.locale);
    const refused = (why: string): SlackSender => ({ type: 'refused', why, ...definedFields({ locale }) });
    if (profile === undefined) return refused('unknown');
    if (profile.is_bot === true) return refused('program');
    if (profile.deleted === true) return refused('deactivated');
    const organisation = textOf(profile.enterprise_user?.enterprise_id);
    const own = organisation ?? textOf(home) ?? textOf(profile.team_id);
    if (own === undefined) return refused('unknown');
    if (!isOfTeam(profile, home, self) && !this.#isAllowed(own)) return refused('other workspace');
    const isGuest = profile.is_restricted === true || profile.is_ultra_restricted === true;
    if (isGuest && !this.#options.allowGuests) return refused('guest');
    const known = { name: nameIn(profile), locale, timeZone: textOf(profile.tz) };
    return { type: 'person', participant: { id: participantId(own, user), tenant: own, ...definedFields(known) } };
  }

  /**
   * The person with the id of a participant; undefined if there is none, if they would be refused as a sender, or if they are of a workspace
   * that this channel does not serve. Rejects if Slack cannot be asked.
   */
  async recipient(id: string): Promise<SlackRecipient | undefined> {
    const person = personIn(id);
    if (person === undefined || person.user === 'USLACKBOT') return undefined; // Slack calls Slackbot no bot
    const team = await this.#teamFor(person.home);
    if (team === undefined) return undefined;
    // an id whose home differs from the one that Slack reports would not match the answer
    const sender = await this.sender(team, { user: person.user });
    if (sender.type !== 'person' || sender.participant.id !== id) return undefined;
    return { team, ...person, ...definedFields({ name: sender.participant.name }) };
  }

  /** The workspace in which a person with this home is looked up; undefined if this channel does not serve it. */
  async #teamFor(home: string): Promise<string | undefined> {
    const { api, team } = this.#options;
    const isOrganisation = home.startsWith('E'); // which names no workspace
    if (!api.isOfOneTeam && !isOrganisation && (await api.hasTokenFor(home))) return home;
    const own = api.isOfOneTeam ? (team ?? (await this.self('')).teamId) : team;
    return isOrganisation || home === own || this.#isAllowed(home) ? own : undefined;
  }

  /** Names of people by id, without those that Slack does not know. */
  async names(team: string, users: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const names = new Map<string, string>();
    const look = async (user: string): Promise<void> => {
      const profile = await this.#profile(team, user).catch(() => undefined); // the message is understood by the id, too
      const name = profile && nameIn(profile);
      if (name !== undefined) names.set(user, name);
    };
    await Promise.all(users.slice(0, 10).map(look));
    return names;
  }

  #profile(team: string, user: string): Promise<SlackUser | undefined> {
    return this.#profiles.get(`${team}/${user}`, () => this.#options.api.user(team, user));
  }

  #isAllowed(home: string): boolean {
    const { otherTeams } = this.#options;
    return typeof otherTeams === 'boolean' ? otherTeams : otherTeams.includes(home);
  }
}

/** Whether a message is by the app itself. */
export function isBySelf({ user, bot_id: bot }: SlackReadMessage, { userId, botId }: SlackIdentity): boolean {
  return user === userId || (bot !== undefined && bot === botId);
}

/**
 * Whether a person is of the workspace, or of the organisation, that has installed the app. The profile and the payload must both say so:
 * in a channel that is shared with another company a payload may name either.
 */
function isOfTeam(profile: SlackUser, home: string | undefined, { teamId, enterpriseId }: SlackIdentity): boolean {
  if (profile.is_stranger === true) return false;
  const organisation = textOf(profile.enterprise_user?.enterprise_id);
  if (organisation !== undefined) return organisation === enterpriseId;
  return [home, profile.team_id].every((each) => each === undefined || each === teamId);
}

function nameIn({ profile, real_name: realName, name }: SlackUser): string | undefined {
  return personName([profile?.display_name, profile?.real_name, realName, name], longestName);
}

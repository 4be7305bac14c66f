/**
 * Compares the workspace of the token with the option `team`. With another one, questions would be put into conversations that no reply
 * comes from.
 */
import { AgentError, failureOf } from '../../core/errors.js';
import { within } from '../../machine/clock.js';
import type { SlackIdentity } from './api.js';
import type { SlackParts } from './parts.js';

/** How long a start waits for Slack, in ms. */
const askWithin = 3_000;

export class TokenTeam {
  readonly #parts: SlackParts;
  #isRight: boolean;

  constructor(parts: SlackParts) {
    this.#parts = parts;
    this.#isRight = parts.team === undefined || !parts.api.isOfOneTeam; // nothing to compare
  }

  /** Rejects if the token is of another workspace. If Slack cannot be asked now, that is logged, and checked before something is sent. */
  async checkAtStart(): Promise<void> {
    if (this.#isRight) return;
    const { name, clock, logger } = this.#parts;
    const late = (): never => {
      throw new Error(`Slack did not answer auth.test within ${askWithin} ms.`);
    };
    let problem: AgentError | undefined;
    try {
      problem = await within(clock, askWithin, this.#problem(), late);
    } catch (error) {
      const about = { channel: name, failure: failureOf(error) };
      logger.error('Slack did not say whose the token is. It is asked again before something is sent', about);
    }
    if (problem !== undefined) throw problem;
  }

  /** Rejects as undeliverable if the token is of another workspace, and with another error if Slack cannot be asked. */
  async checkBeforeSending(): Promise<void> {
    const problem = await this.#problem();
    if (problem === undefined) return;
    this.#parts.logger.error(`Nothing is sent to Slack. ${problem.message}`, { channel: this.#parts.name });
    throw new AgentError('undeliverable', problem.message, { cause: problem }); // no try can succeed
  }

  /** What is wrong if the token is of another workspace. Rejects if Slack cannot be asked. */
  async #problem(): Promise<AgentError | undefined> {
    const { name, team, people } = this.#parts;
    if (this.#isRight || team === undefined) return undefined;
    const self = await people.self(team);
    this.#isRight = isOf(team, self); // a token stays that of its workspace
    if (this.#isRight) return undefined;
    return new AgentError(
      'bad-option',
      `SlackChannel ${JSON.stringify(name)}: team is ${team}, but token is of the workspace ${self.teamId}, as Slack says (auth.test). Give the bot token of ${team}, or team: '${self.teamId}'.`,
    );
  }
}

function isOf(team: string, { teamId, enterpriseId, isOfOrganisation }: SlackIdentity): boolean {
  if (team === teamId || team === enterpriseId || teamId === '') return true;
  return isOfOrganisation === true && team.startsWith('T'); // the token of an organisation serves all of its workspaces
}

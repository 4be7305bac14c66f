/** A registry with the Slack channel on the local Slack, for tests: one agent, time by hand. */
import { onTestFinished } from 'vitest';
import { SlackChannel, type SlackOptions } from '../../../src/channels/slack/index.js';
import {
  AgentRegistry,
  agent,
  type BaseAgent,
  type Channel,
  choice,
  confirm,
  form,
  number,
  type RegistryOptions,
  text,
} from '../../../src/index.js';
import { FakeClock } from '../../../src/testing/index.js';
import { patience } from '../processes.js';
import { SlackServer } from './server.js';

/** What is logged, as strings. */
export function linesLogged() {
  const lines: string[] = [];
  const log = (message: string, more?: object): void => void lines.push(`${message} ${JSON.stringify(more ?? {})}`);
  return { lines, logger: { debug: log, info: log, warn: log, error: log } };
}

/** Refunds orders: each refund that is made is written down. */
export function refundAgent(
  refunds: string[] = [],
  approvers: readonly string[] = ['slack:T1/U2'],
  isSmall: () => true | string | Promise<true | string> = () => true,
) {
  const refunding = agent('refunds');
  const sure = refunding.question('sure', confirm('Refund order 12345?'), {
    answerableBy: approvers,
    onAnswer: (yes, { pending }) => {
      if (!yes) return 'Left as it is.';
      refunds.push(pending.decidedBy?.id ?? 'nobody');
      return 'Refunded.';
    },
  });
  const reason = refunding.question('reason', text('Why?'), { onAnswer: (why) => `Because: ${why}` });
  const many = refunding.question('many', number('How many?', { min: 1, max: 5 }), {
    check: isSmall,
    onAnswer: (n) => `${n} it is.`,
  });
  const size = refunding.question('size', choice('Which size?', ['Small', 'Large']), { onAnswer: (s) => `Size ${s}.` });
  const order = refunding.question('order', form('Your order', { what: text('What?'), amount: number('How many?') }), {
    onAnswer: ({ what, amount }) => `${amount} × ${what}`,
  });
  const questions = { refund: sure, why: reason, many, size, order };
  const clerk = refunding.onMessage(({ message, ask }) => {
    const question = Object.hasOwn(questions, message) ? questions[message as 'refund'] : undefined;
    return question === undefined ? `You said: ${message}` : ask(question);
  });
  return { clerk, ...questions };
}

export async function slackWorld(
  options: Partial<SlackOptions> = {},
  {
    isSmall,
    others = [],
    talker,
    speaking = {},
  }: {
    readonly isSmall?: () => Promise<true | string>;
    readonly others?: readonly Channel[];
    /** Speaks with people in place of the agent that refunds. */
    readonly talker?: BaseAgent;
    /** The languages and sentences of the registry. */
    readonly speaking?: Pick<RegistryOptions, 'languages' | 'wording'>;
  } = {},
) {
  const clock = new FakeClock();
  const slack = await SlackServer.opened({ now: () => clock.now() });
  const logged = linesLogged();
  const refunds: string[] = [];
  const channel = new SlackChannel({
    signingSecret: slack.signingSecret,
    token: slack.token,
    apiUrl: slack.apiUrl,
    team: slack.team,
    clock,
    logger: logged.logger,
    ...options,
  });
  const { clerk, ...questions } = refundAgent(refunds, undefined, isSmall);
  const registry = new AgentRegistry({
    agents: [talker ?? clerk],
    channels: [channel, ...others],
    clock,
    logger: logged.logger,
    ...speaking,
  });
  await registry.start();
  slack.app = channel.fetch;
  onTestFinished(async () => {
    await registry.stop();
    await slack.close();
  });
  const soon = <T>(check: () => T | Promise<T>) => until(check, clock);
  return { clock, slack, channel, registry, refunds, logged: logged.lines, until: soon, ...questions };
}

/** Resolves when the check gives something. A little time passes before each look. */
export async function until<T>(check: () => T | Promise<T>, clock?: FakeClock): Promise<NonNullable<T>> {
  const end = performance.now() + patience / 2;
  while (performance.now() < end) {
    const found = await check();
    if (found !== undefined && found !== null && found !== false) return found;
    await new Promise((resolve) => setTimeout(resolve, 2));
    if (clock !== undefined) await clock.advance(10);
  }
  throw new Error(`It never came about: ${String(check)}`);
}

/**
 * A job at planned times that asks before it acts. Nobody reads on the schedule's own channel, so the agent names
 * another with `via`. It fires every second, asks once, and ends after the answer or with its input: a line that is piped
 * before the question is open answers nothing. Needs croner (npm install croner):
 *   npx tsx scheduled-report.ts   (from Node 22.18 on: node scheduled-report.ts)
 *   npm run build && npm run build:examples && node dist-examples/scheduled-report.js   (in a clone)
 */
import { AgentRegistry, agent, confirm, TerminalChannel } from 'askback';
import { ScheduledChannel } from 'askback/channels/scheduled';

const reporter = agent('reporter');

const publish = reporter.question('publish', confirm('The weekly report is ready. Publish it?'), {
  via: { channel: 'terminal' },
  onAnswer: (yes) => (yes ? 'Published.' : 'Kept for later.'),
});

reporter.onMessage(async ({ channelName, ask }) => {
  if (channelName !== 'scheduled') return 'I only speak about the weekly report.';
  // The schedule goes on while people think. What is asked already is not asked again.
  const { asks } = await registry.listAsks({ agentName: reporter.name });
  if (asks.length === 0) return ask(publish, { details: { Week: '32', Orders: '118' } });
});

const registry = new AgentRegistry({
  agents: [reporter],
  channels: [
    new TerminalChannel({ onEnd: () => void registry.stop() }), // nobody can answer any more, and the schedule would go on
    // Six parts: every second. A real report has '0 9 * * 1', which is Mondays at nine.
    new ScheduledChannel({ jobs: [{ name: 'weekly-report', cron: '* * * * * *', timeZone: 'Europe/Berlin' }] }),
  ],
});
registry.on('answered', () => void registry.stop());
await registry.start();

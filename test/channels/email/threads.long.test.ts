/** A thousand open questions to one mailbox. */
import { expect, onTestFinished, test } from 'vitest';
import { AgentRegistry, agent } from '../../../src/index.js';
import { answerTo, mailChannel, mailsTo } from '../../support/mail/world.js';
import { linesLogged } from '../../support/slack/world.js';

const dora = 'dora@example.com';

test('a thousand questions to one person are mailed once each, at most five at a time, and any of them is answered', async () => {
  const mail = await mailChannel();
  let [sending, most] = [0, 0];
  mail.smtp.faults = (step) => {
    if (step === 'mail') most = Math.max(most, ++sending);
    if (step === 'data') sending -= 1;
    return undefined;
  };
  const channels = [mail.channel];
  const agents = [agent('idle').onMessage(() => undefined)];
  const registry = new AgentRegistry({ agents, channels, logger: linesLogged().logger });
  onTestFinished(() => registry.stop());
  const there = { channel: 'email', to: dora, answerableBy: [`mail:${dora}`], mail: 'decide' } as const;
  const asked = Array.from({ length: 1_000 }, (_, i) => registry.ask(`Which size for order ${i}?`, there));
  const asks = await Promise.all(asked);
  await mail.smtp.taken(1_000, 100_000);
  await registry.idle();
  const mails = await mailsTo(mail.smtp, dora);
  expect(new Set(mails.map(({ messageId }) => messageId)).size).toBe(1_000);
  expect(mails).toHaveLength(1_000);
  expect(most).toBeLessThanOrEqual(5);
  const last = mails.find(({ text }) => text.includes('order 999?'));
  if (last === undefined) throw new Error('There is no such mail.');
  await mail.writes(answerTo(last, 'Large', { from: dora }));
  expect(await registry.wait(asks[999]?.askId ?? '')).toMatchObject({ status: 'answered', value: 'Large' });
  expect((await registry.getAsk(asks[0]?.askId ?? ''))?.status).toBe('pending');
});

/** A reply that a wrong setting makes strange: it may be an answer, so it is neither taken nor lost. */
import { expect, onTestFinished, test } from 'vitest';
import { EmailChannel, type EmailChannelOptions } from '../../../src/channels/email/index.js';
import { AgentRegistry, agent, confirm, MemoryStore } from '../../../src/index.js';
import { imapServer, keyword, until } from '../../support/mail/mailbox.js';
import { SmtpServer } from '../../support/mail/smtp-server.js';
import {
  answerTo,
  arrived,
  type FoundMail,
  mailChannel,
  mailSecret,
  mailServer,
  mailsTo,
} from '../../support/mail/world.js';
import { linesLogged } from '../../support/slack/world.js';

const anna = 'anna@example.com';
const otherSecret = 'another secret for reply addresses, long enough';

test.for([
  ['another secret', { secret: otherSecret }, 'another secret'],
  [
    'the name of another receiving server',
    { trust: { authservId: 'mx.example.net' } },
    '"why":"other-server","domain":"example.com","server":"mx.shop.example","expected":"mx.example.net"',
  ],
] as const)(
  'a mailbox that is read with %s leaves a reply as it is; with the right one it is the answer',
  async ([, mistake, word]) => {
    const [smtp, imap, store] = [await SmtpServer.begin(), await imapServer(), new MemoryStore()];
    onTestFinished(() => smtp.stop());
    const answers: boolean[] = [];
    /** A process, on the same store and the same mailbox. */
    const begun = async (wrong: Partial<EmailChannelOptions> = {}) => {
      const { lines, logger } = linesLogged();
      const email = new EmailChannel({
        from: 'Refunds <refunds@shop.example>',
        smtp: { host: '127.0.0.1', port: smtp.port, secure: false },
        secret: mailSecret,
        receive: {
          imap: { host: '127.0.0.1', port: imap.port, secure: false, auth: { user: 'testuser', pass: 'testpass' } },
        },
        trust: { authservId: mailServer },
        logger,
        ...wrong,
      });
      const refunds = agent('refunds');
      const sure = refunds.question('sure', confirm('Refund 48 EUR?'), {
        answerableBy: [`mail:${anna}`],
        mail: 'decide',
        onAnswer: (yes) => {
          answers.push(yes);
        },
      });
      refunds.onMessage(({ ask }) => ask(sure, { via: { channel: 'email', to: anna } }));
      const registry = new AgentRegistry({ agents: [refunds], channels: [email], store, logger });
      onTestFinished(() => registry.stop());
      await registry.start();
      return { registry, lines };
    };
    const first = await begun();
    await first.registry.handle({ id: 'm1', conversationId: 'web:1', text: 'refund', participant: { id: 'web:1' } });
    await smtp.taken(1);
    await first.registry.stop();
    const [question] = await mailsTo(smtp, anna);
    imap.deliver(await arrived(answerTo(question as FoundMail, 'Yes')));

    const wrong = await begun(mistake);
    await until(() => wrong.lines.some((line) => line.includes(word)), 'it is warned of');
    imap.deliver(
      await arrived({ to: 'refunds@shop.example', text: 'Hello', headers: { 'X-Askback-Message': 'ours' } }),
    );
    await until(() => imap.flagged(keyword).length === 1, 'what came after it is done with');
    await wrong.registry.stop();
    expect(wrong.lines.filter((line) => line.includes(word))).toHaveLength(1); // it was looked at once
    expect(wrong.lines.join('\n')).not.toMatch(/Yes|replies\+|anna@/);
    expect(answers).toEqual([]);

    await begun();
    await until(() => answers.length === 1, 'it is answered');
    await until(() => imap.flagged(keyword).length === 2, 'the reply is marked');
    expect(answers).toEqual([true]);
  },
);

test('a reply that is posted where a setting is wrong is to be sent again; with the right one it is the answer', async () => {
  const store = new MemoryStore();
  const answers: boolean[] = [];
  const begun = async (wrong: Partial<EmailChannelOptions> = {}) => {
    const mail = await mailChannel(wrong);
    const refunds = agent('refunds');
    const sure = refunds.question('sure', confirm('Refund 48 EUR?'), {
      answerableBy: [`mail:${anna}`],
      mail: 'decide',
      onAnswer: (yes) => {
        answers.push(yes);
      },
    });
    refunds.onMessage(({ ask }) => ask(sure, { via: { channel: 'email', to: anna } }));
    const registry = new AgentRegistry({ agents: [refunds], channels: [mail.channel], store });
    onTestFinished(() => registry.stop());
    await registry.start();
    return { ...mail, registry };
  };
  const first = await begun();
  await first.registry.handle({ id: 'm1', conversationId: 'web:1', text: 'refund', participant: { id: 'web:1' } });
  await first.smtp.taken(1);
  await first.registry.stop();
  const [question] = await mailsTo(first.smtp, anna);
  const reply = await arrived(answerTo(question as FoundMail, 'Yes'));
  for (const mistake of [{ secret: otherSecret }, { trust: { authservId: 'mx.example.net' } }]) {
    const wrong = await begun(mistake);
    const response = await wrong.posts(reply);
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '600']);
    await wrong.registry.stop();
  }
  expect(answers).toEqual([]);
  const mended = await begun();
  expect((await mended.posts(reply)).status).toBe(200);
  await until(() => answers.length === 1, 'it is answered');
});

test.each(['refunds+hello@shop.example', `refunds+${'a'.repeat(47)}@shop.example`])(
  'a mail to an address that no secret makes is ignored: %s',
  async (to) => {
    const { channel, writes, lines } = await mailChannel();
    const registry = new AgentRegistry({ channels: [channel] });
    onTestFinished(() => registry.stop());
    await registry.start();
    expect((await writes({ to, text: 'Yes' })).status).toBe(200);
    expect(lines.join('\n')).toMatch(/^A mail was ignored.*unknown-reply-address/);
  },
);

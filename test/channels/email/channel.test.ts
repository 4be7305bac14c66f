/**
 * Questions by mail, from the question to the receipt: over a real SMTP server, with replies whose DKIM signatures are made and checked.
 */
import { expect, onTestFinished, test } from 'vitest';
import { EmailChannel, type EmailChannelOptions } from '../../../src/channels/email/index.js';
import { english } from '../../../src/core/wording/english.js';
import { AgentRegistry, type AskOptions, agent, confirm } from '../../../src/index.js';
import { until } from '../../support/mail/mailbox.js';
import { answerTo, bearer, type FoundMail, mailChannel, mailSecret, mailsTo } from '../../support/mail/world.js';
import { Mail } from '../../support/places.js';
import { linesLogged } from '../../support/slack/world.js';

const dora = 'dora@example.com';

/** An agent that asks Dora by mail whenever somebody writes on the web. */
async function shop(more: Omit<AskOptions, 'effectKey'> = {}, options: Partial<EmailChannelOptions> = {}) {
  const mail = await mailChannel(options);
  const [web, desk] = [new Mail('web'), new Mail('desk')];
  const refunds: string[] = [];
  const closed: string[] = [];
  const made = agent('refunds');
  const sure = made.question('sure', confirm('Refund 48 EUR?'), {
    via: { channel: 'email', to: 'Dora@Example.com' },
    answerableBy: [`mail:${dora}`, 'staff:ben'],
    mail: 'decide',
    ...more,
    onAnswer: (yes, { pending }) => {
      refunds.push(`${yes} by ${pending.decidedBy?.id}`);
    },
    onClosed: (_, why) => {
      closed.push(why);
    },
  });
  made.onMessage(({ ask }) => ask(sure));
  const { logger, lines: told } = linesLogged();
  const registry = new AgentRegistry({ agents: [made], channels: [web, desk, mail.channel], logger });
  onTestFinished(() => registry.stop());
  await registry.start();
  await web.desk?.receive({ id: 'w1', conversationId: 'web:ann', text: 'refund', participant: { id: 'web:ann' } });
  const question = await found(mail, dora, 1);
  const [{ id = '' } = {}] = (await registry.listAsks()).asks;
  return { ...mail, registry, web, desk, refunds, closed, question, id, told };
}

/** The mails to an address, once there are so many. */
async function found({ smtp }: Pick<Awaited<ReturnType<typeof mailChannel>>, 'smtp'>, to: string, count: number) {
  await until(() => smtp.mails.filter((each) => each.to.includes(to)).length >= count, `${count} mails to ${to}`);
  return (await mailsTo(smtp, to))[count - 1] as FoundMail; // there are so many
}

const pending = async (registry: AgentRegistry, id: string) => (await registry.getAsk(id))?.status;

test('a question goes out with an address of its own, and the reply of the right person decides it', async () => {
  const { question, writes, refunds, registry, id } = await shop();
  expect(question.replyTo).toMatch(/^refunds\+[a-z2-7]{48}@shop\.example$/);
  expect(question.returnPath).toMatch(/^refunds\+[a-z2-7]{48}@shop\.example$/);
  expect(question.returnPath).not.toBe(question.replyTo); // people who quote the one do not know the other
  expect(question.header('auto-submitted')).toBe('auto-generated');
  expect(question.header('x-auto-response-suppress')).toBe('All');
  expect(question.text).toContain('Refund 48 EUR?');
  await writes(answerTo(question, 'Yes', { from: dora }));
  await until(() => refunds.length > 0, 'the refund');
  expect(refunds).toEqual([`true by mail:${dora}`]);
  expect(await pending(registry, id)).toBe('answered');
});

test('a reply that quotes the question with the votes of then is read, when there are more by now', async () => {
  const { question, writes, refunds, registry, id } = await shop({ quorum: 2 });
  expect(question.text).toContain('0 of 2 votes');
  const ben = { by: { id: 'staff:ben' } };
  expect(await registry.answer(id, { value: true }, ben)).toMatchObject({ type: 'counted' });
  await writes(answerTo(question, 'Yes', { from: dora }));
  await until(() => refunds.length > 0, 'the refund');
  expect(refunds).toEqual([`true by mail:${dora}`]);
});

test('a reply that quotes a question with characters that draw nothing is read: the mail showed their codes', async () => {
  const details = { 'Paid\u3164 by': 'Card\u2800 1\u{e0041} 👩🏽\u200d💻 می\u200cخواهم' };
  const { question, writes, refunds } = await shop({ details });
  expect(question.text).toContain('Paid\\u{3164} by: Card\\u{2800} 1\\u{e0041} 👩🏽\u200d💻 می\u200cخواهم');
  await writes(answerTo(question, 'Yes', { from: dora }));
  await until(() => refunds.length > 0, 'the refund');
  expect(refunds).toEqual([`true by mail:${dora}`]);
});

test('a person who writes to the agent is asked and answered in their own thread', async () => {
  const mail = await mailChannel();
  const made = agent('refunds');
  const sure = made.question('sure', confirm('Refund 48 EUR?'), { mail: 'decide', onAnswer: () => 'Refunded.' });
  made.onMessage(({ ask }) => ask(sure));
  const registry = new AgentRegistry({ agents: [made], channels: [mail.channel], logger: linesLogged().logger });
  onTestFinished(() => registry.stop());
  await registry.start();
  const headers = { 'Message-ID': '<first@example.com>' };
  await mail.writes({ to: 'refunds@shop.example', subject: 'My order', text: 'I want a refund', headers });
  const question = await found(mail, 'anna@example.com', 1);
  expect([question.subject, question.header('in-reply-to')]).toEqual(['Re: My order', '<first@example.com>']);
  await mail.writes(answerTo(question, 'yes', { headers: { 'Message-ID': '<second@example.com>' } }));
  const receipt = await found(mail, 'anna@example.com', 2);
  expect(receipt.text).toContain('Refunded.');
  expect([receipt.subject, receipt.header('in-reply-to')]).toEqual(['Re: My order', '<second@example.com>']);
});

test('a reply that somebody forged, whatever it says about itself, decides nothing', async () => {
  const { question, writes, refunds, registry, id, lines } = await shop();
  const forged = 'mx.shop.example; dmarc=pass header.from=example.com';
  const yes = answerTo(question, 'Yes', { from: dora });
  const attempts = [
    { ...yes, signedBy: false as const },
    { ...yes, signedBy: 'example.org' as const },
    { ...yes, signedBy: false as const, headers: { ...yes.headers, 'Authentication-Results': forged } },
    { ...yes, from: `${dora}, eve@example.org`, signedBy: 'example.org' as const, arrival: { sender: dora } },
  ];
  for (const attempt of attempts) expect((await writes(attempt)).status).toBe(200);
  expect(await pending(registry, id)).toBe('pending');
  expect(refunds).toEqual([]);
  expect(lines.filter((line) => line.startsWith('A mail was refused'))).toHaveLength(4);
  expect(lines.join('\n')).not.toMatch(/Yes|Refund 48|refunds\+/);
});

test('somebody else who has the reply address is refused and told so, and the ask stays open', async () => {
  const { question, writes, smtp, registry, id, refunds } = await shop();
  await writes(answerTo(question, 'Yes', { from: 'eve@example.com' }));
  const notice = await found({ smtp }, 'eve@example.com', 1);
  expect(notice.text).not.toContain('Refund 48');
  expect(await pending(registry, id)).toBe('pending');
  expect(refunds).toEqual([]);
});

test('the right person without the reply address answers nothing that was asked elsewhere', async () => {
  const { question, writes, registry, id } = await shop();
  const about = { 'In-Reply-To': question.messageId ?? '', References: question.messageId ?? '' };
  const token = question.replyTo.replace(/\+.(?=[a-z2-7]{47}@)/, '+a');
  const wrong = token === question.replyTo ? question.replyTo.replace(/\+./, '+b') : token;
  await writes({ from: dora, to: wrong, text: 'Yes', headers: about });
  await writes({ from: dora, to: 'somebody@else.example', subject: question.subject, text: 'Yes', headers: about });
  expect(await pending(registry, id)).toBe('pending');
});

test('machines never answer: an absence notice, a list, our own mail', async () => {
  const { question, writes, registry, id, lines } = await shop();
  const yes = answerTo(question, 'Yes', { from: dora });
  const kinds = [
    { 'Auto-Submitted': 'auto-replied' },
    { 'X-Autoreply': 'yes' },
    { 'List-Id': '<list.example.com>' },
    { 'X-Askback-Message': 'x' },
  ];
  for (const headers of kinds) await writes({ ...yes, headers: { ...yes.headers, ...headers } });
  expect(await pending(registry, id)).toBe('pending');
  expect(lines.filter((line) => /^A mail (?:to a question )?was ignored/.test(line))).toHaveLength(4);
});

/** What a server sends back to where a mail came from. */
function bounce(to: string, action: string, status: string, recipient = dora, original?: string) {
  return {
    from: 'MAILER-DAEMON@mx.example.com',
    to,
    signedBy: false as const,
    arrival: { sender: '' },
    subject: 'Undelivered Mail Returned to Sender',
    headers: {
      'Auto-Submitted': 'auto-replied',
      'Content-Type': 'multipart/report; report-type=delivery-status; boundary="b"',
    },
    text: [
      '--b',
      'Content-Type: text/plain',
      '',
      'I could not deliver it.',
      '--b',
      'Content-Type: message/delivery-status',
      '',
      'Reporting-MTA: dns; mx.example.com',
      '',
      ...(original === undefined ? [] : [`Original-Recipient: rfc822; ${original}`]),
      `Final-Recipient: rfc822; ${recipient}`,
      `Action: ${action}`,
      `Status: ${status}`,
      'Diagnostic-Code: smtp; 550 5.1.1 No such user',
      '--b--',
    ].join('\n'),
  };
}

test('a mail that came back for good goes to the next step at once; one that is late does not', async () => {
  const escalate = [{ after: 86_400_000, channel: 'desk', to: 'ben', answerableBy: ['staff:ben'] }];
  const { question, writes, desk, refunds, closed } = await shop({ escalate });
  await writes(bounce(question.returnPath, 'delayed', '4.4.1'));
  expect(desk.sent).toEqual([]);
  await writes(bounce(question.returnPath, 'failed', '5.1.1'));
  await until(() => desk.sent.length > 0, 'the next step');
  await desk.presses('ben', 'yes', { id: 'staff:ben', name: 'Ben' });
  await until(() => refunds.length > 0, 'the refund');
  expect([refunds, closed]).toEqual([['true by staff:ben'], []]);
});

test('a bounce that somebody made up, or of an address that the mail was forwarded to, gives nothing up, and is logged', async () => {
  const { question, writes, registry, id, refunds, lines, told } = await shop();
  await writes(bounce(question.replyTo, 'failed', '5.1.1')); // whoever was sent the question on knows this address
  await writes(bounce(question.returnPath, 'failed', '5.7.26', 'old-account@example.org'));
  await writes(bounce(question.returnPath, 'failed', '5.1.1', 'alias@example.org', dora)); // Dora may have a copy of her own
  const open = told.filter((line) => line.startsWith('A question stays open though a copy came back'));
  expect(open).toHaveLength(2);
  expect(open[0]).toContain('5.7.26');
  expect(open.join()).not.toMatch(/old-account|alias@/);
  expect(await pending(registry, id)).toBe('pending');
  expect(lines).toContainEqual(expect.stringContaining('of-no-question'));
  await writes(answerTo(question, 'Yes', { from: dora }));
  await until(() => refunds.length > 0, 'the refund');
});

test('a mail to somebody else that is sent again to the reply address answers nothing', async () => {
  const { question, writes, registry, id, refunds, lines } = await shop();
  const lunch = { from: dora, to: 'Mallory <mallory@example.org>', subject: 'Re: Lunch?', text: 'Yes' };
  for (const headers of [
    { 'Delivered-To': question.replyTo },
    { 'X-Original-To': question.replyTo },
    { to: question.replyTo },
  ])
    await writes({ ...lunch, headers });
  await writes({ ...answerTo(question, 'Yes', { from: dora }), to: question.returnPath }); // the address of servers
  expect(await pending(registry, id)).toBe('pending');
  expect(refunds).toEqual([]);
  expect(lines).toContainEqual(expect.stringContaining('reply-address-not-in-to'));
});

test('a server that refuses the recipient for good makes the question undeliverable', async () => {
  const mail = await mailChannel();
  mail.smtp.faults = (step) => (step === 'rcpt' ? { code: 550, text: '5.1.1 No such user' } : undefined);
  const closed: string[] = [];
  const made = agent('refunds');
  const via = { channel: 'email', to: dora };
  const sure = made.question('sure', confirm('Refund?'), {
    via,
    onAnswer: () => 'Refunded.',
    onClosed: (_, why) => void closed.push(why),
  });
  made.onMessage(({ ask }) => ask(sure));
  const web = new Mail('web');
  const registry = new AgentRegistry({ agents: [made], channels: [web, mail.channel], logger: linesLogged().logger });
  onTestFinished(() => registry.stop());
  await registry.start();
  await web.desk?.receive({ id: 'w1', conversationId: 'web:ann', text: 'refund', participant: { id: 'web:ann' } });
  await until(() => closed.length > 0, 'the end of the ask');
  expect(closed).toEqual(['undeliverable']);
});

test('without mail: decide, the mail has a link, and a reply is told that it decides nothing', async () => {
  const asked: unknown[] = [];
  const link = (askId: string, person: { readonly id: string }) => {
    asked.push([askId, person.id]);
    return `https://shop.example/inbox/link/${'x'.repeat(40)}`;
  };
  const { question, writes, smtp, registry, id, refunds } = await shop({ mail: 'show' }, { link });
  expect(asked).toEqual([[id, `mail:${dora}`]]);
  expect(question.text).toContain('https://shop.example/inbox/link/');
  await writes(answerTo(question, 'Yes', { from: dora }));
  const notice = await found({ smtp }, dora, 2);
  expect(notice.text).toContain('cannot be answered by mail');
  expect(await pending(registry, id)).toBe('pending');
  expect(refunds).toEqual([]);
});

test('what was settled elsewhere is told once in the thread, and a later reply is told so', async () => {
  const { question, writes, smtp, registry, id, refunds } = await shop();
  await registry.answer(id, { value: true }, { by: { id: 'staff:ben', name: 'Ben' } });
  const over = await found({ smtp }, dora, 2);
  expect(over.text).toContain('already answered by Ben');
  expect(over.header('in-reply-to')).toBe(question.messageId);
  expect(over.subject).toBe(`Re: ${question.subject}`);
  await writes(answerTo(question, 'No', { from: dora }));
  expect((await found({ smtp }, dora, 3)).text).toContain('already answered');
  expect(refunds).toEqual(['true by staff:ben']);
});

/** A reply with a file and no words. */
function onlyFile(question: FoundMail, from: string) {
  const text =
    '--b\nContent-Type: application/pdf; name="Yes"\nContent-Disposition: attachment; filename="Yes"\n\nx\n--b--';
  const yes = answerTo(question, '', { from });
  return { ...yes, text, headers: { ...yes.headers, 'Content-Type': 'multipart/mixed; boundary="b"' } };
}

test('a reply with a file and no words, or with nothing new, is told that it has no answer in it; a stranger is refused', async () => {
  const { question, writes, smtp, registry, id, told } = await shop();
  const nothing = english.wording.nothingWritten();
  await writes(onlyFile(question, dora));
  expect((await found({ smtp }, dora, 2)).text.replace(/\s+/g, ' ')).toContain(nothing);
  await writes(answerTo(question, '', { from: dora }));
  expect((await found({ smtp }, dora, 3)).text.replace(/\s+/g, ' ')).toContain(nothing);
  expect(told.join('\n')).not.toContain('Somebody who may not answer');
  await writes(onlyFile(question, 'eve@example.com'));
  expect((await found({ smtp }, 'eve@example.com', 1)).text).toContain("you can't answer this one");
  expect(await registry.getAsk(id)).toMatchObject({ status: 'pending', retries: 0 });
});

test.for(['<p>Yes</p><p class="x">but only 50</p>', '<p>Yes</p><s>but only 50</s>'])(
  'a reply is asked again though a style hides what limits it: %s',
  async (text) => {
    const { question, writes, smtp, registry, id } = await shop();
    const headers = { 'Content-Type': 'text/html; charset=utf-8' };
    await writes({ from: dora, to: question.replyTo, text: `<style>.x{display:none}</style>${text}`, headers });
    expect((await found({ smtp }, dora, 2)).text).toContain("I didn't understand that");
    expect(await registry.getAsk(id)).toMatchObject({ status: 'pending', retries: 1 });
  },
);

test('a reply with a file alone is told where the question is over, or cannot be decided by mail', async () => {
  const { question, writes, smtp, registry, id } = await shop();
  await registry.answer(id, { value: true }, { by: { id: 'staff:ben', name: 'Ben' } });
  await found({ smtp }, dora, 2);
  await writes(onlyFile(question, dora));
  expect((await found({ smtp }, dora, 3)).text).toContain('already answered by Ben');
  const shown = await shop({ mail: 'show' });
  await shown.writes(onlyFile(shown.question, dora));
  expect((await found(shown, dora, 2)).text).toMatch(/cannot\sbe\sanswered\sby\smail/);
});

test('a question that its mail cannot answer says so, and the log says once what to do; a reply is told apart from a stranger', async () => {
  const { question, web, smtp, writes, lines, told } = await shop({ mail: 'show' });
  expect(question.text).toContain('This mail is for your information');
  await web.desk?.receive({ id: 'w2', conversationId: 'web:bea', text: 'refund', participant: { id: 'web:bea' } });
  await writes(answerTo(question, 'Yes', { from: dora }));
  await found({ smtp }, dora, 3);
  const texts = (await mailsTo(smtp, dora)).map(({ text }) => text);
  expect(texts.join('\n')).toMatch(/If\sthe\smail\swith\sthe\squestion\shas\sa\slink/);
  expect(
    lines.filter((line) => line.includes("Give the ask mail: 'decide', or the channel the option link")),
  ).toHaveLength(1);
  expect(told.join('\n')).toMatch(/A reply did not count, because its author is proved by the address alone/);
  expect(told.join('\n')).not.toContain('Somebody who may not answer');
});

test('a secret answer that only a reply can give is warned of', async () => {
  const { lines } = await shop({ sensitive: true });
  expect(lines.join('\n')).toMatch(/only a reply by mail can answer it there\. Give the channel the option link/);
});

test('a channel that cannot receive asks nobody, and says so', async () => {
  const { smtp } = await mailChannel();
  const options = { from: 'refunds@shop.example', secret: mailSecret };
  const channel = new EmailChannel({ ...options, smtp: { host: '127.0.0.1', port: smtp.port, secure: false } });
  const made = agent('refunds');
  const problems: string[] = [];
  const sure = made.question('sure', confirm('Refund?'), { onAnswer: () => 'Refunded.' });
  made.onMessage(async ({ ask }) => {
    await Promise.resolve()
      .then(() => ask(sure, { via: { channel: 'email', to: dora } }))
      .catch((error: Error) => problems.push(error.message));
  });
  const web = new Mail('web');
  const registry = new AgentRegistry({ agents: [made], channels: [web, channel], logger: linesLogged().logger });
  onTestFinished(() => registry.stop());
  await registry.start();
  await web.desk?.receive({ id: 'w1', conversationId: 'web:ann', text: 'refund', participant: { id: 'web:ann' } });
  await until(() => problems.length > 0, 'the refusal');
  expect(problems[0]).toMatch(/\(email\) that only sends.*Give it the options receive and trust/);
  expect((await registry.listAsks()).asks).toEqual([]);
});

test.each([
  [{ trust: undefined }, 'trust is needed'],
  [{ from: 'nobody' }, 'from must be one mail address'],
  [{ secret: 'short' }, 'secret'],
  [{ receive: {} }, 'receive must be'],
  [{ receive: { webhook: {} } }, 'secret or bearer is needed'],
  [{ receive: { webhook: { bearer: 'words with white space, long enough' } } }, 'without white space'],
  [{ replyTo: 'a-very-long-local-part@shop.example' }, 'at most 15 bytes'],
  [{ link: 'https://shop.example' }, 'link must be a function'],
  [{ smpt: 'x' }, 'smpt'],
])('a wrong option is told at once: %o', async (wrong, said) => {
  const right = {
    from: 'refunds@shop.example',
    smtp: 'smtp://localhost:25',
    secret: mailSecret,
    receive: { webhook: { bearer } },
    trust: { authservId: 'mx.shop.example' },
  };
  expect(() => new EmailChannel({ ...right, ...wrong } as EmailChannelOptions)).toThrow(said);
});

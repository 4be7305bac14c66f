/** The example of an approval by mail, as a process of its own: it mails over TLS, and the link in the mail is opened over HTTP. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { formOf } from '../../server/page-kit.js';
import { certificate, SmtpServer } from '../../support/mail/smtp-server.js';
import { bearer, type FoundMail, mailSecret, mailServer, mailsTo } from '../../support/mail/world.js';
import { freePort } from '../../support/redis-server.js';
import { runExample } from './running.js';

const dora = 'dora@example.com';

async function started() {
  const smtp = await SmtpServer.begin({ tls: true });
  const folder = mkdtempSync(join(tmpdir(), 'askback-mail-'));
  const port = await freePort();
  const program = runExample('mail-approval', {
    SMTP_URL: `smtps://localhost:${smtp.port}`,
    NODE_EXTRA_CA_CERTS: certificate,
    MAIL_SECRET: mailSecret,
    MAIL_SERVER: mailServer,
    MAIL_BEARER: bearer,
    APPROVER: dora,
    PORT: `${port}`,
    DATABASE: join(folder, 'store.db'),
  });
  onTestFinished(async () => {
    program.kill('SIGTERM');
    const { code } = await program.finished();
    await smtp.stop();
    rmSync(folder, { recursive: true });
    expect(code).toBe(0);
  });
  await program.shows('Write: refund 12345');
  return { smtp, program, origin: `http://127.0.0.1:${port}` };
}

const linkIn = (mail: FoundMail | undefined) => /^http:\S+$/m.exec(mail?.text ?? '')?.[0] ?? '';

test('the approver opens the link of the mail and decides there; both are told, and the link is used up', async () => {
  const { smtp, program, origin } = await started();
  program.types('refund 12345, please');
  await program.shows('dora@example.com is asked by mail');
  await smtp.taken(1);
  const [question] = await mailsTo(smtp, dora);
  expect(question?.text).toMatch(/Refund it\?[\s\S]*Order: 12345/);
  const link = linkIn(question);
  expect(link).toMatch(`${origin}/inbox/link/`);
  const page = await fetch(link);
  expect(page.status).toBe(200);
  const { action, fields } = formOf(await page.text(), '/answer');
  fields.set('answer', 'yes');
  const decided = await fetch(new URL(action, origin), { method: 'POST', body: fields, headers: { origin } });
  expect([decided.status, await decided.text()]).toEqual([200, expect.stringContaining('Your decision is recorded')]);
  await program.shows('Order 12345: refunded.');
  await smtp.taken(2);
  expect((await mailsTo(smtp, dora))[1]?.text).toContain('Order 12345: refunded.');
  expect((await fetch(link)).status).toBe(410);
});

test('a link that somebody changed opens nothing, and the ask stays open', async () => {
  const { smtp, program } = await started();
  program.types('refund 12345');
  await smtp.taken(1);
  const [question] = await mailsTo(smtp, dora);
  const link = linkIn(question);
  const changed = link.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A')).replace(/link\/./, 'link/x');
  expect((await fetch(changed)).status).toBe(404);
  expect((await fetch(link)).status).toBe(200);
});

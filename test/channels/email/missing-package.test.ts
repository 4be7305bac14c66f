/** The packages that read mails are optional: without them, whoever uses the channel is told what to install. */
import { expect, test, vi } from 'vitest';
import { readMail } from '../../../src/channels/email/incoming/mime.js';
import { newText } from '../../../src/channels/email/incoming/new-text.js';
import { EmailChannel } from '../../../src/channels/email/index.js';

vi.mock('postal-mime', () => {
  throw new Error('Cannot find package');
});
vi.mock('email-reply-parser', () => {
  throw new Error('Cannot find package');
});

test('a channel without several packages names all of them, with one line that installs them', async () => {
  const email = new EmailChannel({
    from: 'refunds@shop.example',
    smtp: 'smtps://smtp.shop.example',
    secret: 's'.repeat(32),
    receive: { imap: { host: 'imap.shop.example', auth: { user: 'replies', pass: 'x' } } },
    trust: { authservId: 'mx.shop.example' },
  });
  const starting = email.start({ receive: async () => 'recorded' });
  await expect(starting).rejects.toMatchObject({
    code: 'missing-package',
    message: expect.stringMatching(
      /postal-mime to read mails, email-reply-parser to read replies.*\n {2}npm install postal-mime email-reply-parser$/,
    ),
  });
});

test('reading a mail without its packages names what is missing', async () => {
  const missing = (name: string) => ({
    code: 'missing-package',
    message: expect.stringContaining(`npm install ${name}`),
  });
  await expect(readMail(new Uint8Array())).rejects.toMatchObject(missing('postal-mime'));
  await expect(newText('yes', [])).rejects.toMatchObject(missing('email-reply-parser'));
});

/** The packages that read mails are optional: without them, whoever uses the channel is told what to install. */
import { expect, test, vi } from 'vitest';
import { EmailChannel } from '../../../src/channels/email/index.js';

vi.mock('postal-mime', () => {
  throw new Error('Cannot find package');
});
vi.mock('html-to-text', () => {
  throw new Error('Cannot find package');
});

test('a channel without several packages names all of them, with one line that installs them', async () => {
  const email = new EmailChannel({
    from: 'refunds@shop.example',
    smtp: 'smtps://smtp.shop.example',
    secret: 'a secret of at least 32 characters',
    receive: { imap: { host: 'imap.shop.example', auth: { user: 'replies', pass: 'x' } } },
    trust: { authservId: 'mx.shop.example' },
  });
  const starting = email.start({ receive: async () => 'recorded' });
  await expect(starting).rejects.toMatchObject({
    code: 'missing-package',
    message: expect.stringMatching(
      /packages postal-mime \(to read mails\), html-to-text \(to read mails in HTML\), .*\n {2}npm install postal-mime html-to-text$/,
    ),
  });
});

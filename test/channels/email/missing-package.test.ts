/** The packages that read mails are optional: without them, whoever uses the channel is told what to install. */
import { expect, test, vi } from 'vitest';
import { readMail } from '../../../src/channels/email/incoming/mime.js';
import { newText } from '../../../src/channels/email/incoming/new-text.js';

vi.mock('postal-mime', () => {
  throw new Error('Cannot find package');
});
vi.mock('email-reply-parser', () => {
  throw new Error('Cannot find package');
});

test('reading a mail without its packages names what is missing', async () => {
  const missing = (name: string) => ({
    code: 'missing-package',
    message: expect.stringContaining(`npm install ${name}`),
  });
  await expect(readMail(new Uint8Array())).rejects.toMatchObject(missing('postal-mime'));
  await expect(newText('yes', [])).rejects.toMatchObject(missing('email-reply-parser'));
});

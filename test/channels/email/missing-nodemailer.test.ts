/** The package that sends mails is optional: without it, whoever uses the channel is told what to install. */
import { expect, test, vi } from 'vitest';
import { Smtp, smtpOption } from '../../../src/channels/email/smtp.js';

vi.mock('nodemailer', () => {
  throw new Error('Cannot find package');
});

test('sending without its package names what is missing', async () => {
  const smtp = new Smtp(smtpOption('smtps://smtp.example.com', 'smtp'));
  const missing = { code: 'missing-package', message: expect.stringContaining('npm install nodemailer') };
  await expect(smtp.load()).rejects.toMatchObject(missing);
});

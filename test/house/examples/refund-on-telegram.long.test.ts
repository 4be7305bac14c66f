/** The example of refunds on Telegram, as a process of its own against a local Telegram, which it fetches from. */
import { expect, onTestFinished, test } from 'vitest';
import { TelegramServer } from '../../support/telegram/server.js';
import { runExample } from './running.js';

test('a manager is asked with buttons, decides, and whoever asked is told', async () => {
  const telegram = await TelegramServer.opened();
  const program = runExample('refund-on-telegram', {
    TELEGRAM_BOT_TOKEN: telegram.token,
    TELEGRAM_API_BASE_URL: telegram.url,
    TELEGRAM_MANAGER: '7',
  });
  onTestFinished(async () => {
    program.kill('SIGTERM');
    await telegram.close();
    await program.finished();
  });
  await program.shows('Write to the bot');
  const said = (chat: number) => telegram.said(chat).map(({ text }) => text);
  telegram.writesLater('hello', 7);
  await expect.poll(() => said(7).join()).toContain('Which order?');
  telegram.writesLater('refund 12345, please', 1);
  await expect.poll(() => said(7).join()).toContain('Order: 12345');
  telegram.pressesLater('Refund', 7);
  await expect.poll(() => said(1).join()).toContain('Order 12345: refunded.');
  await expect.poll(() => said(7).join()).toContain('Answered by Person 7: Refund');
  expect(telegram.said(7).flatMap(({ buttons }) => buttons)).toEqual([]);
});

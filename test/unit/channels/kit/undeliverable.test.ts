/** What cannot be delivered is tried no more, and text for one person is shown to nobody else. */
import { expect, test } from 'vitest';
import { deliverableTo, whisper } from '../../../../src/channels/kit/undeliverable.js';
import { AgentError, type OutgoingMessage } from '../../../../src/index.js';
import { linesLogged } from '../../../support/slack/world.js';

const message = { key: 'k', conversationId: 'c', address: null, text: 'For Ann', shape: { type: 'text' } } as const;

async function whispered(show: (() => Promise<unknown>) | undefined) {
  const { logger, lines } = linesLogged();
  await whisper(message as OutgoingMessage, { channel: 'pager', logger }, show);
  return lines.join();
}

test('an address that cannot be read makes a message undeliverable, and says why', () => {
  expect(deliverableTo(() => 'ann')).toBe('ann');
  const read = () => deliverableTo(() => JSON.parse('{'));
  expect(read).toThrow(expect.objectContaining({ code: 'undeliverable', message: expect.stringContaining('JSON') }));
});

test('a person who is not on the platform, or cannot be reached, is logged without the text', async () => {
  const refused = async () => {
    throw new AgentError('undeliverable', 'The bot is blocked.');
  };
  expect(await whispered(undefined)).toContain('the person is not on this platform');
  expect(await whispered(refused)).toContain('could not be shown to that person');
  for (const show of [undefined, refused]) expect(await whispered(show)).not.toContain('For Ann');
});

test('a failure that may pass rejects, so that it is tried again', async () => {
  const down = async () => {
    throw new Error('down');
  };
  await expect(whispered(down)).rejects.toThrow('down');
  expect(await whispered(async () => 'shown')).toBe('');
});

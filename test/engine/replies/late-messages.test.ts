/** A platform may deliver a message long after it was written: it answers only what its author could have seen. */
import { expect, test } from 'vitest';
import { agent, confirm } from '../../../src/index.js';
import { minute, settle, world } from '../../support/engine.js';
import { ann, Mail } from '../../support/places.js';
import { linesLogged } from '../../support/slack/world.js';

test('a plain message that was written before the question was asked does not answer it, however late it comes', async () => {
  const { replica, clock } = world();
  const web = new Mail('web');
  const answered: unknown[] = [];
  const shop = agent('shop');
  const sure = shop.question('sure', confirm('Refund 48 EUR?'), { onAnswer: (yes) => void answered.push(yes) });
  shop.onMessage(({ message, ask }) => (message === 'refund' ? ask(sure) : undefined));
  await replica({ agents: [shop], channels: [web] });
  const writes = async (id: string, text: string, sentAt: number) => {
    await web.desk?.receive({ id, conversationId: 'web:ann', text, participant: ann, address: 'ann', sentAt });
    await settle();
  };
  const now = clock.now();
  await writes('m1', 'refund', now);
  await writes('m2', 'yes', now - 2 * minute);
  expect(answered).toEqual([]);
  await writes('m3', 'yes', now - minute / 2); // the platform's clock may be a little behind
  expect(answered).toEqual([true]);
  await expect(writes('m4', 'yes', Number.NaN)).rejects.toThrow("A message's sentAt must be a time in ms since 1970");
});

test('nor does it answer a question that stood behind another one when it was written', async () => {
  const { replica, clock } = world();
  const web = new Mail('web');
  const deleted: unknown[] = [];
  const shop = agent('shop');
  const draft = shop.question('draft', confirm('Save a draft?'), { onAnswer: () => 'Saved.' });
  const purge = shop.question('purge', confirm('Delete all?'), { onAnswer: (yes) => void deleted.push(yes) });
  shop.onMessage(async ({ message, ask }) => {
    if (message !== 'go') return `You said ${message}.`;
    await ask(draft);
    return ask(purge);
  });
  await replica({ agents: [shop], channels: [web] });
  const writes = async (id: string, text: string, sentAt: number) => {
    await web.desk?.receive({ id, conversationId: 'web:ann', text, participant: ann, address: 'ann', sentAt });
    await settle();
  };
  await writes('m1', 'go', clock.now());
  const first = clock.now(); // "yes" is typed now, is not delivered, and is typed again
  await clock.advance(5 * minute, settle);
  await writes('m3', 'yes', clock.now());
  expect(web.texts('ann').slice(1)).toEqual(['Saved.', expect.stringContaining('Delete all?')]);
  await writes('m2', 'yes', first);
  expect([deleted, web.texts('ann').at(-1)]).toEqual([[], 'You said yes.']);
  await writes('m4', 'yes', clock.now());
  expect(deleted).toEqual([true]);
});

test('why a typed answer did not count is logged, because a clock may be wrong', async () => {
  const { replica, clock } = world();
  const { logger, lines } = linesLogged();
  const web = new Mail('web');
  const shop = agent('shop');
  const sure = shop.question('sure', confirm('Sure?'), { onAnswer: () => 'Good.' });
  shop.onMessage(({ message, ask }) => (message === 'go' ? ask(sure) : 'Hm.'));
  await replica({ agents: [shop], channels: [web], logger });
  const writes = async (id: string, text: string, sentAt: number) => {
    await web.desk?.receive({ id, text, conversationId: 'web:ann', participant: ann, address: 'ann', sentAt });
    await settle();
  };
  await writes('m1', 'go', clock.now());
  await writes('m2', 'yes', clock.now() - 2 * minute);
  expect(lines.filter((line) => line.includes('a clock is wrong'))).toHaveLength(1);
});

test('by its age it is known to the second, also where the clock of the platform is wrong', async () => {
  const { replica, clock } = world();
  const web = new Mail('web');
  const deleted: unknown[] = [];
  const shop = agent('shop');
  const purge = shop.question('purge', confirm('Delete all?'), { onAnswer: (yes) => void deleted.push(yes) });
  const draft = shop.question('draft', confirm('Save a draft?'), { onAnswer: (_, { ask }) => ask(purge) });
  shop.onMessage(({ message, ask }) => (message === 'go' ? ask(draft) : `You said ${message}.`));
  await replica({ agents: [shop], channels: [web] });
  const writes = async (id: string, text: string, age: number) => {
    const about = { conversationId: 'web:ann', participant: ann, address: 'ann', sentAt: { age } };
    await web.desk?.receive({ id, text, ...about });
    await settle();
  };
  await writes('m1', 'go', 0);
  await clock.advance(5_000, settle); // "yes" is typed now, is not delivered, and is typed again after ten seconds
  await clock.advance(10_000, settle);
  await writes('m3', 'yes', 0);
  expect(web.texts('ann').at(-1)).toContain('Delete all?');
  await clock.advance(2_000, settle);
  await writes('m2', 'yes', 12_000);
  expect([deleted, web.texts('ann').at(-1)]).toEqual([[], 'You said yes.']);
  await clock.advance(5_000, settle);
  await writes('m4', 'yes', 6_000); // typed after the question was shown
  expect(deleted).toEqual([true]);
  for (const age of [-1, '5' as never])
    await expect(writes('m5', 'yes', age)).rejects.toThrow("A message's age must be 0 or a positive number of ms");
});

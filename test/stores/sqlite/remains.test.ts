/** What is left of a sensitive answer in the files, by their bytes. */
import { existsSync, readFileSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { AgentRegistry, agent, text } from '../../../src/index.js';
import { SqliteStore } from '../../../src/stores/sqlite/index.js';
import { freshPath } from '../../support/sqlite-store.js';
import { silent } from '../../support/store.js';

test('a sensitive answer is in none of the files after the sweep that follows its handler, before stop()', async () => {
  const path = freshPath();
  const secret = 'hunter2-hunter2';
  const desk = agent('desk');
  const password = desk.question('password', text('Your password?'), { sensitive: true, onAnswer: () => 'Thanks.' });
  desk.onMessage(({ ask }) => ask(password));
  const registry = new AgentRegistry({ agents: [desk], store: new SqliteStore({ path, logger: silent }) });
  onTestFinished(() => registry.stop());
  const says = (id: string, said: string) =>
    registry.handle({ id, conversationId: 'c', text: said, participant: { id: 'web:anna' } });
  const holding = () =>
    ['', '-wal', '-shm'].filter((more) => existsSync(path + more) && readFileSync(path + more).includes(secret));

  await says('1', 'go');
  expect((await says('2', secret)).outputs.map((output) => output.text)).toEqual(['Thanks.']);
  expect(holding()).toEqual(['-wal']); // it was written before the handler ran
  await registry.sweep();
  expect(holding()).toEqual([]);
});

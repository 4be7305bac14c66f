/** Code that waits for answers, with several processes on one Redis. */
import { expect, test } from 'vitest';
import { redisForFile } from '../../support/for-file.js';
import { patience } from '../../support/processes.js';
import { fresh } from '../../support/replica/world.js';
import { WaitingProcess } from './waiting-process.js';

const { server } = await redisForFile();
const begin = (more?: { readonly works?: boolean }) => WaitingProcess.begin(server, more);

test('a waiter in one process is woken by the answer that another process reads', async () => {
  const [waiter, worker] = await Promise.all([begin(), begin({ works: true })]);
  const to = fresh('anna');
  const outcome = waiter.call('askAndWait', to);
  await Promise.race([waiter.shows(to), worker.shows(to)]);
  await worker.says(to, '7');
  expect(await outcome).toMatchObject({ status: 'answered', value: 7 });
});

test('killed while it waits: the ask stays, and wait() in another process gets the answer', async () => {
  const [first, second] = await Promise.all([begin(), begin()]);
  const to = fresh('anna');
  first.call('askAndWait', to, { keep: true }).catch(() => undefined);
  const { askId } = await first.shows(to);
  await first.kill();
  const value = second.call('wait', askId);
  await second.says(to, '5');
  expect(await value).toBe(5);
});

test('a turn that waits is killed: another replica runs it again, asks nothing twice, and books once', async () => {
  const [a, b] = await Promise.all([begin({ works: true }), begin({ works: true })]);
  const room = fresh('room');
  await a.says(room, 'book');
  const began = async (replica: WaitingProcess) => {
    const { began: attempt } = await replica.process.next<{ began?: number }>(
      (each) => each.began !== undefined,
      patience,
    );
    return { replica, attempt };
  };
  const turns = [began(a), began(b)];
  const { replica: holder } = await Promise.any(turns);
  const other = holder === a ? b : a;
  const shown = [a.shows(room), b.shows(room)];
  await Promise.any(shown);
  await holder.call('idle'); // it has noted that the question was sent
  await holder.kill();
  expect(await turns[other === a ? 0 : 1]).toEqual({ replica: other, attempt: 2 }); // again, and no second question
  await other.says(room, '4');
  expect(await shown[other === a ? 0 : 1]).toMatchObject({ shown: 'Booked 4.' });
});

test('an answer that reaches the other replica is taken out of line by the waiting turn', async () => {
  const [a, b] = await Promise.all([begin({ works: true }), begin({ works: true })]);
  const room = fresh('room');
  await a.says(room, 'book');
  const question = await Promise.any([a.shows(room), b.shows(room)]);
  expect(question).toMatchObject({ shown: 'How many seats?' });
  await b.says(room, '4'); // whichever holds it, one of the two ways is between processes
  expect(await Promise.any([a.shows(room), b.shows(room)])).toMatchObject({ shown: 'Booked 4.' });
});

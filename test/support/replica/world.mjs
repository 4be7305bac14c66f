/**
 * The world outside the library, as one process of its own: a ledger that honours keys, a telephone company and a
 * notebook. It forgets nothing, and outlives the replicas that call it.
 */
import { createServer } from 'node:http';

/** Every call in the order of arrival: { what: 'pay' | 'note' | 'deliver', by, conversationId, … }. */
const calls = [];
/** Answers that are kept back, so that a caller stays where it is. */
const kept = [];
const keys = new Set();
const keeping = new Map();
const expected = [];

const server = createServer((request, response) => {
  let text = '';
  request.setEncoding('utf8').on('data', (part) => {
    text += part;
  });
  request.on('end', () => {
    const call = { what: request.url.slice(1), ...JSON.parse(text) };
    // the first payment under a key moves money, a repeat is told of the first
    const key = `${call.what} ${call.key}`;
    call.repeat = call.key !== undefined && keys.has(key);
    keys.add(key);
    calls.push(call);
    const answer = () => response.end(JSON.stringify({ done: true }));
    const left = keeping.get(call.what) ?? 0;
    if (left > 0) {
      keeping.set(call.what, left - 1);
      kept.push(answer);
    } else answer();
    process.send(call);
    for (const each of expected.filter(isReached)) process.send({ reached: each.reached });
    expected.splice(0, expected.length, ...expected.filter((each) => !isReached(each)));
  });
});
server.keepAliveTimeout = 60_000;

const isReached = ({ what, count }) => calls.filter((call) => call.what === what).length >= count;

process.on('message', ({ keep, release, report, reached, what, count }) => {
  if (keep !== undefined) keeping.set(keep, 1);
  if (release) for (const answer of kept.splice(0)) answer();
  if (report !== undefined) process.send({ report, calls });
  if (reached !== undefined) {
    if (isReached({ what, count })) process.send({ reached });
    else expected.push({ reached, what, count });
  }
});
process.on('disconnect', () => process.exit());
server.listen(0, '127.0.0.1', () => process.send({ url: `http://127.0.0.1:${server.address().port}` }));

/**
 * A payment provider as one process of its own. It writes each payment into its book before it answers, and finds the
 * book again when it is started again. A conversation's id says what it does there: 'slow' answers when it is told
 * to, 'dies' ends with a SIGKILL when it has paid for the first time.
 */
import { fsyncSync, openSync, readFileSync, writeSync } from 'node:fs';
import { createServer } from 'node:http';

const { book, port, honours } = JSON.parse(process.argv[2]);
const file = openSync(book, 'a+');
const lines = readFileSync(book, 'utf8').split('\n').filter(Boolean);
const keys = new Set(lines.map((line) => JSON.parse(line).key));

let isSlow = true;
const held = [];

const goes = (conversationId, how) => conversationId.split('-').includes(how);

const server = createServer((request, response) => {
  let text = '';
  request.setEncoding('utf8').on('data', (part) => {
    text += part;
  });
  request.on('end', () => {
    const call = JSON.parse(text);
    const known = keys.has(call.key);
    keys.add(call.key);
    writeSync(file, `${JSON.stringify({ what: 'pay', ...call, repeat: honours && known, honours })}\n`);
    fsyncSync(file);
    if (!known && goes(call.conversationId, 'dies')) process.kill(process.pid, 'SIGKILL');
    const answer = () => response.end('{}');
    if (isSlow && goes(call.conversationId, 'slow')) held.push(answer);
    else answer();
  });
});
process.on('message', () => {
  isSlow = false;
  for (const answer of held) answer();
});
process.on('disconnect', () => process.exit());
server.listen(port, '127.0.0.1', () => process.send({ port: server.address().port }));

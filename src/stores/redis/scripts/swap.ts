/**
 * swap: a step of which the client knows the outcome, because it knows the control record: it is compared by its beginning,
 * and what the step makes of it is put in its place. To unpack, change and pack it here would cost the server twice as much.
 * Whatever is not as the client thinks is left to take and save, and nothing has been written then.
 */
import { forEach } from './control.js';
import { Numbers, reading } from './numbers.js';
import { beginning } from './record.js';

/** Sets the numbers and first texts of a step, unless something is not as expected; behind `p` are the others. */
const compared = (numbers: Numbers) => `
local p = first
${reading(numbers)}
if guess - now > off or now - guess > off
  or redis.call('GETRANGE', key, '0', '${beginning - 1}') ~= ARGV[p + 1] then return 0 end
local record, id, root = ARGV[p + 2], string.sub(key, -size), string.sub(key, 1, -size - 3)
p = p + 2
`;

/** `guess`: the server's time as the client knows it, and by how many ms it may be wrong. `size`: of the conversation's id. */
export const swapTakeNumbers = new Numbers({ guess: 'time', off: 'number', size: 'count' });

/**
 * KEYS    conversations
 * ARGV    for each its head; the beginning of the record, the record to be, the end of the lease
 * Returns for each the server's time, or 0: it is not for this script
 */
export const swapTake = forEach(
  'refused-when-full',
  `
${compared(swapTakeNumbers)}
redis.call('ZADD', root .. 'due', ARGV[p + 1], id)
redis.call('SET', key, record)
return now
`,
);

/**
 * The same for a conversation that is new: nothing is there, and nothing is left of an earlier life.
 *
 * KEYS    conversations
 * ARGV    for each its head; the record to be, the end of the lease
 * Returns for each the server's time, or 0: it is not for this script
 */
export const begin = forEach(
  'refused-when-full',
  `
local p = first
${reading(swapTakeNumbers)}
if guess - now > off or now - guess > off or redis.call('EXISTS', key, key .. ':r') > 0 then return 0 end
redis.call('ZADD', string.sub(key, 1, -size - 3) .. 'due', ARGV[p + 2], string.sub(key, -size))
redis.call('SET', key, ARGV[p + 1])
return now
`,
);

export const swapSaveNumbers = new Numbers({
  guess: 'time', // this and the next two: as above
  off: 'number',
  size: 'count',
  joined: 'flag', // 1: somebody takes part who did not
  ends: 'count', // how many keys get a time to live, if nothing is left to do
  withdrawn: 'flag',
  others: 'flag', // 1: there may be other outputs than the one that is withdrawn
  outputs: 'count',
  history: 'count',
  opened: 'count',
  settled: 'count',
  moves: 'flag', // in due: 0 it stays where it is, 1 it gets a place, 2 it leaves
});

/**
 * KEYS    conversations
 * ARGV    for each its head; the beginning of the record, the record to be; who joined; key and channel of what is
 *         withdrawn; per output its key, its record, its channel, when it is free; history; per opened ask id and time;
 *         per settled ask id and record; the place in due; keys without their beginning that run out; when something
 *         runs out, that time
 * Returns for each the server's time, or 0: it is not for this script
 */
export const swapSave = forEach(
  'allow-oom',
  `
${compared(swapSaveNumbers)}
if joined == 1 then
  p = p + 1
  if redis.call('SETNX', root .. 'p:' .. ARGV[p], id) == 0 then return 0 end -- further conversations are kept otherwise
end
local outbox = key .. ':o'
if others == 1 and (ends > 0 or withdrawn > 0) then
  local left = redis.call('HLEN', outbox)
  if ends > 0 and left > withdrawn then return 0 end
  if left > 0 and withdrawn > 0 then
    left = left - redis.call('HDEL', outbox, ARGV[p + 1])
    if ends > 0 and left > 0 then return 0 end -- it was another
    -- what is left is of the same channel
    if left == 0 then redis.call('ZREM', root .. 'unsent:' .. ARGV[p + 2], id) end
  end
elseif withdrawn > 0 and redis.call('HDEL', outbox, ARGV[p + 1]) == 1 then
  redis.call('ZREM', root .. 'unsent:' .. ARGV[p + 2], id)
end
p = p + 2 * withdrawn
for _ = 1, outputs do
  if redis.call('HSETNX', outbox, ARGV[p + 1], ARGV[p + 2]) == 1 then
    redis.call('ZADD', root .. 'unsent:' .. ARGV[p + 3], 'LT', ARGV[p + 4], id)
  end
  p = p + 4
end
if history > 0 then redis.call('RPUSH', key .. ':h', unpack(ARGV, p + 1, p + history)) end
p = p + history
local over = ARGV[last]
local pointer
for i = 1, opened do
  local ask = ARGV[p + 1]
  redis.call('ZADD', root .. 'open', ARGV[p + 2], ask .. ':' .. id)
  pointer = root .. 'a:' .. ask
  if i < opened or ends > 0 then redis.call('SET', pointer, '>' .. id) end -- or together with the record
  p = p + 2
end
for _ = 1, settled do
  local ask = ARGV[p + 1]
  redis.call('SET', root .. 'a:' .. ask, ARGV[p + 2], 'PXAT', over)
  redis.call('ZREM', root .. 'open', ask .. ':' .. id)
  p = p + 2
end
if moves == 1 then
  p = p + 1
  redis.call('ZADD', root .. 'due', ARGV[p], id)
elseif moves == 2 then
  redis.call('ZREM', root .. 'due', id)
end
if ends == 0 and pointer then
  redis.call('MSET', pointer, '>' .. id, key, record)
elseif ends == 0 then
  redis.call('SET', key, record)
else
  for i = p + 1, p + ends do redis.call('PEXPIREAT', root .. ARGV[i], over) end
  redis.call('SET', key, record, 'PXAT', over)
end
return now
`,
);

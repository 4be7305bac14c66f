/**
 * The Lua of the store. One script applies steps: it compares a conversation's record by its stamp, checks what the caller
 * guessed of what is beside the record, and then runs the commands it was given. No rule is written here: what a step
 * makes of a conversation was decided by stores/lifecycle before. The other scripts only read.
 */

import { changesKept } from '../lifecycle/ports.js';
import { afterDeadlines } from '../pages.js';

/** A little longer than readers rely on: the clocks of several servers differ. */
const changesStored = changesKept + 60_000;

/** The length of the stamp that a record begins with. */
export const stampSize = 16;

/** What is expected of a read: whatever it finds is wanted; it must find nothing; it must count less than a limit. */
export const wanted = 0;
export const absent = 1;
export const below = 2;

/** What became of a step. */
export const missed = 0;
export const applied = 1;
/** It had been applied before: the client sent it again after a lost reply. Its reads found what is there now. */
export const repeated = 2;
/** It was not tried, because an earlier step of its conversation was missed. */
export const heldBack = 3;

/** Commands that are more than a command of Redis. */
export const pushEntry = 'PUSH';
export const setPerson = 'PERSON';
export const openAsk = 'OPEN';
export const settleAsk = 'SETTLE';
export const unlistSettled = 'UNLIST';
export const putChange = 'CHANGE';

const clock = `
local t = redis.call('TIME')
local now, micros = t[1] * 1000 + math.floor(t[2] / 1000), t[1] * 1000000 + t[2]
`;

/**
 * Applies steps, each whole or not at all. Steps of one conversation are applied in their order: behind one that was
 * missed, or that failed, none of the same conversation is tried.
 *
 * KEYS    the record of each step; on a Cluster then every other key that is touched, so that Redis runs it where all are
 * ARGV    the steps in MessagePack, each a list: its name, for MONITOR; how much of its key's end is its own and not its bucket's; the stamp that
 *         the record must have, '' for no record; the time as the caller estimates it; by how much that may be late;
 *         reads; writes; writes to lists; the new record, or ''; when it expires, or ''.
 *         A read is a list: what is expected, the limit, a command, a key, arguments. A write is a list: a command, a key,
 *         arguments. A key that is empty or begins with a colon continues that of the record, any other that of the bucket.
 * Returns for each step the server's time if it was applied; { time, applied | repeated, false, what reads found … } if
 *         some of that is wanted; { time, missed, the record there is or nil, what reads found … }; { time, held back };
 *         or an error
 * Repeat  a step that wrote a record is known by its stamp; one that wrote none has a read that misses
 *
 * A command fails only where a key holds something of another type, which is not ours. Then the record is not written, and
 * of what was, everything can be written again: commands that cannot, those to lists, come last, and a second list is looked at
 * before.
 */
const body = `
local call, unpack, byte, sub = redis.call, unpack, string.byte, string.sub
${clock}
local skipped = {}

local function keyOf(s, part)
  local first = byte(part)
  if not first or first == 58 then return s.key .. part end
  return sub(s.key, 1, -1 - s[2]) .. part
end

local own = {}
-- An entry gets the server's time: other processes may know it better than the caller.
function own.${pushEntry}(s, w) call('RPUSH', s.key .. ':q', string.format('%.0f', now) .. ',' .. w[3]) end
-- Somebody takes part in a conversation until a time ('' for ever, '0' no more). Nearly everybody has one conversation in a
-- bucket, for which a string is enough; further ones are in a set, which lives as long as the last of them.
function own.${setPerson}(s, w)
  local one, also, id, ends = keyOf(s, 'p:' .. w[2]), keyOf(s, 'also:' .. w[2]), w[3], w[4]
  if ends == '' and call('SETNX', one, id) == 1 then return end
  local has = call('GET', one)
  if has == id and ends == '0' then call('DEL', one) end
  if ends ~= '0' and (has == id or not has) then
    if ends == '' then call('PERSIST', one) elseif has then call('PEXPIREAT', one, ends) else call('SET', one, id, 'PXAT', ends) end
  else
    if ends == '0' then call('ZREM', also, id) else call('ZADD', also, ends == '' and '+inf' or ends, id) end
    local last = call('ZREVRANGE', also, '0', '0', 'WITHSCORES')[2]
    if last == 'inf' then call('PERSIST', also) elseif last then call('PEXPIREAT', also, last) end
  end
end

-- Removes members of the bucket's settled asks whose records are gone. Says until when the last one of them is kept.
local function trim(key, members)
  local last = 0
  for _, member in ipairs(members) do
    last = tonumber(string.match(member, '%d+$'))
    if last <= now then call('ZREM', key, member) end
  end
  return last
end

-- An ask goes to the end of its bucket's changes. Their scores are the server's time in microseconds, and each is higher than all before,
-- also where a clock is set back: a reader goes by them. The first one of each minute drops old ones and renews the key's time.
local function putChange(s, member)
  local log = keyOf(s, 'changes')
  local last = tonumber(call('ZREVRANGE', log, '0', '0', 'WITHSCORES')[2] or 0)
  call('ZADD', log, string.format('%.0f', math.max(micros, last + 1)), member)
  if math.floor(micros / 60000000) == math.floor(last / 60000000) then return end
  call('ZREMRANGEBYSCORE', log, '-inf', string.format('%.0f', micros - ${changesStored * 1000}))
  call('PEXPIRE', log, '${changesStored + 60_000}')
end

-- The conversation of a step follows the short id of an ask in members of lists.
local function memberOf(s, id) return id .. ':' .. sub(s.key, 2 - s[2]) end

-- With a third argument, even an empty one, the change names no conversation: that was erased.
function own.${putChange}(s, w) putChange(s, w[3] and w[2] .. ':' or memberOf(s, w[2])) end

-- An ask is open: its id leads to its conversation, and it is listed by time and by deadline.
function own.${openAsk}(s, w)
  local id, member = w[2], memberOf(s, w[2])
  call('SET', keyOf(s, 'a:' .. id), '>' .. sub(s.key, 2 - s[2]))
  call('ZADD', keyOf(s, 'open'), w[3], member)
  call('ZADD', keyOf(s, 'deadline'), w[4], member)
  putChange(s, member)
end

-- An ask is replaced by its record until a time. Its id is listed under the conversation as long as one such record is kept, and
-- among all settled asks of the bucket, whose oldest are looked at: each settled ask adds one and removes up to two. Where the
-- oldest are kept for longer than this one, which a shorter retention brings about, two others are looked at as well.
function own.${settleAsk}(s, w)
  local id, ends, all, log = w[2], w[4], s.key .. ':a', keyOf(s, 'settled')
  call('SET', keyOf(s, 'a:' .. id), w[3], 'PXAT', ends)
  local member = memberOf(s, id)
  call('ZREM', keyOf(s, 'open'), member)
  call('ZREM', keyOf(s, 'deadline'), member)
  putChange(s, member)
  if call('ZADD', all, 'NX', ends, id) == 0 then -- settled before
    call('ZREM', log, id .. ':' .. call('ZSCORE', all, id))
    call('ZADD', all, ends, id)
  end
  if call('PEXPIREAT', all, ends, 'NX') == 0 then call('PEXPIREAT', all, ends, 'GT') end
  local oldest = call('ZRANGE', log, '0', '1')
  call('ZADD', log, w[5], id .. ':' .. ends)
  if #oldest == 0 then call('PEXPIREAT', log, ends) else call('PEXPIREAT', log, ends, 'GT') end
  if trim(log, oldest) > tonumber(ends) then trim(log, call('ZRANDMEMBER', log, '2')) end
end

-- The settled asks of a conversation are not listed any more.
function own.${unlistSettled}(s)
  local found, log = call('ZRANGE', s.key .. ':a', '0', '-1', 'WITHSCORES'), keyOf(s, 'settled')
  for i = 1, #found, 2 do call('ZREM', log, found[i] .. ':' .. found[i + 1]) end
end

local function write(s, w)
  local special = own[w[1]]
  if special then special(s, w) else call(w[1], keyOf(s, w[2]), unpack(w, 3)) end
end

local function step(s)
  local key, guess, reads, writes, lists, record = s.key, s[4], s[6], s[7], s[8], s[9]
  if skipped[key] then return { now, ${heldBack} } end
  local stamp = call('GETRANGE', key, '0', '${stampSize - 1}')
  local fits = stamp == s[3] and guess - now <= 2 and now - guess <= s[5]
  local isRepeat = not fits and record ~= '' and stamp == sub(record, 1, ${stampSize})
  local found
  local tells = false
  if #reads > 0 then
    found = { now, ${applied}, false }
    for i = 1, #reads do
      local r = reads[i]
      local value = call(r[3], keyOf(s, r[4]), unpack(r, 5))
      local expected = r[1]
      if expected == ${wanted} then tells = true
      elseif expected == ${absent} then
        if value and value ~= 0 then fits = false end
      elseif value >= r[2] then fits = false end
      found[i + 3] = value
    end
  end
  if isRepeat then
    if not tells then return now end
    found[2] = ${repeated}
    return found
  end
  if not fits then
    skipped[key] = true
    found = found or { now }
    found[2], found[3] = ${missed}, call('GET', key)
    return found
  end
  for i = 2, #lists do
    if lists[i][2] ~= lists[1][2] then call('LLEN', keyOf(s, lists[i][2])) end
  end
  for i = 1, #writes do write(s, writes[i]) end
  for i = 1, #lists do write(s, lists[i]) end
  if record ~= '' then
    if s[10] == '' then call('SET', key, record) else call('SET', key, record, 'PXAT', s[10]) end
  end
  return tells and found or now
end

local answers = {}
for i, s in ipairs(cmsgpack.unpack(ARGV[1])) do
  s.key = KEYS[i]
  local isDone, answer = pcall(step, s)
  if not isDone then
    skipped[s.key] = true
    if type(answer) ~= 'table' then answer = { err = answer } end
  end
  answers[i] = answer
end
return answers
`;

/** Redis refuses it when it is out of memory. */
export const applySteps = `#!lua\n${body}`;
/** The same, for steps that must get through even then. */
export const applyAnyway = `#!lua flags=allow-oom\n${body}`;

/**
 * Reads a conversation.
 * KEYS    the record; on a Cluster also the other keys
 * ARGV    in MessagePack, a list of reads: each a command, a key as it continues that of the record, arguments
 * Returns { time, the record or nil, what each read found }
 */
export const readConversation = `#!lua flags=no-writes
${clock}
local found = { now, redis.call('GET', KEYS[1]) }
for i, r in ipairs(cmsgpack.unpack(ARGV[1])) do found[i + 2] = redis.call(r[1], KEYS[1] .. r[2], unpack(r, 3)) end
return found
`;

/**
 * What is up to now in sorted sets by time.
 * KEYS    sorted sets
 * ARGV    limit
 * Returns { time, member, … }
 */
export const upToNow = `#!lua flags=no-writes
${clock}
local found, left = { now }, tonumber(ARGV[1])
for _, key in ipairs(KEYS) do
  if left <= 0 then break end
  local members = redis.call('ZRANGEBYSCORE', key, '-inf', now, 'LIMIT', 0, left)
  for _, each in ipairs(members) do found[#found + 1] = each end
  left = left - #members
end
return found
`;

/**
 * KEYS    a history, the number of its first item
 * ARGV    limit, the number before which to read or -1
 * Returns { number of the page's first item, number of the first item that is kept, items }
 */
export const readHistory = `#!lua flags=no-writes
local limit, before, first = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(redis.call('GET', KEYS[2]) or 0)
local stop = first + redis.call('LLEN', KEYS[1])
if before >= 0 and before < stop then stop = math.max(first, before) end
local start = math.max(first, stop - limit)
if stop <= start then return { start, first, {} } end
return { start, first, redis.call('LRANGE', KEYS[1], start - first, stop - first - 1) }
`;

/**
 * KEYS    a history, the number of its first item
 * ARGV    the number to read from, limit
 * Returns { number of the first item, items }
 */
export const readHistoryFrom = `#!lua flags=no-writes
local first = tonumber(redis.call('GET', KEYS[2]) or 0)
local start = math.min(math.max(tonumber(ARGV[1]), first), first + redis.call('LLEN', KEYS[1]))
if ARGV[2] == '0' then return { start, {} } end
return { start, redis.call('LRANGE', KEYS[1], start - first, start - first + ARGV[2] - 1) }
`;

/**
 * KEYS[1] the ids of a conversation's settled asks
 * Returns those whose record is still kept
 */
export const readSettled = `#!lua flags=no-writes
${clock}
return redis.call('ZRANGEBYSCORE', KEYS[1], now + 1, '+inf')
`;

/**
 * KEYS    the ids of a conversation's settled asks, the bucket's settled asks
 * Returns { id:end, time of the decision, … } of those whose record is still kept, in any order
 */
export const readSettledOf = `#!lua flags=no-writes
${clock}
local kept, found = redis.call('ZRANGEBYSCORE', KEYS[1], now + 1, '+inf', 'WITHSCORES'), {}
for i = 1, #kept, 2 do
  local member = kept[i] .. ':' .. kept[i + 1]
  local at = redis.call('ZSCORE', KEYS[2], member)
  if at then
    found[#found + 1] = member
    found[#found + 1] = at
  end
end
return found
`;

/**
 * KEYS[1] the bucket's settled asks
 * ARGV    limit, the time to start at or +inf, the earliest time
 * Returns { id:end, time of the decision, … }: everything at exactly that time, then up to limit earlier ones
 */
export const readSettledDown = `#!lua flags=no-writes
local limit, from, least = ARGV[1], ARGV[2], ARGV[3]
local found = from == '+inf' and {} or redis.call('ZRANGEBYSCORE', KEYS[1], from, from, 'WITHSCORES')
local earlier = redis.call('ZREVRANGEBYSCORE', KEYS[1], '(' .. from, least, 'WITHSCORES', 'LIMIT', 0, limit)
for _, each in ipairs(earlier) do found[#found + 1] = each end
return found
`;

/**
 * KEYS[1] the bucket's open or parked
 * ARGV    limit, the time to start at or -inf
 * Returns { id:conversation, time, … }: everything at exactly that time, then up to limit later ones
 */
export const readListing = `#!lua flags=no-writes
local limit, from = ARGV[1], ARGV[2]
if from == '-inf' then return redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', '+inf', 'WITHSCORES', 'LIMIT', 0, limit) end
local found = redis.call('ZRANGEBYSCORE', KEYS[1], from, from, 'WITHSCORES')
for _, each in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], '(' .. from, '+inf', 'WITHSCORES', 'LIMIT', 0, limit)) do
  found[#found + 1] = each
end
return found
`;

/**
 * Lists open asks by deadline that an earlier build has opened, as asks without one, and takes off what it has settled.
 * KEYS    the bucket's open asks, the same by deadline
 * Returns nothing
 * Repeat  finds nothing to do
 */
export const relistDeadlines = `#!lua flags=allow-oom
local open, deadline = KEYS[1], KEYS[2]
if redis.call('ZCARD', open) == redis.call('ZCARD', deadline) then return end
local missing = redis.call('ZDIFF', '2', open, deadline, 'WITHSCORES')
for i = 1, #missing, 2 do
  redis.call('ZADD', deadline, string.format('%.0f', ${afterDeadlines} + missing[i + 1]), missing[i])
end
for _, member in ipairs(redis.call('ZDIFF', '2', deadline, open)) do redis.call('ZREM', deadline, member) end
`;

/**
 * KEYS    changes of buckets
 * ARGV    limit, the score after which to read in each of them, or -1 to read nothing
 * Returns { time, for each { the score of the last change, { id:conversation, score, … } } … }
 */
export const readChanges = `#!lua flags=no-writes
${clock}
local answers = { now }
for i, key in ipairs(KEYS) do
  local after, found = ARGV[i + 1], {}
  local last = redis.call('ZREVRANGE', key, '0', '0', 'WITHSCORES')[2] or '0'
  if after ~= '-1' and after ~= last then
    found = redis.call('ZRANGEBYSCORE', key, '(' .. after, '+inf', 'WITHSCORES', 'LIMIT', '0', ARGV[1])
  end
  answers[i + 1] = { last, found }
end
return answers
`;

/**
 * Compares and sets a kept value.
 * KEYS[1] the value
 * ARGV    what must be there, what is to be there, each '' for nothing or = and the value; for how long, in ms
 * Returns what is there afterwards, in the same way
 * Repeat  finds its own value and writes nothing
 */
export const swapValue = `#!lua
local found = redis.call('GET', KEYS[1])
found = found and '=' .. found or ''
if found ~= ARGV[1] then return found end
if ARGV[2] == '' then redis.call('DEL', KEYS[1]) else redis.call('SET', KEYS[1], string.sub(ARGV[2], 2), 'PX', ARGV[3]) end
return ARGV[2]
`;

/**
 * KEYS    a participant's conversation in one bucket, and further ones
 * Returns those that are still kept; one may be there twice
 */
export const readPerson = `#!lua flags=no-writes
${clock}
local found = redis.call('ZRANGEBYSCORE', KEYS[2], now + 1, '+inf')
local first = redis.call('GET', KEYS[1])
if first then found[#found + 1] = first end
return found
`;

/**
 * Tells whoever listens. A script, because on a Cluster it has a node of its own and hints stay in order.
 * KEYS[1] only leads to a node
 * ARGV    the channel (the client puts its key prefix to keys, not to channels), the hint
 * Returns how many heard it on that node
 */
export const publish = `#!lua flags=allow-oom
return redis.call('PUBLISH', ARGV[1], ARGV[2])
`;

/**
 * The Lua of the store. One script applies steps: it compares a conversation's record by its stamp, checks what the caller
 * assumed of what is beside the record, and then writes the rows it was given. No rule is written here: what a step makes
 * of a conversation was decided by stores/rules before. The other scripts only read, or keep the outbox.
 */

import { changesKept } from '../rules/changes.js';

/** A little longer than readers rely on: the clocks of several servers differ. */
const changesStored = changesKept + 60_000;

/** The length of the stamp that a record begins with. */
export const stampSize = 16;
/** Behind the stamp: a document that is not long follows the record, or a long one is in a key of its own. */
export const documentInside = '-';
export const documentBeside = '+';
/** The length of all that is before the record: behind that sign, how long the record is without its document, in UTF-16 units and to the base of 36. */
export const headSize = stampSize + 1 + 5;

/** What became of a step. */
export const missed = 0;
export const applied = 1;
/** It had been applied before: the client sent it again after a lost reply. Its reads found what is there now. */
export const repeated = 2;
/** It was not tried, because an earlier step of its conversation was missed. */
export const heldBack = 3;

const clock = `
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
`;

/** A record as it is stored, with its document. */
const whole = `
local function whole(key)
  local value = redis.call('GET', key)
  if value and string.sub(value, ${stampSize + 1}, ${stampSize + 1}) == '${documentBeside}' then
    return value .. (redis.call('GET', key .. ':d') or '')
  end
  return value
end
`;

/**
 * What ends with a record.
 * list    A participant is found in a conversation until a time ('' for ever, 0 for no more). Nearly every participant has one conversation
 *         in a bucket, for which a string is enough; further ones are in a set, which lives as long as the last of them.
 * expire  A key of a conversation, or one of its participants, ends then ('' for never).
 */
const listings = `
local function list(one, conversation, ends)
  local has = redis.call('GET', one)
  if ends ~= '0' and (not has or has == conversation) then
    if not has then redis.call('SET', one, conversation) end
    if ends ~= '' then redis.call('PEXPIREAT', one, ends) elseif has then redis.call('PERSIST', one) end
    return
  end
  if has == conversation then redis.call('DEL', one) end
  local also = string.gsub(one, '}:p:', '}:also:', 1)
  if ends == '0' then redis.call('ZREM', also, conversation)
  else redis.call('ZADD', also, ends == '' and '+inf' or ends, conversation) end
  local last = redis.call('ZREVRANGE', also, '0', '0', 'WITHSCORES')[2]
  if last == 'inf' then redis.call('PERSIST', also) elseif last then redis.call('PEXPIREAT', also, last) end
end
local function expire(key, conversation, ends)
  if string.find(key, '}:p:', 1, true) then list(key, conversation, ends)
  elseif ends == '' then redis.call('PERSIST', key)
  else redis.call('PEXPIREAT', key, ends) end
end
`;

/**
 * Applies steps, each whole or not at all. Steps of one conversation are applied in their order: behind one that was
 * missed, or that failed, none of the same conversation is tried.
 *
 * KEYS    on a Cluster all keys of the steps, else one of them
 * ARGV    the latest time that a caller estimates, and until when all of the estimates are good enough; then
 *         for each step two: how to read its strings (struct.unpack), and the strings:
 *           its name, for MONITOR, with a ? if it has reads; its record's key; its bucket's due; the conversation, as in keys
 *           the stamp that the record must have, '' for no record, ? to only read; the record, '' if it stays as it is
 *           when it wants a holder, or ''
 *           reads, each: a command, a key, = and its argument or '', a limit: '' if what it finds is wanted, else it must find nothing, or count less; ''
 *           rows, each: its name, its keys, its fields (see rows below)
 * Returns for each step the server's time if it was applied; { time, applied | repeated, false, what reads found … } if
 *         some of that is wanted; { time, missed, the record there is or nil, what reads found … }; { time, held back };
 *         or an error
 * Repeat  a step that wrote a record is known by its stamp; one that wrote none has a read that misses
 *
 * A command fails only where a key holds something of another type, which is not ours. Then the record is not written, and
 * of what was, everything can be written again: rows that cannot, those of lists, come last.
 */
const body = `
local call, unpack, sub = redis.call, unpack, string.sub
${clock}
local A, a, key, id, expires, tail, skipped, rows = nil, 0, nil, nil, '', '', {}, {}
local time = string.format('%.0f', now) .. ','
local function minuteOf(timed) return math.floor(tonumber(string.match(timed, '^%d+')) / 60000) end

${whole}
${listings}
-- Changes are numbered by their place in a list that grows at its end. With the first one of each minute old ones are dropped from its
-- beginning, and counted, and its time is renewed. The numbers of a list that begins go on from the time in microseconds, which no place
-- of an earlier one has reached.
local function change(log, member)
  local count = call('RPUSH', log, time .. member)
  local dropped = log .. ':dropped'
  if count == 1 then call('SET', dropped, string.format('%.0f', now * 1000))
  elseif minuteOf(call('LINDEX', log, '-2')) == minuteOf(time) then return end
  local old = 0
  for i, each in ipairs(call('LRANGE', log, '0', '1023')) do
    if tonumber(string.match(each, '^%d+')) > now - ${changesStored} then break end
    old = i
  end
  if old > 0 then
    call('LTRIM', log, old, '-1')
    call('INCRBY', dropped, old)
  end
  call('PEXPIRE', log, '${changesStored + 60_000}')
  call('PEXPIRE', dropped, '${changesStored + 60_000}')
end

-- A key lives as long as the last of its members
local function keepUntil(key, ends)
  if call('PEXPIREAT', key, ends, 'GT') == 0 then call('PEXPIREAT', key, ends, 'NX') end
end

-- History; how many items, items
function rows.history()
  local n = tonumber(A[a + 2])
  call('RPUSH', A[a + 1], unpack(A, a + 3, a + 2 + n))
  a = a + 2 + n
end
-- Nothing: it fails now if the key holds no list, and not behind a row that cannot be written again
function rows.list()
  call('LLEN', A[a + 1])
  a = a + 1
end
-- When the record expires, or '' for never, and how many other keys that goes for. But as long as an output is unsent nothing ends:
-- then it is written down what ends when the last one has gone out, and how much later.
-- When, how much later, how many, those
function rows.ends()
  local later, first, last = A[a + 2], a + 4, a + 3 + tonumber(A[a + 3])
  expires = A[a + 1]
  if expires ~= '' and call('EXISTS', key .. ':o') == 1 then
    expires = ''
    call('SET', key .. ':e', id .. '\\n' .. later .. '\\n' .. table.concat(A, '\\n', first, last))
  elseif expires ~= '' or call('DEL', key .. ':e') == 0 then
    for i = first, last do expire(A[i], id, expires) end
  end
  a = last
end
-- The record goes on with the document that is there, which is not long; its length
function rows.append()
  tail = call('GETRANGE', key, '-' .. A[a + 1], '-1')
  a = a + 1
end
-- outputs, unsent of its channel; its key, place : channel : data, from when it is free, its member of unsent
function rows.output()
  if call('HSETNX', A[a + 1], A[a + 3], A[a + 4]) == 1 then call('ZADD', A[a + 2], A[a + 5], A[a + 6]) end
  a = a + 6
end
-- Outputs; its key, what the bucket's keys begin with
function rows.withdraw()
  local outputs, name = A[a + 1], A[a + 2]
  local kept = call('HGET', outputs, name)
  if kept then
    call('HDEL', outputs, name)
    local place, channel = string.match(kept, '^([^:]*):([^:]*):')
    call('ZREM', A[a + 3] .. 'unsent:' .. channel, id .. ':' .. place .. ':' .. name)
  end
  a = a + 3
end
-- pointer, open, changes; > and the conversation, its member, when it was asked
function rows.open()
  call('SET', A[a + 1], A[a + 4])
  call('ZADD', A[a + 2], A[a + 6], A[a + 5])
  change(A[a + 3], A[a + 5])
  a = a + 6
end
-- deadline; its member, the deadline
function rows.deadline()
  call('ZADD', A[a + 1], A[a + 3], A[a + 2])
  a = a + 3
end
-- changes; its member
function rows.change()
  change(A[a + 1], A[a + 2])
  a = a + 2
end
-- Removes members of the bucket's settled asks whose records are gone. Says until when the last one of them is kept.
local function trim(log, members)
  local last = 0
  for _, member in ipairs(members) do
    last = tonumber(string.match(member, '%d+$'))
    if last <= now then call('ZREM', log, member) end
  end
  return last
end
-- An ask is replaced by its record until a time. The oldest of the bucket's settled asks are looked at: each settled ask adds one and
-- removes up to two. Where the oldest are kept for longer than this one, which a shorter retention brings about, two others are as well.
-- Pointer, undated, changes, settled of the conversation, settled of the bucket
-- = and the record, its end, when it was decided, its member, its id, what the bucket's keys begin with
function rows.settle()
  local all, log, ends, member, short = A[a + 4], A[a + 5], A[a + 7], A[a + 9], A[a + 10]
  call('SET', A[a + 1], A[a + 6], 'PXAT', ends)
  if call('ZREM', A[a + 2], member) == 0 then
    call('ZREM', A[a + 11] .. 'open', member)
    call('ZREM', A[a + 11] .. 'deadline', member)
  end
  change(A[a + 3], member)
  if call('ZADD', all, 'NX', ends, short) == 0 then -- settled before
    call('ZREM', log, short .. ':' .. call('ZSCORE', all, short))
    call('ZADD', all, ends, short)
  end
  keepUntil(all, ends)
  local oldest = call('ZRANGE', log, '0', '1')
  call('ZADD', log, A[a + 8], short .. ':' .. ends)
  keepUntil(log, ends)
  if trim(log, oldest) > tonumber(ends) then trim(log, call('ZRANDMEMBER', log, '2')) end
  a = a + 11
end
-- A participant is found in the conversation from now on.
-- Their conversation; until when, '' for as long as there is a record, 0 for no more
function rows.person()
  local one, ends = A[a + 1], A[a + 2]
  if ends ~= '' or call('SETNX', one, id) == 0 then list(one, id, ends) end
  a = a + 2
end
-- An entry gets the server's time: other processes may know it better than the caller.
-- Queue; the entry
function rows.enqueue()
  call('RPUSH', A[a + 1], time .. A[a + 2])
  a = a + 2
end
-- What is written seldom is a command. KEYS its key; ARGV how many words, the command, its arguments
function rows.write()
  local n = tonumber(A[a + 2])
  call(A[a + 3], A[a + 1], unpack(A, a + 4, a + 2 + n))
  a = a + 2 + n
end
-- A life is over. Settled of the conversation, settled of the bucket, outputs, changes; what the bucket's keys begin with
function rows.clear()
  local found = call('ZRANGE', A[a + 1], '0', '-1', 'WITHSCORES')
  for i = 1, #found, 2 do call('ZREM', A[a + 2], found[i] .. ':' .. found[i + 1]) end
  found = call('HGETALL', A[a + 3])
  for i = 1, #found, 2 do
    local place, channel = string.match(found[i + 1], '^([^:]*):([^:]*):')
    call('ZREM', A[a + 5] .. 'unsent:' .. channel, id .. ':' .. place .. ':' .. found[i])
  end
  call('UNLINK', A[a + 1], A[a + 3])
  for i, each in ipairs(call('LRANGE', A[a + 4], '0', '-1')) do
    local at, short, whose = string.match(each, '^(%d+,)([^:]*):(.*)$')
    if whose == id then call('LSET', A[a + 4], i - 1, at .. short .. ':') end
  end
  a = a + 5
end

local isInTime = ARGV[1] - now <= 2 and now <= tonumber(ARGV[2])

local function step()
  local name, due, stamp, record, dueAt
  name, key, due, id, stamp, record, dueAt = unpack(A, 1, 7)
  a, expires, tail = 7, '', ''
  if skipped[key] then return { now, ${heldBack} } end
  local there = call('GETRANGE', key, '0', '${stampSize - 1}')
  local fits = there == stamp and isInTime
  local isRepeat = not fits and record ~= '' and there == sub(record, 1, ${stampSize})
  local found
  local tells = false
  if string.byte(name, -1) == 63 then
    found = { now, ${applied}, false }
    while A[a + 1] ~= '' do
      local command, at, argument, limit = A[a + 1], A[a + 2], A[a + 3], A[a + 4]
      local value
      if command == 'TIME' then value = now
      elseif argument == '' then value = call(command, at)
      elseif command == 'LRANGE' then value = call(command, at, sub(argument, 2), '-1')
      else value = call(command, at, sub(argument, 2)) end
      if limit == '' then tells = true
      elseif type(value) == 'number' then if value >= tonumber(limit) then fits = false end
      elseif value then fits = false end
      found[#found + 1] = value
      a = a + 4
    end
    a = a + 1
  end
  if isRepeat then
    if not tells then return now end
    found[2] = ${repeated}
    return found
  end
  if not fits then
    skipped[key] = true
    found = found or { now, 0, false }
    found[2], found[3] = ${missed}, whole(key)
    return found
  end
  if dueAt ~= '' then call('ZADD', due, dueAt, id) end -- a place among the due leads to what a failing command left: it is taken first and given up last
  local row = rows[A[a + 1]]
  while row do
    a = a + 1
    row()
    row = rows[A[a + 1]]
  end
  if record ~= '' then
    if tail ~= '' then record = record .. tail end
    if expires == '' then call('SET', key, record) else call('SET', key, record, 'PXAT', expires) end
    if dueAt == '' then call('ZREM', due, id) end
  end
  return tells and found or now
end

local answers = {}
local n = 3
while ARGV[n] do
  A = { struct.unpack(ARGV[n], ARGV[n + 1]) }
  n = n + 2
  while ARGV[n] == '+' do -- more of the same step: Lua takes no more than some thousand results at once
    A[#A] = nil
    for _, each in ipairs({ struct.unpack(ARGV[n + 1], ARGV[n + 2]) }) do A[#A + 1] = each end
    n = n + 3
  end
  local isDone, answer = pcall(step)
  if not isDone then
    skipped[key] = true
    if type(answer) ~= 'table' then answer = { err = answer } end
  end
  answers[#answers + 1] = answer
end
return answers
`;

/** Redis refuses it when it is out of memory. */
export const applySteps = `#!lua\n${body}`;
/** The same, for steps that must get through even then. */
export const applyAnyway = `#!lua flags=allow-oom\n${body}`;

/**
 * Lends outputs that are free: those of one conversation, or of all that have one for these channels, the longest free first. Those of
 * a conversation are lent in the order of saving.
 * KEYS    outputs' places of channels, in any buckets; in the one of the conversation if one is named
 * ARGV    limit, the sendLease, the conversation or ''
 * Returns { time, { conversation, key, channel, place:channel:data }, … } and leaves them at time + sendLease
 */
export const lendOutputs = `#!lua flags=allow-oom
${clock}
local call, found, left, seen, wanted = redis.call, { now }, tonumber(ARGV[1]), {}, {}
local free = string.format('%.0f', now + ARGV[2])

local function lend(root, id)
  if seen[root .. id] then return end
  seen[root .. id] = true
  local all, own = call('HGETALL', root .. 'c:' .. id .. ':o'), {}
  for i = 1, #all, 2 do
    local place, channel = string.match(all[i + 1], '^([^:]*):([^:]*):')
    local key = root .. 'unsent:' .. channel
    local member = id .. ':' .. place .. ':' .. all[i]
    local at = wanted[key] and call('ZSCORE', key, member)
    if at and tonumber(at) <= now then own[#own + 1] = { place, key, member, { id, all[i], channel, all[i + 1] } } end
  end
  table.sort(own, function(one, other) return one[1] < other[1] end)
  for i = 1, math.min(#own, left) do
    call('ZADD', own[i][2], free, own[i][3])
    found[#found + 1] = own[i][4]
  end
  left = left - math.min(#own, left)
end

for _, key in ipairs(KEYS) do wanted[key] = true end
for _, key in ipairs(KEYS) do
  local root = string.match(key, '^(.-}:)unsent:')
  if ARGV[3] ~= '' then lend(root, ARGV[3])
  elseif left > 0 then
    for _, member in ipairs(call('ZRANGEBYSCORE', key, '-inf', now, 'LIMIT', 0, left)) do
      if left > 0 then lend(root, string.match(member, '^[^:]*')) end
    end
  end
end
return found
`;

/**
 * Marks what became of outputs. It touches nothing that a holder owns, and is not fenced.
 * KEYS    for each mark: the outputs, the channel's places, the names, the record, its end
 * ARGV    for each mark: the key, the channel, the conversation, in how many ms again or '', the data then, a name or '', its id
 */
export const markSent = `#!lua flags=allow-oom
${clock}
${listings}
local call, K, A = redis.call, KEYS, ARGV

-- The last output has gone out: a conversation that waited only for that ends, and what lives as long as it
local function ended(record, ending)
  local kept = call('GETDEL', ending)
  if not kept then return end
  local id, left, others = string.match(kept, '^([^\\n]*)\\n([^\\n]*)\\n(.*)$')
  local ends = string.format('%.0f', now + math.ceil(tonumber(left)))
  call('PEXPIREAT', record, ends)
  for key in string.gmatch(others, '[^\\n]+') do expire(key, id, ends) end
end

for m = 0, #A / 7 - 1 do
  local k, a = 5 * m, 7 * m
  local kept = call('HGET', K[k + 1], A[a + 1])
  if A[a + 6] ~= '' then
    local left = call('PTTL', K[k + 4])
    if left ~= -2 then
      call('HSET', K[k + 3], A[a + 6], A[a + 7])
      if left > 0 then call('PEXPIREAT', K[k + 3], string.format('%.0f', now + left)) end
    end
  end
  local place, channel
  if kept then place, channel = string.match(kept, '^([^:]*):([^:]*):') end
  if channel == A[a + 2] then
    local member = A[a + 3] .. ':' .. place .. ':' .. A[a + 1]
    if A[a + 4] == '' then
      call('ZREM', K[k + 2], member)
      call('HDEL', K[k + 1], A[a + 1])
      if call('EXISTS', K[k + 1]) == 0 then ended(K[k + 4], K[k + 5]) end
    else
      call('HSET', K[k + 1], A[a + 1], place .. ':' .. channel .. ':' .. A[a + 5])
      call('ZADD', K[k + 2], string.format('%.0f', now + A[a + 4]), member)
    end
  end
end
return now
`;

/**
 * KEYS    changes of buckets, and how many were dropped of each
 * ARGV    limit, the place after which to read in each of them, or -1 to read nothing
 * Returns { time, for each { the place before the first one, that of the last one, { time,id:conversation, … } } … }
 */
export const readChanges = `#!lua flags=no-writes
${clock}
local answers = { now }
for i = 1, #KEYS, 2 do
  local after, found = tonumber(ARGV[(i + 1) / 2 + 1]), {}
  local first = tonumber(redis.call('GET', KEYS[i + 1]) or 0)
  local last = first + redis.call('LLEN', KEYS[i])
  if after >= 0 and after < last then
    local skip = math.max(0, after - first)
    found = redis.call('LRANGE', KEYS[i], skip, skip + ARGV[1] - 1)
  end
  answers[(i + 1) / 2 + 1] = { first, last, found }
end
return answers
`;

/**
 * Reads a conversation.
 * KEYS    the record, its long document, one beside it
 * ARGV    the stamp of the record that the caller has, or ''; what is read of that beside it: a command and its arguments
 * Returns { time, the record, '' if the caller has it, or nil, what the command found }
 */
export const readConversation = `#!lua flags=no-writes
${clock}
${whole}
local isKnown = ARGV[1] ~= '' and redis.call('GETRANGE', KEYS[1], '0', '${stampSize - 1}') == ARGV[1]
return { now, isKnown and '' or whole(KEYS[1]), redis.call(ARGV[2], KEYS[3], unpack(ARGV, 3)) }
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
 * KEYS    the ids of a conversation's settled asks, the bucket's settled asks
 * Returns { id:end, time of the decision or '' where the bucket does not list it, … } of those whose record is still kept, in any order
 */
export const readSettledOf = `#!lua flags=no-writes
${clock}
local kept, found = redis.call('ZRANGEBYSCORE', KEYS[1], now + 1, '+inf', 'WITHSCORES'), {}
for i = 1, #kept, 2 do
  local member = kept[i] .. ':' .. kept[i + 1]
  found[i], found[i + 1] = member, redis.call('ZSCORE', KEYS[2], member) or ''
end
return found
`;

/**
 * KEYS[1] a sorted set by time
 * ARGV    ZRANGEBYSCORE, or ZREVRANGEBYSCORE to read it from its end; the time to start at or -inf or +inf, the last time, limit
 * Returns { member, time, … }: everything at exactly the time to start at, then up to limit of what comes behind it
 */
export const readListing = `#!lua flags=no-writes
local command, from, last, limit = ARGV[1], ARGV[2], ARGV[3], ARGV[4]
local found = redis.call('ZRANGEBYSCORE', KEYS[1], from, from, 'WITHSCORES')
for _, each in ipairs(redis.call(command, KEYS[1], '(' .. from, last, 'WITHSCORES', 'LIMIT', 0, limit)) do
  found[#found + 1] = each
end
return found
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

/** KEYS a value; ARGV the value, how long it is kept. For a mark, which must get through when Redis is out of memory. */
export const keepValue = `#!lua flags=allow-oom
return redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
`;

/**
 * KEYS    a participant's conversation in one bucket, and further ones
 * Returns those that are still kept; one may be there twice
 */
export const readPerson = `#!lua flags=no-writes
${clock}
local all, found = redis.call('ZRANGEBYSCORE', KEYS[2], now + 1, '+inf'), {}
all[#all + 1] = redis.call('GET', KEYS[1]) or nil
for _, id in ipairs(all) do
  if redis.call('EXISTS', string.match(KEYS[1], '^(.*}:)p:') .. 'c:' .. id) == 1 then found[#found + 1] = id end
end
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

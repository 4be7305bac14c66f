/**
 * save: the holder's one write, and its hand-over. Everything in it happens, or nothing.
 * It never looks into documents, outputs, records or outcomes.
 */
import {
  claim,
  claimable,
  enter,
  forEach,
  join,
  layouts,
  memoOf,
  onward,
  recall,
  reindex,
  retire,
  revive,
  settled,
  supersede,
} from './control.js';
import { Numbers, reading, texts } from './numbers.js';
import { leave } from './outbox.js';
import { documentOf, endText, freeText, keepDocument, load, write } from './record.js';

export const saveNumbers = new Numbers({
  after: 'flag', // 0 hold, 1 next, 2 release
  span: 'time', // the lease of what is next, or how long to wait
  strike: 'flag', // 1: it is given back
  document: 'flag', // 1: given
  closes: 'flag', // 0 no, 1 yes, 2 yes and keep the memo
  open: 'flag', // 2: unchanged
  ends: 'flag', // the due time: 0 unchanged, 1 never, 2 given
  due: 'time',
  revision: 'number',
  loan: 'time',
  retention: 'time',
  repeatMarks: 'time',
  outputs: 'count',
  withdrawn: 'count',
  history: 'count',
  opened: 'count',
  settled: 'count',
  parked: 'count',
  unparked: 'count',
  people: 'count',
});

/** So many marks stay in the control record; older ones, and those of entries that had to queue, go to the hash. */
export const recents = 6;
/** The claim that is handed over; the document is only sent if the caller does not have it. */
const next = `{ now, c[INC], c[ATTEMPT], c[STRIKES], c[TURN] ~= turn and c[TURN], document == 1 and 1 or ${documentOf}, ${memoOf},
  c[COUNT] > 0 and c[HEADID], c[HEADAT], c[HEADDATA] }`;

/** Puts a mark into the hash, and sometimes takes out those whose time is over. */
const keep = (name: string, mark: string) => `
c[MARKS] = c[MARKS] + redis.call('HSET', base .. ':r', ${name}, ${mark})
if c[MARKS] >= c[PRUNE] then
  local all, rest = redis.call('HGETALL', base .. ':r'), 0
  for i = 1, #all, 2 do
    local kind, over = struct.unpack(${layouts.mark}, all[i + 1])
    if kind > 0 and over <= now then redis.call('HDEL', base .. ':r', all[i]) else rest = rest + 1 end
  end
  c[MARKS], c[PRUNE] = rest, math.max(64, 2 * rest) -- so each mark is looked at a fixed number of times on average
end
`;

/** Takes the work that is over out of the queue, and leaves its mark. */
const close = `
local by, inHash = '', false
wasFront = c[COUNT] > 0 and c[HEADID] == closedId
if wasFront then
  by, inHash = c[HEADBY], c[HEADMARK] == 1
  c[COUNT] = c[COUNT] - 1
  if c[COUNT] > 0 then
    c[HEADID], c[HEADAT], c[HEADDATA], c[HEADOWN], c[HEADBY] =
      struct.unpack(${layouts.item}, redis.call('LPOP', base .. ':q'))
    c[HEADMARK] = 1
  else
    c[HEADID], c[HEADAT], c[HEADDATA], c[HEADOWN], c[HEADBY], c[HEADMARK] = '', 0, '', '', '', 0
  end
elseif c[COUNT] > 1 then
  ${recall('closedId')}
  local kind, _, _, _, from = struct.unpack(${layouts.mark}, mark or string.rep('\\0', 15))
  if mark and kind == 0 then
    by, inHash = from, true
    for _, waiting in ipairs(redis.call('LRANGE', base .. ':q', 0, -1)) do
      if struct.unpack(${layouts.item}, waiting) == closedId then
        redis.call('LREM', base .. ':q', 1, waiting)
        c[COUNT] = c[COUNT] - 1
        break
      end
    end
  end
end
local ends = now + repeatMarks
if inHash then
  local mark = struct.pack(${layouts.mark}, 1, ends, #call, call, #outcome, outcome, #by, by)
  ${keep('closedId', 'mark')}
else
  ${supersede('closedId')}
  c[RECENT] = c[RECENT] .. struct.pack(${layouts.marked}, #closedId, closedId, 15 + #call + #outcome + #by,
    1, ends, #call, call, #outcome, outcome, #by, by)
  c[RECENTS] = c[RECENTS] + 1
  if c[RECENTS] > ${recents} then
    local name, oldest, at = struct.unpack(${layouts.pair}, c[RECENT])
    c[RECENT], c[RECENTS] = string.sub(c[RECENT], at), c[RECENTS] - 1
    local _, over = struct.unpack(${layouts.mark}, oldest)
    if over > now then ${keep('name', 'oldest')} end
  end
end
`;

/** Withdraws outputs that were not sent yet, and puts new ones into the outbox. */
const outbox = `
local left -- 0 if nothing is left to be pushed, nil if that is unknown
if withdrawn > 0 then left = redis.call('HLEN', base .. ':o') end
for _ = 1, withdrawn do
  local key
  ${texts('key')}
  local old = left > 0 and redis.call('HGET', base .. ':o', key)
  if old then
    local _, _, channel = struct.unpack(${layouts.output}, old)
    redis.call('HDEL', base .. ':o', key)
    ${leave}
  end
  if c[PULLS] == 1 then redis.call('HDEL', base .. ':u', key) end
end
for _ = 1, outputs do
  local key, channel
  ${texts('key', 'channel')}
  p = p + 1
  local data = ARGV[p]
  local to = string.byte(channel)
  channel = string.sub(channel, 2)
  local free = to == 62 and now + loan or (to == 60 and 0 or now) -- '>' the saver has it, '<' it is pulled
  c[SEQ] = c[SEQ] + 1
  local output = struct.pack(${layouts.output}, c[SEQ], free, #channel, channel) .. data
  if to == 60 then
    c[PULLS] = 1
    redis.call('HSETNX', base .. ':u', key, output)
  else
    left = 1
    if redis.call('HSETNX', base .. ':o', key, output) == 1 then
      ${freeText('free')}
      redis.call('ZADD', root .. 'unsent:' .. channel, 'LT', at_free, id)
    end
  end
end
`;

/** Asks and parked entries: where they are found by id, and in the lists. */
const indexes = `
local key, time
for _ = 1, opened do
  ${texts('key', 'time')}
  redis.call('SET', root .. 'a:' .. key, '>' .. id)
  redis.call('ZADD', root .. 'open', time, key .. ':' .. id)
end
if settled > 0 then ${endText} end
for _ = 1, settled do
  ${texts('key')}
  p = p + 1
  redis.call('SET', root .. 'a:' .. key, ARGV[p], 'PXAT', at_end)
  redis.call('ZREM', root .. 'open', key .. ':' .. id)
end
for _ = 1, parked do
  ${texts('key', 'time')}
  redis.call('SET', root .. 'a:' .. key, '>' .. id)
  redis.call('ZADD', root .. 'parked', time, key .. ':' .. id)
end
for _ = 1, unparked do
  ${texts('key')}
  redis.call('DEL', root .. 'a:' .. key)
  redis.call('ZREM', root .. 'parked', key .. ':' .. id)
end
`;

/** The turn is over or given back, and perhaps another begins. */
const letGo = `
if after == 1 or closes > 0 then -- the work is over
  if c[MEMO] == 1 then
    local lent = c[COUNT] > 0 and not wasFront and c[HEADOWN] == c[TURN] -- to work that came before its own
    if closes == 2 or lent then
      c[KEPT] = c[KEPT] .. struct.pack(${layouts.text}, #c[TURN], c[TURN])
    else
      redis.call('UNLINK', base .. ':m:' .. c[TURN])
    end
  end
  c[TURN], c[MEMO], c[ATTEMPT], c[STRIKES] = '', 0, 0, 0
elseif strike == 1 then
  c[STRIKES] = c[STRIKES] - 1
end
c[TOKEN], c[UNTIL] = '', 0
if after == 2 then
  c[NOTBEFORE] = now + span
elseif span > 0 and ${claimable} then
  ${claim('span')}
  c[NEXT] = 1
end
`;

const body = `
${reading(saveNumbers, 'token', 'call', 'turn', 'closedId', 'outcome')}
local p, text = last - document - outputs - history - settled -- behind it are the long texts
if document == 1 then
  p = p + 1
  text = ARGV[p]
end

${enter('key')}
${load}
if c and c[CALL] == call then
  local now = c[LAST]
  if c[NEXT] == 1 and c[TOKEN] == token then return ${next} end
  return now
end
if not c or c[TOKEN] ~= token or c[REV] ~= revision then
  local known = false
  if closes > 0 then
    ${recall('closedId')}
    if mark then
      local kind, _, by = struct.unpack(${layouts.mark}, mark)
      known = kind > 0 and by == call
    end
  end
  if not known then return 0 end
  ${onward}
  return now
end

${onward}
c[REV] = revision + 1
c[CALL], c[NEXT], c[RETENTION], c[REPEAT] = call, 0, retention, repeatMarks
if ends > 0 then c[DUE] = ends == 2 and due or -1 end
if open < 2 then c[OPEN] = open end

local wasFront = false
if closes > 0 then ${close} end
${outbox}
for i = p + 1, p + history, 1000 do -- Lua hands over only so many at once
  redis.call('RPUSH', base .. ':h', unpack(ARGV, i, math.min(i + 999, p + history)))
end
p = p + history
${indexes}
if after > 0 then ${letGo} end
${reindex}

for _ = 1, people do
  local each
  ${texts('each')}
  ${join}
end
local idle = ${settled}
if idle and not left then left = redis.call('EXISTS', base .. ':o') end
if text then ${keepDocument} end
if idle and left == 0 then
  ${retire}
elseif c[IDLE] == 1 then
  ${revive}
end
${write}
if c[NEXT] == 1 then return ${next} end
return now
`;

/**
 * KEYS    conversations
 * ARGV    for each its head and long texts. In the head: token, call (16 signs), turn or '', closed id and outcome or '', keys withdrawn; per
 *         output its key, for whom (`>` saver, `=` anyone, `<` puller) and channel; per opened ask id and time; ids of
 *         settled asks; per parked entry id and time; unparked ids; people. Long: document, data of outputs, history,
 *         `=`record of settled asks
 * Returns for each 0: refused, or the time of the save, or, if something is handed over, { now, incarnation, attempt, strikes,
 *         turn (nil: the caller's), document (1: the caller's) or nil, memo or nil, entry id or nil, its time, its data }
 * Repeat  at once: the same answer. Later: known by the mark of the entry that it closed, and answered without a claim.
 */
export const save = forEach('allow-oom', body);

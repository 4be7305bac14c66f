/**
 * save: the holder's one write, and its hand-over. Everything in it happens, or nothing.
 * It never looks into documents, outputs, records or outcomes.
 */
import { claiming, control, lifetime, lua, recalling } from './control.js';

const body = `
local token, call = ARGV[1], ARGV[2]
local n = cjson.decode(ARGV[3])
local revision, loan, retention, due, open, after, span = n[1], n[2], n[3], n[5], n[6], n[7], n[8]
local closes = n[11]
local p = 3
local function arg()
  p = p + 1
  return ARGV[p]
end
local turn = after == 1 and arg()
local document = n[10] == 1 and arg()
local closedId = closes > 0 and arg()
local outcome = closes > 0 and arg()

enter(KEYS[1])
local c = load()
if c and c[CALL] == call then
  local again = c[NEXT] == 1 and c[TOKEN] == token
  return { 1, c[SAVED], c[REV], again and claimed(c, c[SAVED], document) }
end
if not c or c[TOKEN] ~= token or c[REV] ~= revision then
  local mark = recall(c, closedId or '\\0' .. call)
  if not mark or mark[1] == 0 or (closedId and mark[2] ~= call) then return { 0 } end
  return { 1, stamp(c), revision + 1, false }
end

local now = stamp(c)
c[REV] = revision + 1
c[CALL], c[SAVED], c[NEXT], c[RETENTION], c[REPEAT] = call, now, 0, retention, n[4]
if document then
  redis.call('SET', base .. ':d', document)
  c[DOC] = 1
end
if due ~= -1 then c[DUE] = due end
if open < 2 then c[OPEN] = open end

-- the last marks stay in the control record; older ones, and those of entries that had to queue, go to the hash
local function note(name, mark, inHash)
  if not inHash then
    supersede(c, name)
    local recent = c[RECENT] or {}
    c[RECENT] = recent
    recent[#recent + 1] = name
    recent[#recent + 1] = cmsgpack.pack(mark)
    if #recent <= 12 then return end
    name = table.remove(recent, 1)
    mark = cmsgpack.unpack(table.remove(recent, 1))
    if mark[3] <= now then return end
  end
  c[MARKS] = c[MARKS] + redis.call('HSET', base .. ':r', name, cmsgpack.pack(mark))
  if c[MARKS] < c[PRUNE] then return end
  local all, left = redis.call('HGETALL', base .. ':r'), 0
  for i = 1, #all, 2 do
    local old = cmsgpack.unpack(all[i + 1])
    if old[1] > 0 and old[3] <= now then redis.call('HDEL', base .. ':r', all[i]) else left = left + 1 end
  end
  c[MARKS], c[PRUNE] = left, math.max(64, 2 * left) -- so each mark is looked at a fixed number of times on average
end

local wasFront = false
if closedId then
  local by, inHash = '', false
  wasFront = c[HEAD] and c[HEAD][1] == closedId
  if wasFront then
    by, inHash = c[HEAD][5], c[HEAD][6] == 1
    c[COUNT] = c[COUNT] - 1
    c[HEAD] = c[COUNT] > 0 and cmsgpack.unpack(redis.call('LPOP', base .. ':q'))
  elseif c[COUNT] > 1 then
    local mark = recall(c, closedId)
    if mark and mark[1] == 0 then
      by, inHash = mark[2], true
      for _, raw in ipairs(redis.call('LRANGE', base .. ':q', 0, -1)) do
        if cmsgpack.unpack(raw)[1] == closedId then
          redis.call('LREM', base .. ':q', 1, raw)
          c[COUNT] = c[COUNT] - 1
          break
        end
      end
    end
  end
  note(closedId, { 1, call, now + n[4], outcome, by }, inHash)
  if after > 0 and c[CALLS] then
    for _, each in ipairs(c[CALLS]) do note('\\0' .. each, { 2, '', now + n[4] }, false) end
    c[CALLS] = false
  end
else
  c[CALLS] = c[CALLS] or {}
  table.insert(c[CALLS], call)
  if #c[CALLS] > 100 then table.remove(c[CALLS], 1) end
end

for i = 1, n[13] do -- withdrawn; their keys stand behind the outputs
  local key = ARGV[p + 3 * n[12] + i]
  local old = redis.call('HGET', base .. ':o', key)
  if old then
    old = cmsgpack.unpack(old)
    redis.call('HDEL', base .. ':o', key)
    redis.call('ZREM', root .. 'unsent:' .. old[2], member(key, old[1]))
  elseif c[PULLS] == 1 then
    redis.call('HDEL', base .. ':u', key)
  end
end
for _ = 1, n[12] do
  local key, channel, data = arg(), arg(), arg()
  local to = string.sub(channel, 1, 1)
  local pull = to == '<'
  channel = string.sub(channel, 2)
  c[SEQ] = c[SEQ] + 1
  if pull then c[PULLS] = 1 end
  local new = redis.call('HSETNX', base .. (pull and ':u' or ':o'), key, cmsgpack.pack({ c[SEQ], channel, data, 0 }))
  if new == 1 and not pull then
    redis.call('ZADD', root .. 'unsent:' .. channel, to == '>' and now + loan or now, member(key, c[SEQ]))
  end
end
p = p + n[13]
for i = p + 1, p + n[14], 1000 do -- Lua hands over only so many at once
  redis.call('RPUSH', base .. ':h', unpack(ARGV, i, math.min(i + 999, p + n[14])))
end
p = p + n[14]

local function list(name, ask, at)
  redis.call('SET', root .. 'a:' .. ask, '>' .. id)
  redis.call('ZADD', root .. name, at, ask .. ':' .. id)
end
for _ = 1, n[15] do list('open', arg(), arg()) end
for _ = 1, n[16] do
  local ask, record = arg(), arg()
  redis.call('SET', root .. 'a:' .. ask, '=' .. record, 'PX', retention)
  redis.call('ZREM', root .. 'open', ask .. ':' .. id)
end
for _ = 1, n[17] do list('parked', arg(), arg()) end
for _ = 1, n[18] do
  local entry = arg()
  redis.call('DEL', root .. 'a:' .. entry)
  redis.call('ZREM', root .. 'parked', entry .. ':' .. id)
end

if after > 0 then
  if after == 1 or closedId then -- the work is over
    if c[MEMO] == 1 then
      local front = c[HEAD] and not wasFront and c[HEAD][4] == c[TURN] -- lent its turn id to work that came before it
      if closes == 2 or front then
        c[KEPT] = c[KEPT] or {}
        table.insert(c[KEPT], c[TURN])
      else
        redis.call('UNLINK', base .. ':m:' .. c[TURN])
      end
    end
    c[TURN], c[MEMO], c[ATTEMPT], c[STRIKES] = '', 0, 0, 0
  elseif n[9] == 1 then
    c[STRIKES] = c[STRIKES] - 1
  end
  c[TOKEN], c[UNTIL] = '', 0
  if after == 2 then
    c[NOTBEFORE] = now + span
  elseif span > 0 and claimable(c, now) then
    claim(c, token, turn, span, now)
    c[NEXT] = 1
  end
end
reindex(c, now)

local people = c[PEOPLE] or {}
local fresh = #people + 1
for _ = 1, n[19] do
  local person = arg()
  local known = false
  for _, each in ipairs(people) do known = known or each == person end
  if not known then table.insert(people, person) end
end
if #people > 0 then c[PEOPLE] = people end
if isIdle(c, now) then
  lifetimes(c, now).retire()
elseif c[IDLE] == 1 then
  lifetimes(c, now).revive()
else
  for i = fresh, #people do join(people[i]) end
end
write(c, now)
return { 1, now, c[REV], c[NEXT] == 1 and claimed(c, now, document) }
`;

/**
 * KEYS[1] the conversation
 * ARGV[1] token
 * ARGV[2] call
 * ARGV[3] numbers, as a JSON list: revision, loan, retention, repeatMarks, due (-1 unchanged, -2 never),
 *         open (0, 1, 2 unchanged), then (0 hold, 1 next, 2 release), lease or wait, return the strike, document given,
 *         closes (0 no, 1 yes, 2 yes and keep the memo), and how many: outputs, withdrawn, history, opened, settled,
 *         parked, unparked, people
 * ARGV[4…] texts in this order: turn (then 1), document, closed id and outcome; per output its key, for whom (`>` saver,
 *         `=` anyone, `<` puller) and channel, data; keys withdrawn; history; per opened ask id and time; per settled
 *         ask id and record; per parked entry id and time; unparked ids; people
 * Returns { 1, now, revision, claim or nil } or { 0 } (refused)
 * Repeat  at once: the same answer. Later: known by the mark of the entry that it or its turn closed, and answered
 *         without a claim.
 */
export const save = lua('allow-oom', control, lifetime, recalling, claiming, body);

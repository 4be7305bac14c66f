/**
 * What the scripts share, as Lua text: the control record, a conversation's place in `due`, and its life time.
 * No script of its own, and no rules: who may do what is in the scripts that use it.
 *
 * The control record is one packed list (MessagePack) under the conversation's first key: a step reads it with one
 * command and writes it with one, where a hash would cost an argument per field. The front entry lives in it, so an entry
 * that is handled at once never touches the queue. A field is only ever added at the end; unknown ones are written back.
 */

export const control = `
local INC, REV, LAST, TOKEN, UNTIL, TURN, ATTEMPT, STRIKES, NOTBEFORE, DUE = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10
local OPEN, COUNT, HEAD, DOC, MEMO, SEQ, CALL, SAVED, NEXT, MARKS, PRUNE = 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21
local IDLE, INDEX, RETENTION, REPEAT, PEOPLE, KEPT, CALLS = 22, 23, 24, 25, 26, 27, 28
-- HEAD and queue items: { id, at, data, its own turn or '', recording token }
-- marks: { 0, recording token } while queued; { 1, call, revision, saved, ends, outcome, recording token } when closed;
--        under '\\0' and its call, { 2, ends } for a save that closed nothing, written when its turn is closed
-- outputs: { number, channel, data, free at (only those to pull) }
local base, root, id

local function enter(key)
  base = key
  root, id = string.match(key, '^(.*{%d+}:)c:(.*)$')
end

local function load()
  local raw = redis.call('GET', base)
  return raw and cmsgpack.unpack(raw)
end

-- the server's time in ms; within a conversation it never goes back
local function stamp(c)
  local t = redis.call('TIME')
  local now = t[1] * 1000 + math.floor(t[2] / 1000)
  if c and c[LAST] > now then return c[LAST] end
  return now
end

local function member(key, seq)
  return id .. ':' .. string.format('%010.0f', seq) .. ':' .. key
end

local function write(c, now)
  c[LAST] = now
  if c[IDLE] == 1 then
    redis.call('SET', base, cmsgpack.pack(c), 'PX', c[RETENTION])
  else
    redis.call('SET', base, cmsgpack.pack(c))
  end
end

-- in due if leased, or an entry waits, or a due time is set; INDEX is the score it has there
local function reindex(c, now)
  local at = -1
  if c[TOKEN] ~= '' and c[UNTIL] > now then
    at = c[UNTIL]
  elseif c[COUNT] > 0 then
    at = math.max(c[HEAD][2], c[NOTBEFORE])
  elseif c[DUE] >= 0 then
    at = math.max(c[DUE], c[NOTBEFORE])
  end
  if at == c[INDEX] then return false end
  if at < 0 then redis.call('ZREM', root .. 'due', id) else redis.call('ZADD', root .. 'due', at, id) end
  c[INDEX] = at
  return true
end
`;

/** Needs `control`. When nothing is left to do the keys get a time to live; work takes it away again. */
export const lifetime = `
local function isIdle(c, now)
  return c[OPEN] == 0 and c[COUNT] == 0 and c[DUE] < 0 and (c[TOKEN] == '' or c[UNTIL] <= now)
    and redis.call('EXISTS', base .. ':o') == 0
end

-- drops conversations whose time is over; the key lives as long as the last of those left
local function tidy(person, now)
  redis.call('ZREMRANGEBYSCORE', person, '-inf', string.format('(%.0f', now))
  local last = redis.call('ZREVRANGE', person, 0, 0, 'WITHSCORES')[2]
  if last and last ~= 'inf' then redis.call('PEXPIREAT', person, last) end
end

local function memos(c)
  local all = {}
  for i, turn in ipairs(c[KEPT]) do all[i] = ':m:' .. turn end
  if c[MEMO] == 1 then all[#all + 1] = ':m:' .. c[TURN] end
  return all
end

-- the caller writes the control record afterwards, with its own time to live
local function retire(c, now)
  c[IDLE] = 1
  local ttl = c[RETENTION]
  if c[DOC] == 1 then redis.call('PEXPIRE', base .. ':d', ttl) end
  redis.call('PEXPIRE', base .. ':h', ttl)
  redis.call('PEXPIRE', base .. ':r', c[REPEAT])
  if c[SEQ] > 0 then
    redis.call('PEXPIRE', base .. ':s', ttl)
    redis.call('PEXPIRE', base .. ':u', ttl)
  end
  for _, memo in ipairs(memos(c)) do redis.call('PEXPIRE', base .. memo, ttl) end
  for _, person in ipairs(c[PEOPLE]) do
    local key = root .. 'p:' .. person
    redis.call('ZADD', key, now + ttl, id)
    tidy(key, now)
  end
end

local function join(person)
  redis.call('ZADD', root .. 'p:' .. person, '+inf', id)
  redis.call('PERSIST', root .. 'p:' .. person)
end

local function revive(c)
  c[IDLE] = 0
  for _, suffix in ipairs({ ':d', ':h', ':r', ':s', ':u' }) do redis.call('PERSIST', base .. suffix) end
  for _, memo in ipairs(memos(c)) do redis.call('PERSIST', base .. memo) end
  for _, person in ipairs(c[PEOPLE]) do join(person) end
end
`;

/** Needs `control`. */
export const claiming = `
local function claimable(c, now)
  return (c[TOKEN] == '' or c[UNTIL] <= now) and c[NOTBEFORE] <= now
    and (c[COUNT] > 0 or (c[DUE] >= 0 and c[DUE] <= now))
end

local function claim(c, token, turn, lease, now)
  c[TOKEN] = token
  c[UNTIL] = now + lease
  c[ATTEMPT] = c[ATTEMPT] + 1
  c[STRIKES] = c[STRIKES] + 1
  c[CALLS] = {}
  if c[TURN] ~= '' then return end
  local own = c[HEAD] and c[HEAD][4] or ''
  c[TURN] = own ~= '' and own or turn
  for i, kept in ipairs(c[KEPT]) do
    if kept == c[TURN] then
      table.remove(c[KEPT], i)
      c[MEMO] = 1
      break
    end
  end
end

-- the claim as it is answered; the document is only read if the caller does not have it
local function claimed(c, now, known)
  local h = c[HEAD]
  local document = false
  if known then document = 1 elseif c[DOC] == 1 then document = redis.call('GET', base .. ':d') end
  local memo = c[MEMO] == 1 and redis.call('HGETALL', base .. ':m:' .. c[TURN]) or false
  return { c[TOKEN], c[TURN], c[ATTEMPT], c[STRIKES], c[REV], c[INC], now, document, memo,
    h and h[1], h and h[2], h and h[3] }
end
`;

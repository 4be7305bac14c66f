/**
 * What the scripts share, as Lua text: the control record, a conversation's place in `due`, and its life time.
 * No script of its own, and no rules: who may do what is in the scripts that use it.
 *
 * The control record is one packed list (MessagePack) under the conversation's first key: a step reads it with one
 * command and writes it with one, where a hash would cost an argument per field. The front entry lives in it, so an entry
 * that is handled at once never touches the queue; and so do the last few repeat marks, so a short conversation has no
 * hash of them. A field is only ever added at the end; unknown ones are written back.
 *
 * Other records: an item of the queue is { id, at, data, its own turn or '', recording token, 1 if it has a mark in `:r` };
 * a mark { 0, recording token } while queued, { 1, call, ends, outcome, recording token } when closed, and under NUL and
 * its call { 2, '', ends } for a save that closed nothing, written when its turn is closed; an output { number, channel,
 * data, free at (only those to pull) }.
 */

const fields = [
  'INC', // the life of the conversation
  'REV',
  'LAST', // the latest time that was given out
  'TOKEN', // of the holder, or ''
  'UNTIL',
  'TURN', // of the work that was begun and not finished, or ''
  'ATTEMPT',
  'STRIKES',
  'NOTBEFORE',
  'DUE', // or -1, -2
  'OPEN',
  'COUNT', // of entries waiting, the front one included
  'HEAD', // the front entry, or false
  'DOC', // 1: there is a document
  'MEMO', // 1: the turn has a memo
  'SEQ', // of outputs
  'CALL', // the last save, when, and whether it handed over
  'SAVED',
  'NEXT',
  'MARKS', // about how many are in `:r`, and at how many it is cleared
  'PRUNE',
  'IDLE', // 1: the keys have a time to live
  'INDEX', // the score in due, or -1
  'RETENTION',
  'REPEAT',
  'PEOPLE', // the rest are lists, or false: empty ones cost Lua more than their worth
  'KEPT', // turns whose memo outlived them
  'CALLS', // of the turn's saves that closed nothing
  'RECENT', // names and marks, by turns
  'PULLS', // 1: there were outputs to pull
] as const;

/** A whole script. Field names become numbers here: as Lua variables they would cost every run some microseconds. */
export function lua(flags: 'writes-nothing' | 'allow-oom' | 'refused-when-full', ...parts: readonly string[]): string {
  const first = { 'writes-nothing': ' flags=no-writes', 'allow-oom': ' flags=allow-oom', 'refused-when-full': '' }[
    flags
  ];
  const place = (_: string, name: string) => `c[${(fields as readonly string[]).indexOf(name) + 1}]`;
  return `#!lua${first}\n${parts.join('\n').replace(/\bc\[([A-Z]+)\]/g, place)}`;
}

export const control = `
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
  return id .. ':' .. string.format('%010d', seq) .. ':' .. key
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

/**
 * Needs `control`. When nothing is left to do the keys get a time to live; work takes it away again.
 * What is seldom needed is made inside `lifetimes` when it is: every function that a script makes costs every run.
 */
export const lifetime = `
local function isIdle(c, now)
  return c[OPEN] == 0 and c[COUNT] == 0 and c[DUE] < 0 and (c[TOKEN] == '' or c[UNTIL] <= now)
    and redis.call('EXISTS', base .. ':o') == 0
end

local function join(person)
  redis.call('ZADD', root .. 'p:' .. person, '+inf', id)
  redis.call('PERSIST', root .. 'p:' .. person)
end

local function lifetimes(c, now)
  local memos = {}
  for i, turn in ipairs(c[KEPT] or {}) do memos[i] = ':m:' .. turn end
  if c[MEMO] == 1 then memos[#memos + 1] = ':m:' .. c[TURN] end

  -- a participant's key lives as long as the last of the conversations left in it
  local function tidy(person)
    local key = root .. 'p:' .. person
    redis.call('ZREMRANGEBYSCORE', key, '-inf', string.format('(%.0f', now))
    local last = redis.call('ZREVRANGE', key, 0, 0, 'WITHSCORES')[2]
    if last and last ~= 'inf' then redis.call('PEXPIREAT', key, last) end
  end

  -- the caller writes the control record afterwards, with its own time to live
  local function retire()
    c[IDLE] = 1
    local ttl = c[RETENTION]
    if c[DOC] == 1 then redis.call('PEXPIRE', base .. ':d', ttl) end
    redis.call('PEXPIRE', base .. ':h', ttl)
    if c[RECENT] and c[REPEAT] > ttl then -- marks that outlive the control record must not be in it
      c[MARKS] = c[MARKS] + redis.call('HSET', base .. ':r', unpack(c[RECENT]))
      c[RECENT] = false
    end
    if c[MARKS] > 0 then redis.call('PEXPIRE', base .. ':r', c[REPEAT]) end
    if c[SEQ] > 0 then redis.call('PEXPIRE', base .. ':s', ttl) end
    if c[PULLS] == 1 then redis.call('PEXPIRE', base .. ':u', ttl) end
    for _, memo in ipairs(memos) do redis.call('PEXPIRE', base .. memo, ttl) end
    for _, person in ipairs(c[PEOPLE] or {}) do
      redis.call('ZADD', root .. 'p:' .. person, now + ttl, id)
      tidy(person)
    end
  end

  local function revive()
    c[IDLE] = 0
    for _, suffix in ipairs({ ':d', ':h', ':r', ':s', ':u' }) do redis.call('PERSIST', base .. suffix) end
    for _, memo in ipairs(memos) do redis.call('PERSIST', base .. memo) end
    for _, person in ipairs(c[PEOPLE] or {}) do join(person) end
  end

  return { memos = memos, tidy = tidy, retire = retire, revive = revive }
end
`;

/** Needs `control`. Repeat marks: the one of an entry or a call, and taking an old one out of the control record. */
export const recalling = `
local function supersede(c, name)
  local recent = c[RECENT] or {}
  for i = 1, #recent, 2 do
    if recent[i] == name then
      table.remove(recent, i)
      table.remove(recent, i)
      if #recent == 0 then c[RECENT] = false end
      return
    end
  end
end

local function recall(c, name)
  local recent = c and c[RECENT] or {}
  for i = 1, #recent, 2 do
    if recent[i] == name then return cmsgpack.unpack(recent[i + 1]) end
  end
  if c and c[MARKS] == 0 then return false end
  local raw = redis.call('HGET', base .. ':r', name)
  return raw and cmsgpack.unpack(raw)
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
  c[CALLS] = false
  if c[TURN] ~= '' then return end
  local own = c[HEAD] and c[HEAD][4] or ''
  c[TURN] = own ~= '' and own or turn
  for i, kept in ipairs(c[KEPT] or {}) do
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

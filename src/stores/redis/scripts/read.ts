/**
 * Reading and erasing. The reading scripts write nothing; where one plain command is enough there is no script.
 */
import { control, lifetime, lua, recalling } from './control.js';

/**
 * KEYS[1] the conversation
 * Returns { now, incarnation, revision, document or nil, 1 held | 0, 1 begun | 0, id, at, data, … } or nil
 */
export const conversation = lua(
  'writes-nothing',
  control,
  `
enter(KEYS[1])
local c = load()
if not c then return false end
local now = stamp(c)
local held = c[TOKEN] ~= '' and c[UNTIL] > now
local state = { now, c[INC], c[REV], redis.call('GET', base .. ':d'), held and 1 or 0, c[TURN] ~= '' and 1 or 0 }
local function add(item)
  for i = 1, 3 do state[#state + 1] = item[i] end
end
if c[HEAD] then add(c[HEAD]) end
if c[COUNT] > 1 then
  for _, raw in ipairs(redis.call('LRANGE', base .. ':q', 0, -1)) do add(cmsgpack.unpack(raw)) end
end
return state
`,
);

/**
 * KEYS[1] the conversation
 * ARGV    entry id
 * Returns the outcome of a closed entry whose mark has not run out, or nil
 */
export const outcome = lua(
  'writes-nothing',
  control,
  recalling,
  `
enter(KEYS[1])
local c = load()
local mark = recall(c, ARGV[1])
return mark and mark[1] == 1 and mark[3] > stamp(c) and mark[4]
`,
);

/**
 * KEYS[1] the conversation
 * ARGV    limit, the index before which to read or -1
 * Returns { index of the first item, items }
 */
export const history = lua(
  'writes-nothing',
  `
local key, limit, stop = KEYS[1] .. ':h', tonumber(ARGV[1]), tonumber(ARGV[2])
if stop < 0 then stop = redis.call('LLEN', key) end
local start = math.max(0, stop - limit)
if stop <= start then return { start, {} } end
return { start, redis.call('LRANGE', key, start, stop - 1) }
`,
);

/**
 * KEYS[1] the bucket's open or parked
 * ARGV    limit, the time to start at or -inf
 * Returns { id:conversation, time, … }: everything at exactly that time, then up to limit later ones
 */
export const list = lua(
  'writes-nothing',
  `
local limit, from = ARGV[1], ARGV[2]
if from == '-inf' then return redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', '+inf', 'WITHSCORES', 'LIMIT', 0, limit) end
local found = redis.call('ZRANGEBYSCORE', KEYS[1], from, from, 'WITHSCORES')
for _, each in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], '(' .. from, '+inf', 'WITHSCORES', 'LIMIT', 0, limit)) do
  found[#found + 1] = each
end
return found
`,
);

/**
 * KEYS[1] a participant's conversations in one bucket
 * Returns those that are still kept
 */
export const participant = lua(
  'writes-nothing',
  `
local t = redis.call('TIME')
return redis.call('ZRANGEBYSCORE', KEYS[1], t[1] * 1000 + math.floor(t[2] / 1000) + 1, '+inf')
`,
);

/**
 * Erases one life of a conversation, all of it but a tombstone for each ask.
 * KEYS[1] the conversation
 * ARGV    incarnation, revision, retention, how many asks, how many parked, then per ask its id and tombstone, the
 *         parked ids, people
 * Returns 1, or 0: that life is gone, or something was saved since
 * Repeat  0, and nothing happens
 */
export const erase = lua(
  'allow-oom',
  control,
  lifetime,
  `
local retention, asks, parked = tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])
enter(KEYS[1])
local c = load()
if not c or c[INC] ~= ARGV[1] or c[REV] ~= tonumber(ARGV[2]) then return 0 end
local now = stamp(c)
local p = 5
local function arg()
  p = p + 1
  return ARGV[p]
end
local out = redis.call('HGETALL', base .. ':o')
for i = 1, #out, 2 do
  local item = cmsgpack.unpack(out[i + 1])
  redis.call('ZREM', root .. 'unsent:' .. item[2], member(out[i], item[1]))
end
redis.call('ZREM', root .. 'due', id)
for _ = 1, asks do
  local ask, tombstone = arg(), arg()
  redis.call('SET', root .. 'a:' .. ask, '=' .. tombstone, 'PX', retention)
  redis.call('ZREM', root .. 'open', ask .. ':' .. id)
end
for _ = 1, parked do
  local entry = arg()
  redis.call('DEL', root .. 'a:' .. entry)
  redis.call('ZREM', root .. 'parked', entry .. ':' .. id)
end
local life = lifetimes(c, now)
local people = c[PEOPLE] or {}
for i = p + 1, #ARGV do table.insert(people, ARGV[i]) end
for _, person in ipairs(people) do
  redis.call('ZREM', root .. 'p:' .. person, id)
  life.tidy(person)
end
for _, memo in ipairs(life.memos) do redis.call('UNLINK', base .. memo) end
for _, suffix in ipairs({ '', ':d', ':q', ':h', ':o', ':u', ':s', ':r' }) do redis.call('UNLINK', base .. suffix) end
return 1
`,
);

/**
 * Reading and erasing. The reading scripts write nothing; where one plain command is enough there is no script.
 */
import { also, enter, every, layouts, lua, person, recall, stamp } from './control.js';
import { documentOf, load } from './record.js';

/**
 * KEYS[1] the conversation
 * Returns { now, incarnation, revision, document or nil, 1 held | 0, 1 begun | 0, id, at, data, … } or nil
 */
export const conversation = lua(
  'writes-nothing',
  `
${enter('KEYS[1]')}
${load}
if not c then return false end
${stamp}
local held = c[TOKEN] ~= '' and c[UNTIL] > now
local state = { now, c[INC], c[REV], ${documentOf}, held and 1 or 0, c[TURN] ~= '' and 1 or 0 }
local function add(...)
  for i = 1, 3 do state[#state + 1] = select(i, ...) end
end
if c[COUNT] > 0 then add(c[HEADID], c[HEADAT], c[HEADDATA]) end
if c[COUNT] > 1 then
  for _, item in ipairs(redis.call('LRANGE', base .. ':q', 0, -1)) do add(struct.unpack(${layouts.item}, item)) end
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
  `
${enter('KEYS[1]')}
${load}
${stamp}
${recall('ARGV[1]')}
if not mark then return false end
local kind, ends, _, told = struct.unpack(${layouts.mark}, mark)
return kind == 1 and ends > now and told
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
 * KEYS    a participant's conversation in one bucket, and further ones
 * Returns those that are still kept; one may be there twice
 */
export const participant = lua(
  'writes-nothing',
  `
local first = redis.call('GET', KEYS[1])
local t = redis.call('TIME')
local found = redis.call('ZRANGEBYSCORE', KEYS[2], t[1] * 1000 + math.floor(t[2] / 1000) + 1, '+inf')
if first then found[#found + 1] = first end
return found
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
  `
local retention, asks, parked = tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])
${enter('KEYS[1]')}
${load}
if not c or c[INC] ~= ARGV[1] or c[REV] ~= tonumber(ARGV[2]) then return 0 end
${stamp}
local p = 5
for _, output in ipairs(redis.call('HVALS', base .. ':o')) do
  local _, _, channel = struct.unpack(${layouts.output}, output)
  redis.call('ZREM', root .. 'unsent:' .. channel, id)
end
redis.call('ZREM', root .. 'due', id)
for _ = 1, asks do
  redis.call('SET', root .. 'a:' .. ARGV[p + 1], '=' .. ARGV[p + 2], 'PX', retention)
  redis.call('ZREM', root .. 'open', ARGV[p + 1] .. ':' .. id)
  p = p + 2
end
for _ = 1, parked do
  redis.call('DEL', root .. 'a:' .. ARGV[p + 1])
  redis.call('ZREM', root .. 'parked', ARGV[p + 1] .. ':' .. id)
  p = p + 1
end
local people = c[PEOPLE] .. c[ALSO]
for i = p + 1, #ARGV do people = people .. struct.pack(${layouts.text}, #ARGV[i], ARGV[i]) end
${every(
  'people',
  `
    local person, also = ${person}, ${also}
    if redis.call('GET', person) == id then redis.call('DEL', person) end
    redis.call('ZREM', also, id)
    redis.call('ZREMRANGEBYSCORE', also, '-inf', string.format('(%.0f', now))
    -- the key lives as long as the last of the conversations left in it
    local last = redis.call('ZREVRANGE', also, 0, 0, 'WITHSCORES')[2]
    if last and last ~= 'inf' then redis.call('PEXPIREAT', also, last) end`,
)}
if c[MEMO] == 1 then redis.call('UNLINK', base .. ':m:' .. c[TURN]) end
${every('c[KEPT]', `redis.call('UNLINK', base .. ':m:' .. each)`)}
for _, suffix in ipairs({ '', ':d', ':q', ':h', ':o', ':u', ':s', ':r' }) do redis.call('UNLINK', base .. suffix) end
return 1
`,
);

/**
 * The outbox: what is ready, lending it, and what became of it. Nothing here touches who holds a conversation.
 * The loan of an output to push is its score in `unsent`; an output to pull keeps its loan in its own record.
 */
import { control, lifetime, lua } from './control.js';

/**
 * KEYS    `unsent` of one bucket, per channel
 * Returns how many outputs are free to be lent
 */
export const ready = lua(
  'writes-nothing',
  `
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
local count = 0
for _, key in ipairs(KEYS) do count = count + redis.call('ZCOUNT', key, '-inf', now) end
return count
`,
);

/**
 * Lends outputs of one bucket.
 * KEYS    `unsent` of the bucket, per channel
 * ARGV    limit, loan, then the channels
 * Returns { now, conversation, key, channel, data, … }
 * Repeat  lends what is left: what was lent comes back when its loan is over
 */
export const lend = lua(
  'allow-oom',
  `
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
local left, loan = tonumber(ARGV[1]), tonumber(ARGV[2])
local root = string.match(KEYS[1], '^(.*{%d+}:)unsent:')
local lent = { now }
for i, key in ipairs(KEYS) do
  if left <= 0 then break end
  for _, each in ipairs(redis.call('ZRANGEBYSCORE', key, '-inf', now, 'LIMIT', 0, left)) do
    local id, name = string.match(each, '^([^:]*):%d+:(.*)$')
    local raw = redis.call('HGET', root .. 'c:' .. id .. ':o', name)
    if raw then
      redis.call('ZADD', key, now + loan, each)
      for _, text in ipairs({ id, name, ARGV[i + 2], cmsgpack.unpack(raw)[3] }) do lent[#lent + 1] = text end
      left = left - 1
    else
      redis.call('ZREM', key, each)
    end
  end
end
return lent
`,
);

/**
 * Lends outputs of one conversation, also those that wait to be pulled.
 * KEYS[1] the conversation
 * ARGV    limit, loan, then the channels
 * Returns { now, conversation, key, channel, data, … } in the order of saving
 * Repeat  as lend
 */
export const lendOf = lua(
  'allow-oom',
  control,
  `
enter(KEYS[1])
local limit, loan = tonumber(ARGV[1]), tonumber(ARGV[2])
local c = load()
local now = stamp(c)
local lent = { now }
if not c then return lent end
local wanted, items = {}, {}
for i = 3, #ARGV do wanted[ARGV[i]] = true end
for _, suffix in ipairs({ ':o', ':u' }) do
  local all = redis.call('HGETALL', base .. suffix)
  for i = 1, #all, 2 do
    local item = cmsgpack.unpack(all[i + 1])
    if wanted[item[2]] then items[#items + 1] = { item[1], all[i], item, suffix } end
  end
end
table.sort(items, function(a, b) return a[1] < b[1] end)
for _, each in ipairs(items) do
  if limit <= 0 then break end
  local key, item, pull = each[2], each[3], each[4] == ':u'
  local unsent, name = root .. 'unsent:' .. item[2], member(key, item[1])
  local free = pull and item[4] or tonumber(redis.call('ZSCORE', unsent, name) or 0)
  if free <= now then
    if pull then
      item[4] = now + loan
      redis.call('HSET', base .. ':u', key, cmsgpack.pack(item))
    else
      redis.call('ZADD', unsent, now + loan, name)
    end
    for _, text in ipairs({ id, key, item[2], item[3] }) do lent[#lent + 1] = text end
    limit = limit - 1
  end
end
return lent
`,
);

/**
 * What became of outputs of one bucket: gone for good, or to be tried again. The last to go may leave nothing to do.
 * KEYS    the conversation of each mark
 * ARGV    per mark: key, channel, again in ms or -1, new data, name or '', the channel's own id
 * Returns nothing
 * Repeat  changes nothing but the time of the next try
 */
export const sent = lua(
  'allow-oom',
  control,
  lifetime,
  `
for i, conversation in ipairs(KEYS) do
  local p = 6 * (i - 1)
  local key, channel, again, data, name, sentId =
    ARGV[p + 1], ARGV[p + 2], tonumber(ARGV[p + 3]), ARGV[p + 4], ARGV[p + 5], ARGV[p + 6]
  enter(conversation)
  local suffix = ':o'
  local raw = redis.call('HGET', base .. ':o', key)
  if not raw then
    suffix = ':u'
    raw = redis.call('HGET', base .. ':u', key)
  end
  local item = raw and cmsgpack.unpack(raw)
  local last = false
  if item and item[2] == channel then
    local unsent = root .. 'unsent:' .. channel
    if again >= 0 then
      local c = load()
      local at = stamp(c) + again
      item[3] = data
      if suffix == ':u' then item[4] = at else redis.call('ZADD', unsent, at, member(key, item[1])) end
      redis.call('HSET', base .. suffix, key, cmsgpack.pack(item))
    else
      redis.call('HDEL', base .. suffix, key)
      if suffix == ':o' then
        redis.call('ZREM', unsent, member(key, item[1]))
        last = redis.call('EXISTS', base .. ':o') == 0
      end
    end
  end
  if name ~= '' then
    local ttl = redis.call('PTTL', base)
    if ttl ~= -2 then
      redis.call('HSET', base .. ':s', name, sentId)
      if ttl > 0 then redis.call('PEXPIRE', base .. ':s', ttl) end
    end
  end
  if last then
    local c = load()
    if c and c[IDLE] == 0 and c[OPEN] == 0 then
      local now = stamp(c)
      if isIdle(c, now) then
        reindex(c, now)
        lifetimes(c, now).retire()
        write(c, now)
      end
    end
  end
end
return 0
`,
);

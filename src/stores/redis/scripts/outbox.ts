/**
 * The outbox: what is ready, lending it, and what became of it. Nothing here touches who holds a conversation.
 * An output keeps the end of its loan in its own record. A conversation stands in `unsent` of a channel as long as it has
 * outputs for it, at a time that is not after the first of them gets free.
 */
import { clock, enter, layouts, lua, reindex, retire, settled, stamp } from './control.js';
import { load, offsets, whole, write } from './record.js';

/** One of the `left` outputs has left, of `channel`: without another, the conversation leaves `unsent` of that channel. */
export const leave = `
left = left - 1
local others = false
if left > 0 then
  for _, each in ipairs(redis.call('HVALS', base .. ':o')) do
    local _, _, other = struct.unpack(${layouts.output}, each)
    if other == channel then others = true end
  end
end
if not others then redis.call('ZREM', root .. 'unsent:' .. channel, id) end
`;

/**
 * KEYS    `unsent` of some buckets and channels
 * Returns for each of them how many conversations have outputs that are free to be lent, about
 */
export const ready = lua(
  'writes-nothing',
  `
${clock}
local counts = {}
for i, key in ipairs(KEYS) do counts[i] = redis.call('ZCOUNT', key, '-inf', now) end
return counts
`,
);

/** Lends what is free in one conversation, in the order of saving. Needs `wanted`, `left`, `loan`, `now` and `lent`. */
const lendHere = `
local items = {}
for _, suffix in ipairs(suffixes) do
  local all = redis.call('HGETALL', base .. suffix)
  for i = 1, #all, 2 do
    local seq, free, channel, at = struct.unpack(${layouts.output}, all[i + 1])
    if wanted[channel] then items[#items + 1] = { seq, free, channel, all[i], string.sub(all[i + 1], at), suffix } end
  end
end
table.sort(items, function(a, b) return a[1] < b[1] end)
local first = {}
for _, item in ipairs(items) do
  local seq, channel, key, data, suffix = item[1], item[3], item[4], item[5], item[6]
  if item[2] <= now and left > 0 then
    item[2] = now + loan
    redis.call('HSET', base .. suffix, key, struct.pack(${layouts.output}, seq, item[2], #channel, channel) .. data)
    for _, text in ipairs({ id, key, channel, data }) do lent[#lent + 1] = text end
    left = left - 1
  end
  if suffix == ':o' then first[channel] = math.min(first[channel] or item[2], item[2]) end
end
for channel in pairs(wanted) do
  local unsent = root .. 'unsent:' .. channel
  if first[channel] then redis.call('ZADD', unsent, first[channel], id) else redis.call('ZREM', unsent, id) end
end
`;

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
${clock}
local left, loan = tonumber(ARGV[1]), tonumber(ARGV[2])
local place = string.match(KEYS[1], '^(.*{%d+}:)unsent:')
local suffixes, lent = { ':o' }, { now }
for i, key in ipairs(KEYS) do
  local wanted = { [ARGV[i + 2]] = true }
  if left > 0 then
    for _, conversation in ipairs(redis.call('ZRANGEBYSCORE', key, '-inf', now, 'LIMIT', 0, left)) do
      ${enter("place .. 'c:' .. conversation")}
      ${lendHere}
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
  `
${enter('KEYS[1]')}
${load}
${stamp}
local left, loan = tonumber(ARGV[1]), tonumber(ARGV[2])
local suffixes, lent = { ':o', ':u' }, { now }
if not c then return lent end
local wanted = {}
for i = 3, #ARGV do wanted[ARGV[i]] = true end
${lendHere}
return lent
`,
);

/** The channel's own id of what was sent, kept as long as the conversation. */
const named = `
local ttl = redis.call('PTTL', base)
if ttl ~= -2 then
  redis.call('HSET', base .. ':s', name, sentId)
  redis.call('SETRANGE', base, '${offsets.named}', '\\1')
  if ttl > 0 then redis.call('PEXPIRE', base .. ':s', ttl) end
end
`;

/** The last output is gone, and with it perhaps the last there was to do. */
const last = `
if redis.call('GETRANGE', base, '${offsets.open}', '${offsets.open}') == '\\0' then
  ${load}
  ${stamp}
  if c[IDLE] == 0 and ${settled} then
    ${reindex}
    ${retire}
    ${write}
  end
end
`;

/**
 * Sets `suffix` and `seq` of the output that a mark means; `suffix` is false if there is none of that key and channel.
 * `pushed` says whether there are outputs to push at all.
 */
const meant = (pushed: string) => `
local suffix = ':o'
local old = ${pushed} and redis.call('HGET', base .. ':o', key)
if not old then
  suffix = ':u'
  old = redis.call('HGET', base .. ':u', key)
end
local seq, _, of = struct.unpack(${layouts.output}, old or string.rep('\\0', 16))
if not old or of ~= channel then suffix = false end
`;

/** It is tried again: its new data and time are kept. */
const postponed = `
${meant('true')}
if suffix then
  ${load}
  ${stamp}
  local at = now + again
  redis.call('HSET', base .. suffix, key, struct.pack(${layouts.output}, seq, at, #channel, channel) .. data)
  if suffix == ':o' then -- the others may be free before it
    for _, each in ipairs(redis.call('HVALS', base .. ':o')) do
      local _, free, other = struct.unpack(${layouts.output}, each)
      if other == channel and free < at then at = free end
    end
    redis.call('ZADD', root .. 'unsent:' .. channel, at, id)
  end
end
`;

/**
 * It is gone, and with the last of a channel its place in `unsent`. Most are the only one, and that of a conversation in
 * `unsent` is of the channel: then nothing has to be read.
 */
const taken = `
local left = redis.call('HLEN', base .. ':o')
local only = left == 1 and redis.call('ZREM', root .. 'unsent:' .. channel, id) == 1
local pushed = only and redis.call('HDEL', base .. ':o', key) == 1
if pushed then
  left = 0
else
  if only then -- it is another
    local _, free = struct.unpack(${layouts.output}, redis.call('HVALS', base .. ':o')[1])
    redis.call('ZADD', root .. 'unsent:' .. channel, ${whole('free')}, id)
  end
  ${meant('left > 0')}
  if suffix then redis.call('HDEL', base .. suffix, key) end
  if suffix == ':o' then
    pushed = true
    ${leave}
  end
end
if pushed and left == 0 then ${last} end
`;

/**
 * Outputs that are gone for good, and of which nothing is kept. The last to go may leave nothing to do.
 * KEYS    the conversation of each
 * ARGV    per output: key, channel
 * Returns nothing
 * Repeat  changes nothing
 */
export const gone = lua(
  'allow-oom',
  `
for i, conversation in ipairs(KEYS) do
  local key, channel = ARGV[2 * i - 1], ARGV[2 * i]
  ${enter('conversation')}
  ${taken}
end
return 0
`,
);

/**
 * What became of outputs where there is more to say: to be tried again, or gone under an id of the channel's own.
 * KEYS    the conversation of each
 * ARGV    per output: key, channel, again in ms or '' (gone), new data, name or '', the channel's own id
 * Returns nothing
 * Repeat  changes nothing but the time of the next try
 */
export const sent = lua(
  'allow-oom',
  `
for i, conversation in ipairs(KEYS) do
  local p = 6 * (i - 1)
  local key, channel, again, data, name, sentId =
    ARGV[p + 1], ARGV[p + 2], ARGV[p + 3], ARGV[p + 4], ARGV[p + 5], ARGV[p + 6]
  ${enter('conversation')}
  if name ~= '' then ${named} end
  if again ~= '' then ${postponed} else ${taken} end
end
return 0
`,
);

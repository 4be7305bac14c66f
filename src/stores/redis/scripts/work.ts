/**
 * The small steps around a turn: remember, renew, due. None of them changes what a conversation holds.
 */
import { clock, enter, lua, reindex, revive, stamp } from './control.js';
import { load, write } from './record.js';

/**
 * Keeps a finished effect for the turn; the first value wins. Fenced by the turn, not by the lease.
 * KEYS[1] the conversation
 * ARGV    turn, key, value
 * Returns the value kept, or nil: the turn is over
 * Repeat  the same value
 */
export const remember = lua(
  'allow-oom',
  `
local turn, key, value = ARGV[1], ARGV[2], ARGV[3]
${enter('KEYS[1]')}
${load}
if not c or turn == '' or c[TURN] ~= turn then return false end
local memo = base .. ':m:' .. turn
if redis.call('HSETNX', memo, key, value) == 0 then return redis.call('HGET', memo, key) end
if c[IDLE] == 1 then redis.call('PEXPIRE', memo, c[RETENTION]) end
if c[MEMO] == 0 then
  c[MEMO] = 1
  ${stamp}
  ${write}
end
return value
`,
);

/**
 * Prolongs holds of one bucket.
 * KEYS    the conversations
 * ARGV    lease, then the token of each
 * Returns per conversation { 1 held | 0, entries waiting, now }
 * Repeat  prolongs once more
 */
export const renew = lua(
  'allow-oom',
  `
local lease = tonumber(ARGV[1])
local answers = {}
for i, key in ipairs(KEYS) do
  ${enter('key')}
  ${load}
  ${stamp}
  local held = c and c[TOKEN] ~= '' and c[TOKEN] == ARGV[i + 1]
  if held then
    c[UNTIL] = now + lease
    ${reindex}
    if c[IDLE] == 1 then ${revive} end
    ${write}
  end
  answers[i] = { held and 1 or 0, c and c[COUNT] or 0, now }
end
return answers
`,
);

/**
 * What wants a holder now.
 * KEYS    due of some buckets
 * ARGV    limit
 * Returns { now, conversation, … }
 */
export const due = lua(
  'writes-nothing',
  `
${clock}
local found, left = { now }, tonumber(ARGV[1])
for _, key in ipairs(KEYS) do
  if left <= 0 then break end
  local ids = redis.call('ZRANGEBYSCORE', key, '-inf', now, 'LIMIT', 0, left)
  for _, each in ipairs(ids) do found[#found + 1] = each end
  left = left - #ids
end
return found
`,
);

/**
 * Tells whoever listens. A script, because on a Cluster it has a node of its own and hints stay in order.
 * KEYS[1] only leads to a node
 * ARGV    the channel (the client puts its key prefix to keys, not to channels), the hint
 * Returns how many heard it on that node
 */
export const publish = lua('allow-oom', `return redis.call('PUBLISH', ARGV[1], ARGV[2])`);

/**
 * take: records an entry unless its id is known, and claims the conversation if somebody should work on it.
 * It decides nothing about what an entry means. The only script that Redis refuses when it is out of memory.
 */
import {
  brief,
  claim,
  claimable,
  enter,
  forEach,
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
import { Numbers, reading } from './numbers.js';
import { begun, created, documentOf, dueText, fetch, fieldsOfRaw, incarnation, keepDocument, write } from './record.js';

/**
 * `before`: the time after which the call must not claim, 0 for none. `entry`: 1 if one is given. `predecided`: 1 if a document
 * is given for the work on it, which follows the revision `known`.
 */
export const takeNumbers = new Numbers({
  lease: 'time',
  before: 'time',
  room: 'count',
  entry: 'flag',
  predecided: 'flag',
  known: 'number',
});

/** What most are: a new conversation, held by whoever brings its first entry. There is nothing to look at. */
const first = `
if not raw and entry == 1 and room > 0 and own == '' and lease > 0 and (before == 0 or now <= before)
  and redis.call('EXISTS', base .. ':r') == 0 then
  ${incarnation}
  ${dueText('now + lease')}
  redis.call('ZADD', root .. 'due', at_due, id)
  redis.call('SET', base, ${begun({
    ...{ FORM: '1', TOKEN: 'token', TURN: 'turn', UNTIL: 'now + lease', INDEX: 'now + lease' },
    ...{ ATTEMPT: '1', STRIKES: '1', COUNT: '1', HEADID: 'entryId', HEADAT: 'now', HEADBY: 'from', HEADDATA: 'data' },
  })})
  return { now, 0, inc, false }
end
`;

const body = `
${reading(takeNumbers, 'token', 'turn', 'entryId', 'own', 'ofLife')}
local data, from = ARGV[last - predecided], ${brief('token')}
${enter('key')}
${fetch}
${first}
${fieldsOfRaw}
${onward}
local state, outcome, closed, recorded, changed = 0, false, false, false, false

if entry == 1 then
  local outlived = c and 0 or redis.call('EXISTS', base .. ':r') -- marks of an earlier life
  local by
  if c and c[COUNT] > 0 and c[HEADID] == entryId then
    by = c[HEADBY]
  elseif c or outlived == 1 then
    ${recall('entryId')}
    if mark then
      local kind, ends, _, told, recorder = struct.unpack(${layouts.mark}, mark)
      if kind == 0 then by = recorder end
      if kind == 1 and ends > now then by, outcome, closed = recorder, told, true end
    end
  end
  if by then
    state = by == from and 1 or 2
  elseif (c and c[COUNT] or 0) >= room then
    state = 3
  else
    state, recorded, changed = 1, true, true
    if not c then
      ${created}
      if outlived == 1 then redis.call('PERSIST', base .. ':r') end
    end
    if c[COUNT] == 0 then -- its mark is written when it is closed
      c[HEADID], c[HEADAT], c[HEADDATA], c[HEADOWN], c[HEADBY], c[HEADMARK] = entryId, now, data, own, from, 0
    else
      ${supersede('entryId')} -- a mark whose time is over must not hide the new one
      redis.call('RPUSH', base .. ':q',
        struct.pack(${layouts.item}, #entryId, entryId, now, #data, data, #own, own, #from, from))
      c[MARKS] = c[MARKS] + redis.call('HSET', base .. ':r', entryId,
        struct.pack(${layouts.mark}, 0, 0, 0, '', 0, '', #from, from))
    end
    c[COUNT] = c[COUNT] + 1
  end
end

if not c then
  if entry == 0 then redis.call('ZREM', root .. 'due', id) end -- its keys ran out while a dead holder kept it in line
  return { now, state, outcome }
end
local mine = false
if lease > 0 and not closed then
  if c[TOKEN] == token and c[UNTIL] > now then
    mine = true
  elseif (before == 0 or now <= before) and ${claimable} then
    ${claim('lease')}
    mine, changed = true, true
  end
end
-- the work is new, and the caller knows all of it
local isNew = mine and state == 1 and c[HEADID] == entryId and c[HEADAT] == now and c[STRIKES] == 1 and c[ATTEMPT] == 1
  and c[TURN] == turn and c[MEMO] == 0
local isSo = isNew and recorded and predecided == 1 and c[REV] == known and c[INC] == ofLife and (c[DUE] < 0 or c[DUE] > now)
if isSo then
  local text = ARGV[last]
  c[REV] = known + 1
  ${keepDocument}
end
${reindex}
if changed then
  if c[IDLE] == 1 then ${revive} end
elseif moved and c[IDLE] == 0 and ${settled} and redis.call('EXISTS', base .. ':o') == 0 then
  ${retire} -- a hold ran out and left nothing to do
end
if changed or moved then ${write} end
if not mine then return { now, state, outcome } end
if isNew then return { now, c[REV], c[INC], isSo and 1 or ${documentOf} } end
local claimed = { now, state, outcome, c[REV], c[INC], c[ATTEMPT], c[STRIKES], c[TURN] ~= turn and c[TURN], ${documentOf}, ${memoOf} }
if state == 1 and c[HEADID] == entryId then -- the caller has it already
  claimed[11] = c[HEADAT]
elseif c[COUNT] > 0 then
  claimed[11], claimed[12], claimed[13] = c[HEADAT], c[HEADID], c[HEADDATA]
end
return claimed
`;

/**
 * KEYS    conversations
 * ARGV    for each its head (token, turn, entry id, the entry's own turn or '', the life of what is predecided or '') [, data
 *         of the entry [, the document that is predecided] ]
 * Returns for each { now, 0 no entry | 1 recorded | 2 repeat | 3 full, outcome or nil } and, if claimed, { …, revision,
 *         incarnation, attempt, strikes, turn (nil: the caller's), document or nil, memo or nil [, the entry's
 *         time [, its id, its data: it is not the caller's own] ] }; or, if the entry was recorded now and its work is
 *         new, only { now, revision, incarnation, document (1: the one that was predecided) or nil }
 * Repeat  while the token holds: the same claim, counting nothing. The recording token is told "recorded" again.
 */
export const take = forEach('refused-when-full', body);

/**
 * take: records an entry unless its id is known, and claims the conversation if somebody should work on it.
 * It decides nothing about what an entry means. The only script that Redis refuses when it is out of memory.
 */
import { claiming, control, lifetime, lua, recalling } from './control.js';

const body = `
local token, turn, lease, before = ARGV[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4])
local entryId, data, room, own = ARGV[5], ARGV[6], tonumber(ARGV[7]), ARGV[8]
enter(KEYS[1])
local c = load()
local now = stamp(c)
local state, outcome, closed, changed = 0, false, false, false
local outlived = not c and entryId and redis.call('EXISTS', base .. ':r') or 0 -- marks of an earlier life

if entryId then
  local by
  if c and c[HEAD] and c[HEAD][1] == entryId then
    by = c[HEAD][5]
  else
    local mark = (c or outlived == 1) and recall(c, entryId)
    if mark and mark[1] == 0 then
      by = mark[2]
    elseif mark and mark[1] == 1 and mark[3] > now then
      by, outcome, closed = mark[5], mark[4], true
    end
  end
  if by then
    state = by == token and 1 or 2
  elseif (c and c[COUNT] or 0) >= room then
    state = 3
  else
    state, changed = 1, true
    if not c then
      -- named after the call and the time: a second life is never taken for the first
      c = { string.format('%.0f-', now) .. string.sub(token, -12), 0, now, '', 0, '', 0, 0, 0, -1,
        0, 0, false, 0, 0, 0, '', 0, 0, outlived, 64, 0, -1, 1, 1, false, false, false, false, 0 }
      if outlived == 1 then redis.call('PERSIST', base .. ':r') end
    end
    local item = { entryId, now, data, own, token, 0 }
    if c[COUNT] == 0 then
      c[HEAD] = item -- its mark is written when it is closed
    else
      item[6] = 1
      supersede(c, entryId) -- a mark whose time is over must not hide the new one
      redis.call('RPUSH', base .. ':q', cmsgpack.pack(item))
      c[MARKS] = c[MARKS] + redis.call('HSET', base .. ':r', entryId, cmsgpack.pack({ 0, token }))
    end
    c[COUNT] = c[COUNT] + 1
  end
end

if not c then
  if not entryId then redis.call('ZREM', root .. 'due', id) end -- its keys ran out while a dead holder kept it in line
  return { now, state, outcome, false }
end
local mine = false
if lease > 0 and not closed then
  if c[TOKEN] == token and c[UNTIL] > now then
    mine = true
  elseif (before < 0 or now <= before) and claimable(c, now) then
    claim(c, token, turn, lease, now)
    mine, changed = true, true
  end
end
local moved = reindex(c, now)
if changed then
  if c[IDLE] == 1 then lifetimes(c, now).revive() end
elseif moved and c[IDLE] == 0 and isIdle(c, now) then
  lifetimes(c, now).retire() -- a hold ran out and left nothing to do
end
if changed or moved then write(c, now) end
return { now, state, outcome, mine and claimed(c, now) }
`;

/**
 * KEYS[1] the conversation
 * ARGV    token, turn, lease, claimBefore (-1: none) [, entry id, data, room, the entry's own turn or '']
 * Returns { now, 0 no entry | 1 recorded | 2 repeat | 3 full, outcome or nil, claim or nil }
 * Repeat  while the token holds: the same claim, counting nothing. The recording token is told "recorded" again.
 */
export const take = lua('refused-when-full', control, lifetime, recalling, claiming, body);

/**
 * What the scripts share, as Lua text: a conversation's place in `due`, its life time, its claims and repeat marks.
 * No script of its own, and no rules: who may do what is in the scripts that use it.
 *
 * Most of it is text to be put in place, not functions: a function that a script makes costs every run of it.
 *
 * Records besides the control record (record.ts), all little-endian, a text with its length before it:
 * an item of the queue   its id, time, data, own turn or '', recording token (brief)
 * a repeat mark          kind (0 queued, 1 closed), ends, call (brief), outcome, recording token (brief)
 * an output              its number, when it is free to be lent, its channel, then its data
 */
import { dueText, endText, named, times } from './record.js';

/** A token by its end, which is random: it is only compared. */
export const brief = (text: string) => `string.sub(${text}, -16)`;

/** An item of the queue, a mark, a name with its mark, one text of a list, and an output without its data. */
export const layouts = {
  item: `'<I4c0dI4c0I4c0I4c0'`,
  mark: `'<BdBc0I4c0Bc0'`,
  pair: `'<I4c0I4c0'`,
  marked: `'<I4c0I4BdBc0I4c0Bc0'`, // the pair and its mark in one, whose length is 15 and its texts
  text: `'<I4c0'`,
  output: `'<I4dI4c0'`,
} as const;

/** What scripts use again and again, as local variables: looking it up each time costs more than many a step. */
const locals = `
local ARGV, string, redis_call, struct_pack, struct_unpack = ARGV, string, redis.call, struct.pack, struct.unpack
local string_sub = string.sub
`.trim();

/** A whole script. */
export function lua(flags: 'writes-nothing' | 'allow-oom' | 'refused-when-full', ...parts: readonly string[]): string {
  const first = { 'writes-nothing': ' flags=no-writes', 'allow-oom': ' flags=allow-oom', 'refused-when-full': '' }[
    flags
  ];
  const short = named([times, ...parts].join('\n')).replace(
    /\b(redis|struct|string)\.(call|pack|unpack|sub)\b/g,
    '$1_$2',
  );
  return `#!lua${first}\n${locals}\n${short}`;
}

/**
 * A whole script that does its work for every conversation in KEYS: those that take the same step at the same time share
 * a call. `key` is the conversation's, `first` where its arguments begin, and `now` is the same for all; `reading` sets
 * `last` and moves `first` on. What goes wrong for one is its own answer, and the others do not notice.
 */
export function forEach(flags: 'allow-oom' | 'refused-when-full', body: string): string {
  return lua(
    flags,
    `
${clock}
local first = 1
local function step(key)
  local now = now
  ${body}
end
local answers = {}
for i = 1, #KEYS do
  local done, answer = pcall(step, KEYS[i])
  if not done and type(answer) ~= 'table' then answer = { err = answer } end -- as Redis before 7 says it
  answers[i] = answer
end
return answers
`,
  );
}

/** Sets `base`, `root` and `id` from a conversation's key. */
export const enter = (key: string) => `
local base = ${key}
local brace = string.find(base, '}:c:', 1, true)
local root, id = string.sub(base, 1, brace + 1), string.sub(base, brace + 4)
`;

/** Sets `now`: the server's time in ms. */
export const clock = `
local t = redis.call('TIME')
local now = t[2] / 1000
now = t[1] * 1000 + now - now % 1
`;

/** Sets `now` right: within a conversation it never goes back. */
export const onward = `if c and c[LAST] > now then now = c[LAST] end`;
export const stamp = clock + onward;

/** In due if leased, or an entry waits, or a due time is set; INDEX is the score it has there. Sets `moved`. */
export const reindex = `
local place = -1
if c[TOKEN] ~= '' and c[UNTIL] > now then
  place = c[UNTIL]
elseif c[COUNT] > 0 then
  place = math.max(c[HEADAT], c[NOTBEFORE])
elseif c[DUE] >= 0 then
  place = math.max(c[DUE], c[NOTBEFORE])
end
local moved = place ~= c[INDEX]
if moved then
  if place < 0 then
    redis.call('ZREM', root .. 'due', id)
  else
    ${dueText('place')}
    redis.call('ZADD', root .. 'due', at_due, id)
  end
  c[INDEX] = place
end
`;

/** True if nothing is left to do but, perhaps, to send what is in the outbox. */
export const settled = `(c[OPEN] == 0 and c[COUNT] == 0 and c[DUE] < 0 and (c[TOKEN] == '' or c[UNTIL] <= now))`;

/** Runs the work for every text of a list, named `each`. */
export const every = (list: string, work: string) => `
do
  local at, list = 1, ${list}
  while at <= #list do
    local each
    each, at = struct.unpack(${layouts.text}, list, at)
    ${work}
  end
end
`;

/**
 * The keys of a participant named `each`. Nearly everybody has one conversation in a bucket, for which a string is
 * enough: that of PEOPLE is of this conversation. Further ones are in a set: for those of ALSO it is there.
 */
export const person = `root .. 'p:' .. each`;
export const also = `root .. 'also:' .. each`;

const enlist = `
local also = ${also}
redis.call('ZADD', also, '+inf', id)
redis.call('PERSIST', also)
`;

/** Somebody named `each` takes part. */
export const join = `
local one = struct.pack(${layouts.text}, #each, each)
if not string.find(c[PEOPLE], one, 1, true) and not string.find(c[ALSO], one, 1, true) then
  if redis.call('SETNX', ${person}, id) == 1 then
    c[PEOPLE] = c[PEOPLE] .. one
  else
    c[ALSO] = c[ALSO] .. one
    ${enlist}
  end
end
`;

/** Nobody's string runs out; one that did, before the control record, may be another conversation's by now. */
const rejoin = `
local people = c[PEOPLE]
c[PEOPLE] = ''
${every(
  'people',
  `
  local person = ${person}
  if redis.call('GET', person) == id then
    redis.call('PERSIST', person)
    c[PEOPLE] = c[PEOPLE] .. struct.pack(${layouts.text}, #each, each)
  else
    ${join}
  end`,
)}
`;

/** That somebody took part is known as long as the conversation. */
const outgoing = `
local also = ${also}
redis.call('ZADD', also, at_end, id)
if redis.call('ZCOUNT', also, '+inf', '+inf') == 0 then
  redis.call('PEXPIREAT', also, at_end)
else -- it lives on, without what ran out
  redis.call('ZREMRANGEBYSCORE', also, '-inf', string.format('(%.0f', now))
end
`;

/** The same command for the keys that live as long as the control record. */
const forKeys = (command: (key: string) => string) => `
${command("base .. ':h'")}
if c[DOC] == 2 then ${command("base .. ':d'")} end
if c[NAMED] == 1 then ${command("base .. ':s'")} end
if c[PULLS] == 1 then ${command("base .. ':u'")} end
if c[MEMO] == 1 then ${command("base .. ':m:' .. c[TURN]")} end
${every('c[KEPT]', command("base .. ':m:' .. each"))}
`;

/** Nothing is left to do: the keys get a time to live. The control record is written afterwards, with its own. */
export const retire = `
if c[IDLE] == 1 then ${rejoin} end
c[IDLE] = 1
${endText}
${forKeys((key) => `redis.call('PEXPIREAT', ${key}, at_end)`)}
if c[RECENTS] > 0 and c[REPEAT] > c[RETENTION] then -- marks that outlive the control record must not be in it
  local at = 1
  while at <= #c[RECENT] do
    local name, mark
    name, mark, at = struct.unpack(${layouts.pair}, c[RECENT], at)
    c[MARKS] = c[MARKS] + redis.call('HSET', base .. ':r', name, mark)
  end
  c[RECENT], c[RECENTS] = '', 0
end
if c[MARKS] > 0 then redis.call('PEXPIRE', base .. ':r', c[REPEAT]) end
${every('c[PEOPLE]', `redis.call('PEXPIREAT', ${person}, at_end)`)}
${every('c[ALSO]', outgoing)}
`;

/** There is work again: nothing may run out. */
export const revive = `
c[IDLE] = 0
${forKeys((key) => `redis.call('PERSIST', ${key})`)}
if c[MARKS] > 0 then redis.call('PERSIST', base .. ':r') end
${every('c[ALSO]', enlist)}
${rejoin}
`;

/** Sets `mark`: that of a name, as it is packed, or false. Needs `c`, which may be false. */
export const recall = (name: string) => `
local mark = false
if c and c[RECENTS] > 0 and string.find(c[RECENT], ${name}, 1, true) then
  local at = 1
  while not mark and at <= #c[RECENT] do
    local each, found
    each, found, at = struct.unpack(${layouts.pair}, c[RECENT], at)
    if each == ${name} then mark = found end
  end
end
if not mark and (not c or c[MARKS] > 0) then mark = redis.call('HGET', base .. ':r', ${name}) end
`;

/** Takes an old mark of `name` out of the control record. */
export const supersede = (name: string) => `
if c[RECENTS] > 0 and string.find(c[RECENT], ${name}, 1, true) then
  local at = 1
  while at <= #c[RECENT] do
    local start, each, mark = at
    each, mark, at = struct.unpack(${layouts.pair}, c[RECENT], at)
    if each == ${name} then
      c[RECENT] = string.sub(c[RECENT], 1, start - 1) .. string.sub(c[RECENT], at)
      c[RECENTS] = c[RECENTS] - 1
      break
    end
  end
end
`;

/** True if somebody may claim it now. */
export const claimable = `
((c[TOKEN] == '' or c[UNTIL] <= now) and c[NOTBEFORE] <= now and (c[COUNT] > 0 or (c[DUE] >= 0 and c[DUE] <= now)))
`;

/** Claims for `token`, until `lease` is over; `turn` is the id of new work. */
export const claim = (lease: string) => `
c[TOKEN] = token
c[UNTIL] = now + ${lease}
c[ATTEMPT] = c[ATTEMPT] + 1
c[STRIKES] = c[STRIKES] + 1
if c[TURN] == '' then
  c[TURN] = c[HEADOWN] ~= '' and c[HEADOWN] or turn
  if c[KEPT] ~= '' then
    local kept = struct.pack(${layouts.text}, #c[TURN], c[TURN])
    local from, to = string.find(c[KEPT], kept, 1, true)
    if from then
      c[KEPT] = string.sub(c[KEPT], 1, from - 1) .. string.sub(c[KEPT], to + 1)
      c[MEMO] = 1
    end
  end
end
`;

/** What the turn remembers. */
export const memoOf = `(c[MEMO] == 1 and redis.call('HGETALL', base .. ':m:' .. c[TURN]))`;

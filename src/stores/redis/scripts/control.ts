/**
 * What the scripts share, as Lua text: the control record, a conversation's place in `due`, and its life time.
 * No script of its own, and no rules: who may do what is in the scripts that use it.
 *
 * Most of it is text to be put in place, not functions: a function that a script makes costs every run of it.
 *
 * The control record is one packed string under the conversation's first key, so that a step reads it with one command
 * and writes it with one. The front entry lives in it, and so do the last few repeat marks: a short conversation has no
 * keys for them. Every byte of it costs, because Lua looks at each when it makes a text; so what is only compared is kept
 * by its end (`brief`). A field is only ever added at the end; what follows the known ones is written back.
 *
 * Other records (all little-endian, a text with its length before it):
 * an item of the queue   its id, time, data, own turn or '', recording token (brief)
 * a repeat mark          kind (0 queued, 1 closed), ends, call (brief), outcome, recording token (brief)
 * an output              its number, when it is free to be lent, its channel, then its data
 */

/** Times, counts, flags and texts of the control record, in this order. */
const times = [
  'LAST', // the latest time that was given out
  'UNTIL', // the end of the hold
  'NOTBEFORE',
  'DUE', // or -1
  'INDEX', // the score in due, or -1
  'RETENTION',
  'REPEAT',
  'HEADAT',
];
/** The revision, and the save that made it; they are written alone by `within`. */
const made = ['REV', 'CALL'];
const counts = [
  'ATTEMPT',
  'STRIKES',
  'COUNT', // of entries waiting, the front one included
  'SEQ', // of outputs
  'MARKS', // about how many are in `:r`, and at how many it is cleared
  'PRUNE',
];
const flags = [
  'OPEN',
  'DOC', // 1: there is a document
  'MEMO', // 1: the turn has a memo
  'NEXT', // 1: the last save handed over
  'IDLE', // 1: the keys have a time to live
  'PULLS', // 1: there were outputs to pull
  'HEADMARK', // 1: the front entry had to queue, and has a mark in `:r`
  'RECENTS', // how many marks are in RECENT
  'NAMED', // 1: there are ids of what was sent
];
const texts = [
  'TOKEN', // of the holder, or ''
  'INC', // the life of the conversation
  'TURN', // of the work that was begun and not finished, or ''
  'HEADID',
  'HEADOWN',
  'HEADBY', // the token that recorded it, brief
  'PEOPLE', // a list, one text after the other, like the next
  'KEPT', // turns whose memo outlived them
];
/** These may be long, so their bytes stand behind the rest and are only copied. */
const tails = [
  'RECENT', // names and marks, by turns
  'HEADDATA',
];
const scalars = [...times, ...made, ...counts, ...flags];
const fields = [...scalars, ...texts, ...tails, 'REST'];

const layout = `'<${'d'.repeat(times.length)}I4c16${'I4'.repeat(counts.length)}${'B'.repeat(flags.length)}${'I4c0'.repeat(texts.length)}${'I4'.repeat(tails.length)}'`;
const packed = [
  ...scalars.map((name) => `c[${name}]`),
  ...texts.map((name) => `#c[${name}], c[${name}]`),
  ...tails.map((name) => `#c[${name}]`),
].join(', ');

const madeAt = 8 * times.length;
const flagsAt = madeAt + 4 + 16 + 4 * counts.length;

/** Where things are in the packed record, for steps that need not look at all of it. */
export const offsets = {
  made: madeAt,
  open: flagsAt + flags.indexOf('OPEN'),
  document: flagsAt + flags.indexOf('DOC'),
  named: flagsAt + flags.indexOf('NAMED'),
  token: flagsAt + flags.length,
} as const;

/** A token by its end, which is random: it is only compared. */
export const brief = (text: string) => `string.sub(${text}, -16)`;

/** An item of the queue, a mark, a name with its mark, one text of a list, and an output without its data. */
export const layouts = {
  item: `'<I4c0dI4c0I4c0I4c0'`,
  mark: `'<BdI4c0I4c0I4c0'`,
  pair: `'<I4c0I4c0'`,
  text: `'<I4c0'`,
  output: `'<I4dI4c0'`,
} as const;

/** A whole script. Field names become numbers here: as Lua variables they would cost every run some microseconds. */
export function lua(flags: 'writes-nothing' | 'allow-oom' | 'refused-when-full', ...parts: readonly string[]): string {
  const first = { 'writes-nothing': ' flags=no-writes', 'allow-oom': ' flags=allow-oom', 'refused-when-full': '' }[
    flags
  ];
  const place = (_: string, name: string) => `c[${fields.indexOf(name) + 1}]`;
  return `#!lua${first}\n${parts.join('\n').replace(/\bc\[([A-Z]+)\]/g, place)}`;
}

/** Sets `base`, `root` and `id` from a conversation's key. */
export const enter = (key: string) => `
local base = ${key}
local brace = string.find(base, '}:c:', 1, true)
local root, id = string.sub(base, 1, brace + 1), string.sub(base, brace + 4)
`;

/** A whole number as text: given to Redis as a number it would be printed with all its digits, at three times the cost. */
export const whole = (number: string) => `string.format('%d', ${number})`;

/** Sets `life`: the time to live as text. */
export const lifetime = `life = life or ${whole('c[RETENTION]')}`;

/** Sets `c`: the control record, or false. */
export const load = `
local life
local raw = redis.call('GET', base)
local c = raw and { struct.unpack(${layout}, raw) }
if c then
  local at = c[REST]
  local recent = at + c[RECENT]
  local data = recent + c[HEADDATA]
  c[REST] = string.sub(raw, data)
  c[HEADDATA] = string.sub(raw, recent, data - 1)
  c[RECENT] = string.sub(raw, at, recent - 1)
end
`;

/** Sets `now`: the server's time in ms. */
export const clock = `
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
`;

/** Sets `now`; within a conversation it never goes back. */
export const stamp = `
${clock}
if c and c[LAST] > now then now = c[LAST] end
`;

/** Writes the control record. */
export const write = `
c[LAST] = now
local record = struct.pack(${layout}, ${packed}) .. c[RECENT] .. c[HEADDATA] .. c[REST]
if c[IDLE] == 1 then
  ${lifetime}
  redis.call('SET', base, record, 'PX', life)
else
  redis.call('SET', base, record)
end
`;

/** The first control record of a conversation; `outlived` is 1 if marks of an earlier life are left. */
export const created = `
c = { now, 0, 0, -1, -1, 1, 1, 0, 0, '${'.'.repeat(16)}', 0, 0, 0, 0, outlived, 64, 0, 0, 0, 0, 0, 0, 0, 0, 0,
  '', t[1] .. t[2] .. string.sub(token, -12), -- named after the time too: a second life is never taken for the first
  '', '', '', '', '', '', '', '', '' }
`;

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
  if place < 0 then redis.call('ZREM', root .. 'due', id) else redis.call('ZADD', root .. 'due', ${whole('place')}, id) end
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

/** Somebody takes part: named `each`. */
export const join = `
local person = root .. 'p:' .. each
redis.call('ZADD', person, '+inf', id)
redis.call('PERSIST', person)
`;

/** Nothing is left to do: the keys get a time to live. The control record is written afterwards, with its own. */
export const retire = `
c[IDLE] = 1
${lifetime}
redis.call('PEXPIRE', base .. ':h', life)
if c[DOC] == 1 then redis.call('PEXPIRE', base .. ':d', life) end
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
if c[NAMED] == 1 then redis.call('PEXPIRE', base .. ':s', life) end
if c[PULLS] == 1 then redis.call('PEXPIRE', base .. ':u', life) end
if c[MEMO] == 1 then redis.call('PEXPIRE', base .. ':m:' .. c[TURN], life) end
${every('c[KEPT]', `redis.call('PEXPIRE', base .. ':m:' .. each, life)`)}
${every(
  'c[PEOPLE]',
  `
    local person = root .. 'p:' .. each
    redis.call('ZADD', person, ${whole('now + c[RETENTION]')}, id)
    if redis.call('ZCOUNT', person, '+inf', '+inf') == 0 then
      redis.call('PEXPIRE', person, life)
    else -- it lives on, without what ran out
      redis.call('ZREMRANGEBYSCORE', person, '-inf', string.format('(%.0f', now))
    end`,
)}
`;

/** There is work again: nothing may run out. */
export const revive = `
c[IDLE] = 0
for _, suffix in ipairs({ ':d', ':h', ':r', ':s', ':u' }) do redis.call('PERSIST', base .. suffix) end
if c[MEMO] == 1 then redis.call('PERSIST', base .. ':m:' .. c[TURN]) end
${every('c[KEPT]', `redis.call('PERSIST', base .. ':m:' .. each)`)}
${every('c[PEOPLE]', join)}
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

/** The document as it is answered, and what the turn remembers. */
export const documentOf = `(c[DOC] == 1 and redis.call('GET', base .. ':d'))`;
export const memoOf = `(c[MEMO] == 1 and redis.call('HGETALL', base .. ':m:' .. c[TURN]))`;

/**
 * The control record as Lua text: its fields, how it is read and how it is written. What the fields mean to a step is
 * not decided here.
 *
 * It is one packed string under the conversation's first key, so that a step reads it with one command and writes it with
 * one. The front entry lives in it, and so do the last few repeat marks and a document that is not long: a short
 * conversation has no keys for them. Every field and every byte costs, so what is as usual is left out in three forms:
 * what only waits, what is worked on, and all there is. What is only compared is kept by its end (`brief`). A field is
 * only ever added behind the last form; what follows the known ones is written back.
 */

/** 'flag' is a byte that is 0, and passed over, in a form that has only what is usual. */
type Format = 'd' | 'I4' | 'B' | 'flag' | 'Bc0' | 'I4c0' | 'tail' | `c${number}`;
/** What a field is packed as, and what it is in a form without it. */
type Fields = Readonly<Record<string, readonly [format: Format, usual?: string]>>;

/** What `within` writes alone. */
const made: Fields = {
  LAST: ['d'], // the latest time that was given out
  REV: ['I4'], // the revision, and the save that made it
  CALL: ['c16'],
  TEXT: ['I4'], // the length of the document, which is the end of the record, or 0
};
const flags: Fields = {
  OPEN: ['B'],
  DOC: ['B'], // 1: there is a document, 2: and it has a key of its own
  MEMO: ['flag', '0'], // 1: the turn has a memo
  NEXT: ['flag', '0'], // 1: the last save handed over
  IDLE: ['B'], // 1: the keys have a time to live
  PULLS: ['flag', '0'], // 1: there were outputs to pull
  HEADMARK: ['flag', '0'], // 1: the front entry had to queue, and has a mark in `:r`
  RECENTS: ['B'], // how many marks are in RECENT
  NAMED: ['B'], // 1: there are ids of what was sent
  TICK: ['B'], // one more with every record that a script makes, so that no two of them begin alike
  FORM: ['B'], // 0: it waits, 1: it is worked on, 2: all there is
};
/** What every record has. */
const waiting: Fields = {
  ...made,
  ...flags,
  TOKEN: ['I4c0'], // of the holder, or ''
  DUE: ['d'], // or -1
  RETENTION: ['d'],
  REPEAT: ['d'],
  SEQ: ['I4'], // of outputs
  INC: ['Bc0'], // the life of the conversation
  PEOPLE: ['I4c0'], // a list, one text after the other, like ALSO and KEPT
  RECENT: ['tail'], // names and marks, by turns
};
const working: Fields = {
  UNTIL: ['d', '0'], // the end of the hold
  INDEX: ['d', 'DUE'], // the score in due, or -1
  HEADAT: ['d', '0'],
  ATTEMPT: ['I4', '0'],
  STRIKES: ['I4', '0'],
  COUNT: ['I4', '0'], // of entries waiting, the front one included
  TURN: ['I4c0', "''"], // of the work that was begun and not finished, or ''
  HEADID: ['I4c0', "''"],
  HEADBY: ['Bc0', "''"], // the token that recorded it, brief
  HEADDATA: ['tail', "''"],
};
const seldom: Fields = {
  NOTBEFORE: ['d', '0'],
  MARKS: ['I4', '0'], // about how many are in `:r`, and at how many it is cleared
  PRUNE: ['I4', '64'],
  HEADOWN: ['I4c0', "''"],
  ALSO: ['I4c0', "''"], // further people
  KEPT: ['I4c0', "''"], // turns whose memo outlived them
};
const busy: Fields = { ...waiting, ...working };
const all: Fields = { ...busy, ...seldom };
const fields = [...Object.keys(all), 'REST'];

/** Fields are local variables: reading a table, and making one, would cost every run some microseconds. */
export function named(script: string): string {
  return script.replace(/\bc\[([A-Z]+)\]/g, 'c_$1');
}

/** What a form sets and keeps. */
const kept = (form: Fields) => Object.entries(form).filter(([, [format]]) => format !== 'flag' || form === all);

/** The bytes of a tail may be many, so they stand behind the rest and are only copied. */
const layoutOf = (form: Fields) =>
  `'<${Object.values(form)
    .map(([format]) => (format === 'tail' ? 'I4' : format !== 'flag' ? format : form === all ? 'B' : 'x'))
    .join('')}'`;

/** Lua text of a record in a form: of the fields, or of what is given for them. */
function packed(form: Fields, of = (name: string) => `c[${name}]`): string {
  const values = kept(form).map(([name, [format]]) =>
    format === 'tail' ? `#${of(name)}` : format.endsWith('c0') ? `#${of(name)}, ${of(name)}` : of(name),
  );
  const tails = Object.entries(form).flatMap(([name, [format]]) => (format === 'tail' ? [of(name)] : []));
  return [`struct.pack(${layoutOf(form)}, ${values.join(', ')})`, ...tails].join(' .. ');
}

/** Sets all fields from `raw`. */
function unpacked(form: Fields): string {
  const names = (of: readonly string[]) => of.map((name) => `c[${name}]`).join(', ');
  const set = kept(form).map(([name]) => name);
  const tails = Object.entries(form)
    .filter(([, [format]]) => format === 'tail')
    .map(([name]) => `c[${name}], at = string.sub(raw, at, at + c[${name}] - 1), at + c[${name}]`);
  const others = Object.entries(all).filter(([name]) => !set.includes(name));
  const usual = others.map(([, [, value = '']]) => (value in all ? `c[${value}]` : value));
  return `
local at
${names(set)}, at = struct.unpack(${layoutOf(form)}, raw)
${tails.join('\n')}
c[REST] = at <= #raw - c[TEXT] and string.sub(raw, at, #raw - c[TEXT]) or ''
${others.length > 0 ? `${names(others.map(([name]) => name))} = ${usual.join(', ')}` : ''}`;
}

/** Where things are in the packed record, for steps that need not look at all of it. */
const size = 32; // of what was made
const place = (flag: string) => size + Object.keys(flags).indexOf(flag);
export const offsets = {
  open: place('OPEN'),
  document: place('DOC'),
  named: place('NAMED'),
  form: place('FORM'),
  token: size + Object.keys(flags).length,
} as const;
export const madeLayout = layoutOf(made);
/** So many bytes at the beginning of a record, the token of its holder included, are others whenever the record is another. */
export const beginning = offsets.token + 4 + 36;

/** A longer document has a key of its own: whatever is in the record passes through every step. */
export const longestInside = 1_024;

/** A whole number as text: given to Redis as a number it would be printed with all its digits. */
export const whole = (number: string) => `string.format('%d', ${number})`;

/**
 * Sets a variable of the whole call to a time as text, unless it is that: to make the text costs as much as a small command,
 * and steps that share a call have the same times.
 */
const timed = (name: string, time: string) =>
  `if ${name}_of ~= ${time} then ${name}, ${name}_of = ${whole(time)}, ${time} end`;
export const times = `local at_due, at_due_of, at_free, at_free_of, at_end, at_end_of`;
/** When somebody should look at the conversation, when an output is free, and when what has nothing to do any more runs out. */
export const dueText = (time: string) => timed('at_due', time);
export const freeText = (time: string) => timed('at_free', time);
export const endText = timed('at_end', 'now + c[RETENTION]');

/** Sets `raw`: the control record as it is kept, or false. */
export const fetch = `local raw = redis.call('GET', base)`;

/** Sets `c`: whether there is a control record, and its fields. Whoever sets `body` changes the document in it. */
export const fieldsOfRaw = `
local body
local ${fields.map((name) => `c[${name}]`).join(', ')}
local c = raw and true
if raw then
  local form = string.byte(raw, ${offsets.form + 1})
  if form == 0 then ${unpacked(waiting)}
  elseif form == 1 then ${unpacked(busy)}
  else ${unpacked(all)}
  end
end
`;
export const load = fetch + fieldsOfRaw;

/** Writes the control record. A time to wait that is over is forgotten. */
export const write = `
c[LAST] = now
c[TICK] = (c[TICK] + 1) % 256
if not body then body = raw and c[TEXT] > 0 and string.sub(raw, -c[TEXT]) or '' end
c[TEXT] = #body
if c[NOTBEFORE] > now or c[MARKS] > 0 or c[PRUNE] ~= 64 or c[HEADOWN] ~= '' or c[ALSO] ~= ''
  or c[KEPT] ~= '' or c[MEMO] == 1 or c[NEXT] == 1 or c[PULLS] == 1 or c[HEADMARK] == 1 then
  c[FORM] = 2
elseif c[COUNT] > 0 or c[TURN] ~= '' or c[TOKEN] ~= '' or c[INDEX] ~= c[DUE] then
  c[FORM] = 1
else
  c[FORM] = 0
end
local record
if c[FORM] == 0 then
  record = ${packed(waiting)} .. c[REST] .. body
elseif c[FORM] == 1 then
  record = ${packed(busy)} .. c[REST] .. body
else
  record = ${packed(all)} .. c[REST] .. body
end
if c[IDLE] == 1 then
  ${endText}
  redis.call('SET', base, record, 'PXAT', at_end)
else
  redis.call('SET', base, record)
end
`;

const first: Readonly<Record<string, string>> = {
  LAST: 'now',
  CALL: `'${'.'.repeat(16)}'`,
  DUE: '-1',
  INDEX: '-1',
  RETENTION: '1',
  REPEAT: '1',
  INC: 'inc',
  MARKS: 'outlived',
};
const isNumber = (format: Format) => format === 'd' || format === 'I4' || format === 'B';
const firstOf = (name: string): string => {
  const [format = 'tail', usual] = all[name] ?? [];
  return first[name] ?? usual ?? (isNumber(format) ? '0' : "''");
};

/** The name of a new life, after the time too: it is never taken for an earlier one. */
export const incarnation = `local inc = t[1] .. string.sub(token, -12)`;

/** The first control record of a conversation; `outlived` is 1 if marks of an earlier life are left. */
export const created = `
${incarnation}
c = true
${fields.map((name) => `c[${name}]`).join(', ')} = ${fields.map(firstOf).join(', ')}
`;

/** The same as it is kept, of a conversation that is worked on at once. */
export const begun = (given: Readonly<Record<string, string>>): string =>
  packed(busy, (name) => given[name] ?? firstOf(name));

/** The document as it is answered. */
export const documentOf = `
(c[DOC] == 1 and (body or string.sub(raw, -c[TEXT])) or c[DOC] == 2 and redis.call('GET', base .. ':d'))`;

/** Puts `text` into the record as its document, or under a key of its own. */
export const keepDocument = `
if #text > 0 and #text <= ${longestInside} then
  if c[DOC] == 2 then redis.call('UNLINK', base .. ':d') end
  c[DOC], body = 1, text
else
  redis.call('SET', base .. ':d', text)
  c[DOC], body = 2, ''
end`;

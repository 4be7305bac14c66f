/**
 * within: a save inside a turn that changes the document and nothing else, which is what a decision is. It looks at the
 * beginning of the control record only, and leaves every other case to save.
 */
import { forEach, layouts } from './control.js';
import { Numbers, reading } from './numbers.js';
import { longestInside, madeLayout, offsets, whole } from './record.js';

export const withinNumbers = new Numbers({ revision: 'number' });

/**
 * KEYS    conversations
 * ARGV    for each its head (token, call of 16 signs), document
 * Returns for each the time of the save, or 0: it is not for this script
 * Repeat  at once: the same answer
 */
export const within = forEach(
  'allow-oom',
  `
${reading(withinNumbers, 'token', 'call')}
local base, text = key, ARGV[last]
local head = redis.call('GETRANGE', base, '0', ${offsets.token + 3} + #token)
if string.sub(head, ${offsets.token + 1}) ~= struct.pack(${layouts.text}, #token, token) then return 0 end
local latest, rev, by, size = struct.unpack(${madeLayout}, head)
if latest > now then now = latest end
if by == call then return now end
if rev ~= revision then return 0 end
local kind = string.byte(head, ${offsets.document + 1})
if kind == 1 and #text >= size and #text <= ${longestInside} then -- over the old one, at the end of the record
  local length = redis.call('SETRANGE', base, '0', struct.pack(${madeLayout}, now, rev + 1, call, #text))
  redis.call('SETRANGE', base, ${whole('length - size')}, text)
elseif kind == 2 and #text > ${longestInside} then
  redis.call('SET', base .. ':d', text)
  redis.call('SETRANGE', base, '0', struct.pack(${madeLayout}, now, rev + 1, call, size))
else
  return 0
end
return now
`,
);

/**
 * within: a save inside a turn that changes the document and nothing else, which is what a decision is. It looks at the
 * beginning of the control record only, and leaves every other case to save.
 */
import { clock, layouts, lua, offsets } from './control.js';
import { unpacked } from './numbers.js';

export const withinNumbers = { revision: 'revision' } as const;

/**
 * KEYS[1] the conversation
 * ARGV    numbers, token, call (16 signs), document
 * Returns the time of the save, or 0: it is not for this script
 * Repeat  at once: the same answer
 */
export const within = lua(
  'allow-oom',
  `
${unpacked(withinNumbers, 'ARGV[1]')}
local base, token, call = KEYS[1], ARGV[2], ARGV[3]
local head = redis.call('GETRANGE', base, 0, ${offsets.token + 3} + #token)
if string.sub(head, ${offsets.token + 1}) ~= struct.pack(${layouts.text}, #token, token) then return 0 end
local last = struct.unpack('<d', head)
local rev, by = struct.unpack('<I4c16', head, ${offsets.made + 1})
${clock}
if last > now then now = last end
if by == call then return now end
if rev ~= revision or string.byte(head, ${offsets.document + 1}) ~= 1 then return 0 end
redis.call('SETRANGE', base, 0,
  struct.pack('<d', now) .. string.sub(head, 9, ${offsets.made}) .. struct.pack('<I4c16', rev + 1, call))
redis.call('SET', base .. ':d', ARGV[4])
return now
`,
);

/**
 * take: records an entry unless its id is known, and claims the conversation if somebody should work on it.
 * Also what else a holder does: renew, remember. It decides nothing about what an entry means.
 */
import { comeTrue } from '../call-check.js';
import type { Claim, Hold, Remember, Remembered, Renewed, Take, Taken } from '../port.js';
import { Conversation } from './conversation.js';
import type { Database } from './database.js';
import { markOf } from './marks.js';

export function take(db: Database, call: Take, now: number): Taken {
  const { entry, token } = call;
  const closed = entry && markOf(db, call.conversationId, entry.id, now);
  let conversation = Conversation.find(db, call.conversationId, now);
  let said: Taken['entry'];
  let changed = false;
  let isNew = false;
  if (entry !== undefined) {
    const known = closed?.recordedBy ?? conversation?.recordedBy(entry.id);
    if (closed !== undefined || known !== undefined) said = known === token ? 'recorded' : 'repeat';
    else if ((conversation?.control.waiting ?? 0) >= entry.room) said = 'full';
    else {
      conversation ??= Conversation.create(db, call.conversationId);
      conversation.record(entry, token, now);
      said = 'recorded';
      changed = true;
      isNew = true;
    }
  }
  let claim: Claim | undefined;
  if (conversation !== undefined && closed === undefined && call.lease > 0) {
    if (conversation.held(now)) claim = conversation.control.token === token ? conversation.claimed(now) : undefined;
    else if ((call.claimBefore ?? now) >= now && conversation.wantedAt() <= now) {
      claim = conversation.claim(token, call.turn, call.lease, now);
      changed = true;
    }
  }
  const predecided = isNew && conversation && claim ? comeTrue(call, claim, conversation.control.due) : undefined;
  if (predecided !== undefined) claim = conversation?.foresaw(predecided, now);
  if (changed) conversation?.write(now);
  return {
    now,
    ...(said && { entry: said }),
    ...(closed && { outcome: closed.outcome }),
    ...(claim && { claim }),
  };
}

export function renew(db: Database, { conversationId, token }: Hold, lease: number, now: number): Renewed {
  const conversation = Conversation.find(db, conversationId, now);
  const held = conversation?.control.token === token;
  if (held) {
    conversation.control.until = now + lease;
    conversation.write(now);
  }
  return { conversationId, token, held, queue: conversation?.control.waiting ?? 0, now };
}

export function remember(db: Database, { conversationId, turn, key, value }: Remember, now: number): Remembered {
  const conversation = Conversation.find(db, conversationId, now);
  const control = conversation?.control;
  if (control?.turn !== turn) return { type: 'ended' };
  if (control.memo === 0) db.run('UPDATE conversation SET memo = 1 WHERE n = ?', control.n);
  db.run('INSERT OR IGNORE INTO memo VALUES (?, ?, ?, ?)', control.n, turn, key, value);
  const kept = db.get<{ value: string }>(
    'SELECT value FROM memo WHERE c = ? AND turn = ? AND key = ?',
    control.n,
    turn,
    key,
  );
  return { type: 'kept', value: kept?.value ?? value };
}

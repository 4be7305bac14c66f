/**
 * Checks a call before anything of it happens, so that a wrong one leaves nothing half done. Every store uses it.
 * It checks that times are times, lists are lists and strings are strings; it never looks at what a record means.
 */

import { Buffer } from 'node:buffer';
import { AgentError } from '../core/errors.js';
import { type Stored, StoredRecord } from '../core/format/stored.js';
import { describe } from '../core/ids.js';
import type { Borrow, Erase, Hold, ListName, Mark, Remember, Save, SettledPage, Swap, Take } from './port.js';

export function checkTake(call: Take): void {
  const { entry, predecide } = call;
  string('conversationId', call.conversationId);
  string('token', call.token);
  string('turn', call.turn);
  time('lease', call.lease);
  if (call.claimBefore !== undefined) time('claimBefore', call.claimBefore);
  if (entry !== undefined) {
    string('entry.id', entry.id);
    record('entry.data', entry.data);
    if (entry.turn !== undefined) string('entry.turn', entry.turn);
    if (entry.person !== undefined) string('entry.person', entry.person);
    if (typeof entry.room !== 'number' || Number.isNaN(entry.room)) throw wrong('entry.room', 'a number', entry.room);
  }
  if (predecide !== undefined && typeof predecide !== 'function') throw wrong('predecide', 'a function', predecide);
}

export function checkSave(call: Save): void {
  const { asks, parked, closes, then } = call;
  string('conversationId', call.conversationId);
  string('token', call.token);
  string('call', call.call);
  time('sendLease', call.sendLease);
  time('retention', call.retention);
  time('dedupeWindow', call.dedupeWindow);
  if (call.document !== undefined) record('document', call.document);
  if (typeof call.due === 'number') time('due', call.due);
  if (closes !== undefined) {
    string('closes.entryId', closes.entryId);
    record('closes.outcome', closes.outcome);
  }
  if (then.type === 'next') {
    string('then.turn', then.turn);
    time('then.lease', then.lease);
  }
  if (then.type === 'release') {
    time('then.wait', then.wait);
    if (!['nothing', 'strike', 'claim'].includes(then.returns))
      throw wrong('then.returns', "'nothing', 'strike' or 'claim'", then.returns);
  }
  for (const { key, channel, data } of list('outputs', call.outputs)) {
    string('outputs[].key', key);
    string('outputs[].channel', channel);
    record('outputs[].data', data);
  }
  for (const key of list('withdraw', call.withdraw)) string('withdraw[]', key);
  for (const item of list('history', call.history)) record('history[]', item);
  if (!(call.historyLimit >= 1)) throw wrong('historyLimit', 'a number from 1 up', call.historyLimit);
  for (const { id, at, deadline } of list('asks.opened', asks.opened)) {
    string('asks.opened[].id', id);
    time('asks.opened[].at', at);
    if (deadline !== undefined) time('asks.opened[].deadline', deadline);
  }
  for (const id of list('asks.changed', asks.changed)) string('asks.changed[]', id);
  for (const { id, record: left, at } of list('asks.settled', asks.settled)) {
    string('asks.settled[].id', id);
    record('asks.settled[].record', left);
    time('asks.settled[].at', at);
  }
  for (const { id, at } of list('parked.added', parked.added)) {
    string('parked.added[].id', id);
    time('parked.added[].at', at);
  }
  for (const id of list('parked.removed', parked.removed)) string('parked.removed[]', id);
  for (const person of list('people', call.people)) string('people[]', person);
}

export function checkRemember(call: Remember): void {
  string('conversationId', call.conversationId);
  string('turn', call.turn);
  string('key', call.key);
  string('value', call.value);
}

export function checkBorrow({ channels, sendLease, conversationId }: Borrow): void {
  time('sendLease', sendLease);
  for (const channel of list('channels', channels)) string('channels[]', channel);
  if (conversationId !== undefined) string('conversationId', conversationId);
}

export function checkSent(marks: readonly Mark[]): void {
  for (const { conversationId, key, channel, again, sentAs, kept } of list('marks', marks)) {
    string('conversationId', conversationId);
    string('key', key);
    string('channel', channel);
    if (again !== undefined) {
      time('again.in', again.in);
      record('again.data', again.data);
    }
    if (sentAs !== undefined) {
      string('sentAs.name', sentAs.name);
      string('sentAs.id', sentAs.id);
    }
    if (kept !== undefined) {
      string('kept.key', kept.key);
      smallValue('kept.value', kept.value);
      time('kept.ttl', kept.ttl);
    }
  }
}

export function checkErase(call: Erase): void {
  string('conversationId', call.conversationId);
  time('retention', call.retention);
  for (const { id, tombstone } of list('asks', call.asks)) {
    string('asks[].id', id);
    record('asks[].tombstone', tombstone);
  }
  for (const id of list('parked', call.parked)) string('parked[]', id);
}

export function checkRenew(holds: readonly Hold[], lease: number): void {
  time('lease', lease);
  for (const { conversationId, token } of list('holds', holds)) {
    string('holds[].conversationId', conversationId);
    string('holds[].token', token);
  }
}

/** The ids of a call that only reads, by their names. */
export function checkRead(ids: Readonly<Record<string, string>>): void {
  for (const name of Object.keys(ids))
    if (typeof ids[name] !== 'string') throw wrong(name, 'a string', ids[name], 'Nothing was read.');
}

/** How many entries of a queue a read leaves out. */
export function checkSkip(skip: number): void {
  if (!Number.isSafeInteger(skip) || skip < 0)
    throw wrong('skip', 'a whole number from 0 up', skip, 'Nothing was read.');
}

export function checkList(what: ListName): void {
  if (what !== 'open' && what !== 'parked' && what !== 'deadline')
    throw wrong('what', "'open', 'parked' or 'deadline'", what, 'Nothing was read.');
}

/** Values are small: they are compared whole in each step. */
const mostValueBytes = 65_536;

export function checkSwap({ key, expected, value, ttl }: Swap): void {
  string('key', key);
  if (expected !== null && typeof expected !== 'string') throw wrong('expected', 'a string or null', expected);
  if (value !== null) smallValue('value', value, 'a string or null');
  time('ttl', ttl);
}

function smallValue(name: string, value: string, expected = 'a string'): void {
  if (typeof value !== 'string') throw wrong(name, expected, value);
  const size = Buffer.byteLength(value);
  if (size > mostValueBytes) throw wrong(name, `at most ${mostValueBytes} bytes`, size);
}

export function checkSettledPage({ since, until, conversationId }: SettledPage): void {
  const done = 'Nothing was read.';
  if (since !== undefined) time('since', since, done);
  if (until !== undefined) time('until', until, done);
  if (conversationId !== undefined) checkRead({ conversationId });
}

function time(name: string, value: number, done?: string): void {
  if (!Number.isFinite(value) || value < 0) throw wrong(name, 'a number of milliseconds from 0 up', value, done);
}

function string(name: string, value: string): void {
  if (typeof value !== 'string') throw wrong(name, 'a string', value);
}

/** It does not make the text of one that only knows its value. */
function record(name: string, value: Stored): void {
  if (value instanceof StoredRecord || typeof value?.text === 'string') return;
  throw wrong(name, 'a record with a text', value);
}

function list<T>(name: string, value: readonly T[]): readonly T[] {
  if (!Array.isArray(value)) throw wrong(name, 'a list', value);
  return value;
}

function wrong(name: string, expected: string, got: unknown, done = 'Nothing was written.'): AgentError {
  return new AgentError('bad-option', `${name} must be ${expected}, got ${describe(got)}. ${done}`);
}

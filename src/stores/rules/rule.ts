/**
 * A rule: what one call of the port makes of one conversation. It is pure: it says what it must know, is given that, and
 * returns what shall change. A store that can lock a conversation runs one with `applyLocked`.
 */
import { type Changes, type Facts, type Needs, noFacts, noNeeds } from './changes.js';
import type { ConversationRecord } from './record.js';

/** What a rule decided. */
export interface Applied<A> {
  /** The record as it is then; undefined if there is none. */
  readonly record: ConversationRecord | undefined;
  /** What the store writes, in one step; undefined for nothing. */
  readonly changes: Changes | undefined;
  /** What the caller is told. */
  readonly answer: A;
}

/** A rule for calls of one kind. `record` is undefined if there is no conversation of this id; neither function changes it. */
export interface Rule<C, A> {
  /** What the call is named in logs. */
  name(call: C): string;
  /** What must be known beside the record; for most calls nothing. */
  needs(record: ConversationRecord | undefined, call: C, now: number): Needs;
  /** Decides. `now` is the store's time, `facts` what was found of what it needs. */
  apply(record: ConversationRecord | undefined, call: C, now: number, facts: Facts): Applied<A>;
}

/** One conversation in a store that locks it for a step: what rules may ask of it, and how it is written. */
export interface LockedConversation {
  /** The record that is there. */
  readonly record: ConversationRecord | undefined;
  /** What is known beside the record. */
  facts(needs: Needs): Facts;
  /** Writes what a rule decided. */
  write(record: ConversationRecord | undefined, changes: Changes): void;
}

/** Runs a rule on a conversation that nobody else changes meanwhile. */
export function applyLocked<C, A>(conversation: LockedConversation, rule: Rule<C, A>, call: C, now: number): A {
  const found = conversation.record;
  const needs = rule.needs(found, call, now);
  const facts = needs === noNeeds ? noFacts : conversation.facts(needs);
  const { record, changes, answer } = rule.apply(found, call, now, facts);
  if (changes !== undefined) conversation.write(record, changes);
  return answer;
}

/**
 * The questions with which a person approves an action: a choice of deny, once and for this session, or a plain yes or no.
 * "yes" and "approve" decide them in words; neither ever means "for this session". Nothing is executed here.
 */
import type { Question } from '../core/ask/answer-type.js';
import type { Wording } from '../core/wording/wording.js';
import { choiceType } from './choice.js';
import { confirmType } from './confirm.js';
import { checkedQuestion } from './question.js';

/** Deny, once or, where `session` allows it, for this session. The answer is the id of the option. */
export function approvalChoice(question: string, wording: Wording, session: boolean): Question<unknown> {
  const once = [
    { id: 'deny', label: wording.deny() },
    { id: 'once', label: wording.once() },
  ];
  const choices = session ? [...once, { id: 'session', label: wording.forSession() }] : once;
  return checkedQuestion({ text: question, type: choiceType, data: { choices, approval: true } });
}

/** Approve or deny. The answer is a boolean. */
export function approvalConfirm(question: string, wording: Wording): Question<boolean> {
  const data = { yes: wording.approve(), no: wording.deny(), approval: true } as const;
  return checkedQuestion({ text: question, type: confirmType, data });
}

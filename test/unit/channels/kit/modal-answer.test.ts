/** What is wrong with the answer of a modal reaches its sender: beside its field, or later by a message. */
import { expect, test } from 'vitest';
import { problemOfModal, problemsByInput } from '../../../../src/channels/kit/modal-answer.js';
import type { Desk } from '../../../../src/channels/port.js';
import type { Handled } from '../../../../src/core/conversation/said.js';
import { linesLogged } from '../../../support/slack/world.js';

const message = { id: '1', conversationId: 'c', text: '', askId: 'a', value: 7 };
const outcome = (disposition: object) => ({ disposition, outputs: [], cursor: '' }) as unknown as Handled;
const invalid = outcome({ type: 'invalid', problem: 'At most 5.' });
const received = outcome({ type: 'received' });

/** A desk that gives these outcomes one after another. */
function deskWith(...outcomes: readonly (Handled | Error)[]) {
  const calls: unknown[][] = [];
  const handle: Desk['handle'] = async (...call) => {
    const next = outcomes[calls.push(call) - 1];
    if (next instanceof Error) throw next;
    return next as Handled;
  };
  return { calls, desk: { receive: async () => 'recorded', handle } satisfies Desk };
}

function sender(tell: (problem: string) => Promise<unknown> = async () => {}) {
  const { logger, lines } = linesLogged();
  const told: string[] = [];
  const sent = {
    channel: 'pager',
    logger,
    tell: (problem: string) => {
      told.push(problem);
      return tell(problem);
    },
  };
  return { told, lines, sent };
}

test('an answer that is wrong is told while the modal is open; one that is right is told nothing', async () => {
  const { desk, calls } = deskWith(invalid, outcome({ type: 'answered' }));
  const { sent, told } = sender();
  expect(await problemOfModal(desk, message, sent)).toBe('At most 5.');
  expect(await problemOfModal(desk, message, sent)).toBeUndefined();
  expect(calls[0]).toEqual([{ ...message, tellsProblem: true }, { timeout: 2_000 }]);
  expect(told).toEqual([]);
});

test('an answer whose outcome comes late is told by a message, and only if it is wrong', async () => {
  const late = sender();
  expect(await problemOfModal(deskWith(received, invalid).desk, message, late.sent)).toBeUndefined();
  await expect.poll(() => late.told).toEqual(['At most 5.']);
  const right = sender();
  const { desk, calls } = deskWith(received, outcome({ type: 'answered' }));
  await problemOfModal(desk, message, right.sent);
  await expect.poll(() => calls).toHaveLength(2);
  expect(right.told).toEqual([]);
});

test('a person who cannot be told is logged; an answer that is not recorded rejects', async () => {
  const { sent, lines } = sender(async () => {
    throw new Error('The platform is down.');
  });
  await problemOfModal(deskWith(received, invalid).desk, message, sent);
  await expect.poll(() => lines.join()).toContain('could not be told what is wrong');
  await expect(problemOfModal(deskWith(new Error('no')).desk, message, sent)).rejects.toThrow('no');
});

test('a desk without handle() takes the answer', async () => {
  expect(await problemOfModal({ receive: async () => 'recorded' }, message, sender().sent)).toBeUndefined();
});

test('each line is about the input whose text it begins with, the longest that fits; else about the first', () => {
  const inputs = [
    { id: 'a', text: '' },
    { id: 'b', text: 'Amount' },
    { id: 'c', text: 'Amount net' },
  ];
  const problem = 'Amount net At most 5.\nAmount A number, please.\nTry again.\nAmount At least 1.';
  expect(problemsByInput(problem, inputs, 'x')).toEqual({
    a: 'Try again.',
    b: 'Amount A number, please. Amount At least 1.',
    c: 'Amount net At most 5.',
  });
  expect(problemsByInput('Try again.', [], 'x')).toEqual({ x: 'Try again.' });
});

/**
 * What became of the entry of a turn, as far as its reading and its agent say so.
 */
import type { Disposition } from '../../core/conversation/entry.js';
import type { Turn } from '../turn/turn.js';
import { isOwnReading } from './own-moves.js';

export function dispositionOf(turn: Turn): Disposition {
  const { reading } = turn.parts;
  if (reading.type === 'close') {
    return reading.as === 'declined'
      ? { type: 'declined', askId: reading.ask.id }
      : { type: 'control', askId: reading.ask.id };
  }
  if (reading.type === 'say') return { type: 'control' };
  if (isOwnReading(reading)) return { type: 'control', askId: reading.ask.id };
  if (reading.type !== 'reply') return { type: 'ordinary' };
  const askId = reading.ask.id;
  if (turn.undecided?.type === 'invalid') return { type: 'invalid', askId, problem: turn.undecided.problem };
  const ask = turn.reply;
  if (ask?.status === 'answered') return { type: 'accepted', askId };
  if (ask?.status === 'exhausted') return { type: 'insufficient', askId, retries: ask.retries };
  if (turn.undecided?.type === 'partial' || turn.undecided?.type === 'voted')
    return { type: turn.undecided.type, askId };
  if (turn.undecided?.type === 'asked-why') return { type: 'insufficient', askId, retries: reading.ask.retries };
  if (turn.undecided?.type === 'insufficient') return { type: 'insufficient', askId, retries: reading.ask.retries + 1 };
  return { type: 'ordinary' };
}

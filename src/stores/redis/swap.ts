/**
 * Steps of which this process knows the outcome (known.ts), as arguments of scripts/swap.ts. The order here is the
 * scripts' order.
 */

import { shortened } from './keys.js';
import type { Begin, Swap, SwapSave } from './known.js';
import { sizeOf, writeBeginning, writeOutput, writeRecord, writeSettled } from './record.js';
import { beginning } from './scripts/record.js';
import { swapSaveNumbers, swapTakeNumbers } from './scripts/swap.js';
import { type Args, time } from './transport/args.js';

/** A time as text, which costs as much as some arguments: steps at the same time have the same. */
class TimeText {
  private time = Number.NaN;
  private text = '';

  of(time: number): string {
    if (time !== this.time) {
      this.time = time;
      this.text = String(time);
    }
    return this.text;
  }
}
const [due, free, end, asked] = [new TimeText(), new TimeText(), new TimeText(), new TimeText()];

/** What is compared, and what is put in its place: two arguments. */
function writeRecords(to: Args, { from, to: made, document }: Swap): void {
  to.addWritten(beginning, (bytes, at) => writeBeginning(bytes, at, from));
  to.addWritten(sizeOf(made, document), (bytes, at) => writeRecord(bytes, at, made, document));
}

export function writeSwapTake(to: Args, swap: Swap): void {
  const { to: made, off } = swap;
  to.head(swapTakeNumbers, [made.last, off, made.id.length], 3);
  writeRecords(to, swap);
  to.add(due.of(made.held?.until as number));
}

export function writeBegin(to: Args, { to: made, off }: Begin): void {
  to.head(swapTakeNumbers, [made.last, off, made.id.length], 2);
  to.addWritten(sizeOf(made, ''), (bytes, at) => writeRecord(bytes, at, made, ''));
  to.add(due.of(made.held?.until as number));
}

/** Numbers here and there are in one order: that of `swapSaveNumbers`. */
export function writeSwapSave(to: Args, swap: SwapSave): void {
  const { call, to: made, off, joined, withdrawn, ends, place } = swap;
  const { outputs, history, asks } = call;
  const { opened, settled } = asks;
  const { last, id, people } = made;
  const over = ends ? 1 + (made.named ? 1 : 0) + people.length : 0;
  const moves = place === undefined ? 0 : place < 0 ? 2 : 1;
  const hasEnd = ends || settled.length > 0;
  const [comes, goes] = [joined === undefined ? 0 : 1, withdrawn === undefined ? 0 : 1];
  const numbers = [
    last, // guess
    off,
    id.length, // size
    comes, // joined
    over, // ends
    goes, // withdrawn
    swap.from.seq > goes ? 1 : 0, // others
    outputs.length,
    history.length,
    opened.length,
    settled.length,
    moves,
  ];
  const listed = 4 * outputs.length + history.length + 2 * (opened.length + settled.length);
  to.head(swapSaveNumbers, numbers, 2 + comes + 2 * goes + listed + (moves === 1 ? 1 : 0) + over + (hasEnd ? 1 : 0));
  writeRecords(to, swap);
  if (joined !== undefined) to.add(joined);
  if (withdrawn !== undefined) {
    to.add(call.withdraw[0] as string);
    to.add(withdrawn);
  }
  for (let i = 0; i < outputs.length; i += 1) {
    const { key, data, to: receiver } = outputs[i] as (typeof outputs)[number];
    const channel = made.outputs[made.outputs.length - 2 * (outputs.length - i) + 1] as string;
    const at = receiver === 'saver' ? last + time(call.loan) : last;
    const seq = made.seq - outputs.length + i + 1;
    to.add(key);
    to.addWritten(16 + channel.length + data.length, (bytes, from) => writeOutput(bytes, from, seq, at, channel, data));
    to.add(channel);
    to.add(free.of(at));
  }
  for (const item of history) to.add(item);
  for (const { id: ask, at } of opened) {
    to.add(shortened(ask));
    to.add(asked.of(at));
  }
  for (const { id: ask, record } of settled) {
    to.add(shortened(ask));
    to.addWritten(1 + record.length, (bytes, at) => writeSettled(bytes, at, record));
  }
  if (moves === 1) to.add(due.of(place as number));
  if (ends) {
    to.add(`c:${id}:h`);
    if (made.named) to.add(`c:${id}:s`);
    for (const each of people) to.add(`p:${each}`);
  }
  if (hasEnd) to.add(end.of(last + made.retention));
}

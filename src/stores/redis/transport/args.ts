/**
 * Arguments of a call as the bytes that Redis reads, written once: as texts each would be measured, joined and copied
 * several times on its way. It knows nothing of what the call does.
 */
import { Buffer } from 'node:buffer';
import { lead, type Numbers } from '../scripts/numbers.js';

/** Up to so many signs, one after the other is faster than a call of the buffer. */
const few = 48;
/** So many steps are written text by text after one that had signs of more than one byte: the next will have some too. */
const alike = 16;
/** Of a whole number of milliseconds: the last there is a date for. */
const latest = 8.64e15;
/** The room for arguments to begin with, and how much of it is kept for the next ones. */
const first = 4_096;
const mostKept = 262_144;
/** The room before keys and arguments, for what says that they are a command. */
const headroom = 96;

/** Keys and arguments of a call. */
export class Call {
  readonly keys: number;
  private readonly bytes: Buffer;
  private readonly args: number;

  constructor(bytes: Buffer, keys: number, args: number) {
    this.bytes = bytes;
    this.keys = keys;
    this.args = args;
  }

  /** The whole command, for a script that the server knows. */
  command(sha: string): Buffer {
    const [all, keys] = [String(3 + this.keys + this.args), String(this.keys)];
    const start = `*${all}\r\n$7\r\nevalsha\r\n$40\r\n${sha}\r\n$${keys.length}\r\n${keys}\r\n`;
    const from = headroom - start.length;
    this.bytes.write(start, from, 'latin1');
    return this.bytes.subarray(from);
  }

  /** Each on its own, for a client that wants to write them itself. */
  list(): Buffer[] {
    const { bytes } = this;
    const all: Buffer[] = [];
    for (let at = headroom; at < bytes.length; ) {
      const from = bytes.indexOf('\n', at) + 1;
      const size = Number(bytes.toString('latin1', at + 1, from - 2));
      all.push(bytes.subarray(from, from + size));
      at = from + size + 2;
    }
    return all;
  }
}

/** Arguments that are being written. */
export class Args {
  private bytes = Buffer.allocUnsafe(first);
  private end = 0;
  private count = 0;
  /** The steps that are still to be written text by text. */
  private apart = 0;

  /** The arguments of one step: a head of numbers and short texts, then the long ones, which Lua should not copy twice. */
  step(numbers: Numbers, values: readonly number[], short: readonly string[], long: readonly string[]): void {
    this.makeRoom(short, long);
    if (this.apart > 0) this.apart -= 1;
    else if (this.asSigns(numbers, values, short, long)) return;
    else this.apart = alike;
    const { bytes } = this;
    const from = this.end + 6; // most heads have a length of three digits
    let at = writeNumbers(bytes, from, numbers.widths, values, 1 + long.length);
    for (const text of short) {
      const size = write(bytes, at + 4, text);
      writeWhole(bytes, at, 4, size);
      at += 4 + size;
    }
    this.frame(from, at - from);
    for (const text of long) this.text(text);
  }

  /**
   * The same as if each sign became one byte, which is faster: short texts as one, because a call of the buffer costs more
   * than each of them. If a sign has become more, there are no more arguments than before.
   */
  private asSigns(
    { widths }: Numbers,
    values: readonly number[],
    short: readonly string[],
    long: readonly string[],
  ): boolean {
    const { bytes, end, count } = this;
    let head = '';
    for (const text of short) head += (lengths[text.length] ?? tooLong) + text;
    let size = lead + head.length;
    for (const width of widths) size += width;
    const at = writeNumbers(bytes, this.begin(size), widths, values, 1 + long.length);
    let fits = this.ended(at, head);
    for (let i = 0; fits && i < long.length; i += 1) {
      const text = long[i] as string;
      fits = this.ended(this.begin(text.length), text);
    }
    if (!fits) {
      this.end = end;
      this.count = count;
    }
    return fits;
  }

  /**
   * Writes what an argument ends with, if each sign becomes a byte. It also puts the pieces of a text together, which is
   * kept until the answer is there, to ask once more: each piece would be copied by every garbage collection.
   */
  private ended(at: number, text: string): boolean {
    const { bytes } = this;
    if (bytes.write(text, at) !== text.length) return false;
    this.close(at + text.length);
    return true;
  }

  /** The same, one after the other: this head, then so many arguments. */
  head({ widths }: Numbers, values: readonly number[], args: number): void {
    this.ensure(256);
    const from = this.end + 5; // it has a length of two digits
    this.frame(from, writeNumbers(this.bytes, from, widths, values, 1 + args) - from);
  }

  /** One argument that `write` writes: it says where that ends. If each sign is a byte, it is `size` long. */
  addWritten(size: number, write: (bytes: Buffer, from: number) => number): void {
    this.ensure(3 * size + 256);
    const from = this.end + 3 + digits(size);
    this.frame(from, write(this.bytes, from) - from);
  }

  /** One argument. */
  add(text: string): void {
    this.ensure(3 * text.length + 16);
    this.text(text);
  }

  /** The call that they are the arguments of. From here on there are none: what follows is written over them. */
  call(keys: Args): Call {
    const bytes = Buffer.allocUnsafe(headroom + keys.end + this.end);
    keys.bytes.copy(bytes, headroom, 0, keys.end);
    this.bytes.copy(bytes, headroom + keys.end, 0, this.end);
    const call = new Call(bytes, keys.count, this.count);
    keys.clear();
    this.clear();
    return call;
  }

  private clear(): void {
    this.end = 0;
    this.count = 0;
    if (this.bytes.length > mostKept) this.bytes = Buffer.allocUnsafe(first);
  }

  private text(text: string): void {
    const from = this.end + 3 + digits(text.length);
    this.frame(from, write(this.bytes, from, text));
  }

  /** What was written becomes an argument: its length stands before it, and a line ends behind it. */
  private frame(from: number, size: number): void {
    const { bytes } = this;
    const start = this.end + 3 + digits(size);
    if (start !== from) bytes.copyWithin(start, from, from + size);
    this.begin(size);
    this.close(start + size);
  }

  /** An argument ends here. */
  private close(at: number): void {
    newLine(this.bytes, at);
    this.end = at + 2;
    this.count += 1;
  }

  /** Writes the length of an argument, and says where that begins. */
  private begin(size: number): number {
    const { bytes, end } = this;
    const start = end + 3 + digits(size);
    bytes[end] = 36; // $
    let rest = size;
    for (let at = start - 3; at > end; at -= 1) {
      bytes[at] = 48 + (rest % 10);
      rest = Math.floor(rest / 10);
    }
    newLine(bytes, start - 2);
    return start;
  }

  private makeRoom(short: readonly string[], long: readonly string[]): void {
    let size = 256;
    for (const text of short) size += 3 * text.length + 16;
    for (const text of long) size += 3 * text.length + 16;
    this.ensure(size);
  }

  /** Makes room for so many bytes more. */
  private ensure(size: number): void {
    const room = this.end + size;
    if (room <= this.bytes.length) return;
    const larger = Buffer.allocUnsafe(2 * room);
    this.bytes.copy(larger, 0, 0, this.end);
    this.bytes = larger;
  }
}

const digits = (size: number): number =>
  size < 10 ? 1 : size < 100 ? 2 : size < 1_000 ? 3 : size < 10_000 ? 4 : String(size).length;

function newLine(bytes: Buffer, at: number): void {
  bytes[at] = 13;
  bytes[at + 1] = 10;
}

/** Writes a text, and says how long it has become. */
export function write(bytes: Buffer, at: number, text: string): number {
  if (text.length > few) return bytes.write(text, at);
  for (let i = 0; i < text.length; i += 1) {
    const sign = text.charCodeAt(i);
    if (sign > 127) return bytes.write(text, at);
    bytes[at + i] = sign;
  }
  return text.length;
}

/** Lengths as they stand before short texts, as signs that become a byte each; there is none for `tooLong`. */
const lengths = Array.from({ length: 128 }, (_, length) => String.fromCharCode(length, 0, 0, 0));
const tooLong = '\u0080';

/** A number as it is written: what is too large or too small becomes the nearest that is not. */
export const time = (value: number): number => Math.min(Math.max(0, Math.ceil(value)), latest);

/** The largest number of so many bytes. */
const largest = [0, 0xff, 0xffff, 0xffffff, 0xffffffff];

/** Writes how many arguments there are, then numbers, and says where they end. */
function writeNumbers(
  bytes: Buffer,
  from: number,
  widths: readonly number[],
  values: readonly number[],
  args: number,
): number {
  writeWhole(bytes, from, lead, args);
  let at = from + lead;
  for (let i = 0; i < widths.length; i += 1) {
    const width = widths[i] as number;
    const value = values[i] as number;
    if (width === 1) bytes[at] = value;
    else if (width === 8) writeTime(bytes, at, time(value));
    else writeWhole(bytes, at, width, Math.min(time(value), largest[width] as number));
    at += width;
  }
  return at;
}

const time8 = new Uint8Array(8);
const timeView = new DataView(time8.buffer);

/** Writes a time, and says where it ends: what `writeDoubleLE()` does, without a call that is looked up each time. */
export function writeTime(bytes: Buffer, at: number, value: number): number {
  timeView.setFloat64(0, value, true);
  for (let i = 0; i < 8; i += 1) bytes[at + i] = time8[i] as number;
  return at + 8;
}

/** Writes a number of at most four bytes, and says where it ends. */
export function writeWhole(bytes: Buffer, at: number, width: number, value: number): number {
  for (let i = 0; i < width; i += 1) bytes[at + i] = value >>> (8 * i);
  return at + width;
}

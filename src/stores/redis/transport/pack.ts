/**
 * MessagePack, as far as a script reads it: lists, strings, numbers. One argument holds the steps of a whole call, because
 * the client and Redis take longer over each of a thousand small arguments than over their bytes. It knows no step.
 */
import { Buffer } from 'node:buffer';

/** The room to begin with, and the most that is kept for the next call. */
const firstSize = 4_096;
const mostKept = 262_144;
/** Up to this length a loop is faster than a call of the buffer. */
const shortText = 40;

export class Packer {
  private bytes = Buffer.allocUnsafe(firstSize);
  private end = 0;

  /** How many bytes there are. */
  get size(): number {
    return this.end;
  }

  /** Begins a list of so many items, which follow. */
  list(length: number): void {
    this.ensure(5);
    if (length < 16) this.bytes[this.end++] = 0x90 | length;
    else this.head(0xdd, length, 4);
  }

  text(text: string): void {
    const { length } = text;
    this.ensure(3 * length + 5);
    if (length > shortText || !this.ascii(text)) this.encoded(text);
  }

  texts(all: readonly string[]): void {
    this.list(all.length);
    for (const each of all) this.text(each);
  }

  /** A whole number below 2^53, or a fraction. */
  number(value: number): void {
    this.ensure(9);
    if (value >= 0 && value < 128 && Number.isInteger(value)) {
      this.bytes[this.end++] = value;
      return;
    }
    this.bytes[this.end] = 0xcb;
    this.end = this.bytes.writeDoubleBE(value, this.end + 1);
  }

  /** Removes what was added after there were `size` bytes. */
  cut(size: number): void {
    this.end = size;
  }

  /** Everything that was added, as one list of `length` items. There is nothing left. */
  taken(length: number): Buffer {
    const all = Buffer.allocUnsafe(5 + this.end);
    all[0] = 0xdd;
    all.writeUInt32BE(length, 1);
    this.bytes.copy(all, 5, 0, this.end);
    this.end = 0;
    if (this.bytes.length > mostKept) this.bytes = Buffer.allocUnsafe(firstSize);
    return all;
  }

  /** A short string of ASCII; false, and nothing is added, if it has other characters. */
  private ascii(text: string): boolean {
    const { bytes } = this;
    const { length } = text;
    let at = this.end;
    if (length < 32) bytes[at++] = 0xa0 | length;
    else {
      bytes[at++] = 0xd9;
      bytes[at++] = length;
    }
    for (let i = 0; i < length; i += 1) {
      const code = text.charCodeAt(i);
      if (code > 127) return false;
      bytes[at++] = code;
    }
    this.end = at;
    return true;
  }

  private encoded(text: string): void {
    const size = this.bytes.write(text, this.end + 5);
    this.head(0xdb, size, 4);
    this.end += size;
  }

  private head(type: number, length: number, width: 4): void {
    this.bytes[this.end] = type;
    this.end = this.bytes.writeUIntBE(length, this.end + 1, width);
  }

  private ensure(size: number): void {
    const room = this.end + size;
    if (room <= this.bytes.length) return;
    const larger = Buffer.allocUnsafe(2 * room);
    this.bytes.copy(larger, 0, 0, this.end);
    this.bytes = larger;
  }
}

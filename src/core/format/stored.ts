/**
 * A record as it passes the store port: a value, its text, or both. The missing half is made when it is first asked for, once.
 */

/** What a store is given to keep, and gives back: the object itself, or another one with the same text. As JSON it is `{ text }`. */
export interface Stored {
  /** The record as a string; made when it is first read. */
  readonly text: string;
}

/** A record that knows its value or its text. Nobody changes the value: a store may keep it, and others are given the same one. */
export class StoredRecord<T = unknown> implements Stored {
  private readonly write: ((value: T) => string) | undefined;
  private made: string | undefined;
  private known: T | undefined;

  private constructor(known: T | undefined, made: string | undefined, write?: (value: T) => string) {
    this.known = known;
    this.made = made;
    this.write = write;
  }

  static of<T>(value: T, write: (value: T) => string): StoredRecord<T> {
    return new StoredRecord(value, undefined, write);
  }

  static ofText(text: string): StoredRecord {
    return new StoredRecord<unknown>(undefined, text);
  }

  get text(): string {
    this.made ??= (this.write as (value: T) => string)(this.known as T); // one of the two is always there
    return this.made;
  }

  /** The value, if it is known without reading the text. */
  get value(): T | undefined {
    return this.known;
  }

  toJSON(): Stored {
    return { text: this.text };
  }

  /** The value, read from the text where it is not known yet. A text that cannot be read is read again each time. */
  read(read: (text: string) => T): T {
    this.known ??= read(this.text);
    return this.known;
  }
}

/** The value of a record. One record is always read by the same function. */
export function valueIn<T>(stored: Stored, read: (text: string) => T): T {
  return stored instanceof StoredRecord ? (stored as StoredRecord<T>).read(read) : read(stored.text);
}

/** Reads what the Redis store packs into one argument: lists, strings and numbers in MessagePack. */

/** The value in a string of bytes, one character each. */
export function unpacked(bytes: string): unknown {
  const from = Buffer.from(bytes, 'latin1');
  let at = 0;
  const text = (size: number): string => {
    at += size;
    return from.toString('utf8', at - size, at);
  };
  const list = (length: number): unknown[] => Array.from({ length }, () => value());
  const length = (width: number): number => {
    at += width;
    return from.readUIntBE(at - width, width);
  };
  const value = (): unknown => {
    const type = from.readUInt8(at++);
    if (type < 0x80) return type;
    if (type >> 4 === 0x9) return list(type & 0x0f);
    if (type >> 5 === 0x5) return text(type & 0x1f);
    if (type === 0xd9) return text(length(1));
    if (type === 0xdb) return text(length(4));
    if (type === 0xdd) return list(length(4));
    if (type !== 0xcb) throw new Error(`No type that the store packs: ${type}.`);
    at += 8;
    return from.readDoubleBE(at - 8);
  };
  return value();
}

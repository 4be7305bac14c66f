/**
 * A PNG of a page with at most 256 colours: about a third of what a browser writes. Takes 8-bit RGB or RGBA without interlace, as
 * Chromium writes it; nothing else.
 */
import { crc32, deflateSync, inflateSync } from 'node:zlib';

export function smallerPng(png) {
  const { width, height, pixels } = decoded(png);
  const palette = commonColours(pixels);
  const nearest = new Map();
  const rows = Buffer.alloc((width + 1) * height); // each row begins with its filter: none
  for (let i = 0; i < pixels.length; i += 1) {
    const colour = pixels[i];
    if (!nearest.has(colour)) nearest.set(colour, nearestIn(palette, colour));
    rows[Math.floor(i / width) * (width + 1) + 1 + (i % width)] = nearest.get(colour);
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 3], 8); // 8 bits, by palette
  const table = Buffer.from(palette.flatMap((colour) => [colour >> 16, (colour >> 8) & 255, colour & 255]));
  const parts = [
    chunk('IHDR', header),
    chunk('PLTE', table),
    chunk('IDAT', deflateSync(rows, { level: 9 })),
    chunk('IEND'),
  ];
  return Buffer.concat([png.subarray(0, 8), ...parts]);
}

/** The colours that most pixels have, as 0xRRGGBB. */
function commonColours(pixels) {
  const counts = new Map();
  for (const colour of pixels) counts.set(colour, (counts.get(colour) ?? 0) + 1);
  const byCount = [...counts].sort(([, one], [, other]) => other - one).map(([colour]) => colour);
  return byCount.slice(0, 256);
}

function nearestIn(palette, colour) {
  let [best, least] = [0, Number.POSITIVE_INFINITY];
  for (const [i, each] of palette.entries()) {
    const apart = [16, 8, 0].reduce((sum, bits) => sum + (((each >> bits) & 255) - ((colour >> bits) & 255)) ** 2, 0);
    if (apart < least) [best, least] = [i, apart];
  }
  return best;
}

function decoded(png) {
  const [width, height, depth, type, , , interlace] = [
    png.readUInt32BE(16),
    png.readUInt32BE(20),
    ...png.subarray(24, 29),
  ];
  const bytes = { 2: 3, 6: 4 }[type];
  if (depth !== 8 || bytes === undefined || interlace !== 0)
    throw new Error('Only 8-bit RGB or RGBA without interlace.');
  const data = [];
  for (let at = 8; at < png.length; at += 12 + png.readUInt32BE(at)) {
    if (png.toString('latin1', at + 4, at + 8) === 'IDAT')
      data.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)));
  }
  const rows = inflateSync(Buffer.concat(data));
  const length = width * bytes;
  const pixels = new Uint32Array(width * height);
  let above = Buffer.alloc(length);
  for (let y = 0; y < height; y += 1) {
    const start = y * (length + 1);
    const row = Buffer.from(rows.subarray(start + 1, start + 1 + length));
    for (let x = 0; x < length; x += 1) {
      const [left, up, corner] = [row[x - bytes] ?? 0, above[x], above[x - bytes] ?? 0];
      row[x] += [0, left, up, (left + up) >> 1, paeth(left, up, corner)][rows[start]];
    }
    for (let x = 0; x < width; x += 1) pixels[y * width + x] = row.readUIntBE(x * bytes, 3);
    above = row;
  }
  return { width, height, pixels };
}

/** The predictor of filter 4. */
function paeth(left, up, corner) {
  const [a, b, c] = [Math.abs(up - corner), Math.abs(left - corner), Math.abs(left + up - 2 * corner)];
  return a <= b && a <= c ? left : b <= c ? up : corner;
}

function chunk(type, data = Buffer.alloc(0)) {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  check.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, check]);
}

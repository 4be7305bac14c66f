/**
 * The characters of windows-1252 where ISO 8859-1 has control characters. Some releases of Node read windows-1252 as ISO 8859-1, and so do
 * some mail programs; no mail means the control characters.
 */

/** U+0080 to U+009F, in order. Five of them are no characters. */
const characters = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ';

/** The text with `“` instead of U+0093, and so on. */
export function windowsCharacters(text: string): string {
  return text.replace(/[\u0080-\u009f]/g, (control) => characters[control.charCodeAt(0) - 0x80] as string); // 32 of both
}

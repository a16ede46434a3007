const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const invalid = 255;

const values = new Uint8Array(256).fill(invalid);
for (let i = 0; i < alphabet.length; ++i) values[alphabet.charCodeAt(i)] = i;

/**
 * The bytes of base64 text, padded or not; white space is skipped. Throws for anything else. Straight from the text, as `atob`
 * would make strings of 100 MB in between.
 */
export function decodeBase64(text: string): Uint8Array<ArrayBuffer> {
  const packed = (/\s/.test(text) ? text.replace(/\s+/g, '') : text).replace(/={1,2}$/, '');
  const rest = packed.length % 4;
  if (rest === 1) throw new Error(`base64 text of ${packed.length} characters ends early`);
  const bytes = new Uint8Array(3 * Math.floor(packed.length / 4) + Math.max(rest - 1, 0));
  const whole = packed.length - rest;
  let out = 0;
  // Valid values have six bits, so that bits 6 and 7 of all of them together say whether one was not.
  let seen = 0;
  for (let i = 0; i < whole; i += 4) {
    const a = value(packed.charCodeAt(i));
    const b = value(packed.charCodeAt(i + 1));
    const c = value(packed.charCodeAt(i + 2));
    const d = value(packed.charCodeAt(i + 3));
    seen |= a | b | c | d;
    bytes[out++] = (a << 2) | (b >> 4);
    bytes[out++] = (b << 4) | (c >> 2);
    bytes[out++] = (c << 6) | d;
  }
  if (rest > 0) {
    const a = value(packed.charCodeAt(whole));
    const b = value(packed.charCodeAt(whole + 1));
    const c = rest === 3 ? value(packed.charCodeAt(whole + 2)) : 0;
    seen |= a | b | c;
    bytes[out++] = (a << 2) | (b >> 4);
    if (rest === 3) bytes[out] = (b << 4) | (c >> 2);
  }
  if (seen >= 64) throw new Error('base64 text holds characters that are not base64');
  return bytes;
}

function value(code: number): number {
  return code < 256 ? values[code]! : invalid;
}

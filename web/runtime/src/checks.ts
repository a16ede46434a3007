import { LimberError } from './limber_error.js';
import type { Handle, Quaternion, Vector3 } from './types.js';

// WebAssembly turns whatever it is given into numbers: undefined into 0 or NaN, 2^32 into 0. So these look first.

export function checkFinite(value: number, what: string): number {
  if (typeof value !== 'number' || !Number.isFinite(value)) {
    throw new LimberError(`${what} is ${String(value)}, expected a finite number`);
  }
  return value;
}

/** An integer from `least` to `most`. */
export function checkInteger(value: number, least: number, most: number, what: string): number {
  if (!Number.isInteger(value) || value < least || value > most) {
    throw new LimberError(`${what} is ${String(value)}, expected an integer from ${least} to ${most}`);
  }
  return value;
}

/** An index, or another number that the native code looks at. */
export function checkNatural(value: number, what: string): number {
  return checkInteger(value, 0, 2 ** 31 - 1, what);
}

export function checkVector(value: Vector3, what: string): Vector3 {
  checkNumbers(value, 3, what);
  return value;
}

/** Four finite numbers; whether they are of unit length is checked where they are used. */
export function checkQuaternion(value: Quaternion, what: string): Quaternion {
  checkNumbers(value, 4, what);
  return value;
}

export function checkHandle(handle: Handle): void {
  checkKeys(handle, ['vertex', 'position', 'rotation'], 'a handle');
  const { position, rotation } = handle;
  if (position !== undefined) checkVector(position, 'the position of a handle');
  if (rotation !== undefined) checkQuaternion(rotation, 'the rotation of a handle');
  if (position === undefined && rotation === undefined) {
    throw new LimberError(`the handle of vertex ${handle.vertex} has neither a position nor a rotation`);
  }
}

/** One of a few words. Returns its place among them. */
export function checkWord<Word extends string>(value: Word, known: readonly Word[], what: string): number {
  const place = known.indexOf(value);
  if (place < 0) throw new LimberError(`${what} is '${value}', expected ${known.join(' or ')}`);
  return place;
}

export function checkNumbers(values: ArrayLike<number>, count: number, what: string): void {
  if (values.length !== count) {
    throw new LimberError(`${what} has ${values.length} numbers, expected ${count}`);
  }
  for (let i = 0; i < count; ++i) checkFinite(values[i]!, `number ${i} of ${what}`);
}

/** A misspelt option would otherwise do nothing, silently. */
export function checkKeys(options: object, known: readonly string[], what: string): void {
  const unknown = Object.keys(options).find((key) => !known.includes(key));
  if (unknown !== undefined) {
    throw new LimberError(`unknown key '${unknown}' of ${what}, expected ${known.join(', ')}`);
  }
}

/** Bad input, a file that is no model, a step that failed: the text says what was wrong and what to do. */
export class LimberError extends Error {
  override readonly name = 'LimberError';
}

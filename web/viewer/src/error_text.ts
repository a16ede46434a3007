/** What an error says, on one line and not without end. */
export function errorText(error: unknown): string {
  const text = error instanceof Error && error.message ? error.message : String(error);
  const line = text.split('\n', 1)[0] ?? text;
  return line.length > 500 ? `${line.slice(0, 500)}...` : line;
}

/** The name of a file as one word of a command line, for a POSIX shell. A name that begins with a dash is no option. */
export function shellWord(name: string): string {
  const path = name.startsWith('-') ? `./${name}` : name;
  return /^[\w./+-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}

/** A LIKE pattern for the values that contain a text; its wildcards are taken literally, typed text is never a pattern. */
export function containing(text: string): string {
  return `%${text.replace(/[\\%_]/g, '\\$&')}%`;
}

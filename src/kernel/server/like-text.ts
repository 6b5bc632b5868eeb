/** A text for a LIKE pattern with its wildcards taken literally; typed text is never a pattern. */
export function likeText(text: string): string {
  return text.replace(/[\\%_]/g, '\\$&');
}

/** A LIKE pattern for the values that contain a text. */
export function containing(text: string): string {
  return `%${likeText(text)}%`;
}

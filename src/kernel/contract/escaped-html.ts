const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** A text as it stands between tags or in an attribute: never markup. */
export const escapedHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => ENTITIES[character]!);

/** What a reader sees of formatted text: marks between letters of a word do not hide it. */
export function readableText(html: string): string {
  return html
    .replace(/<(?:br|\/p|\/h\d|\/li|\/tr|\/div)[^>]*>/gi, '\n')
    .replace(/<[^>]*>/g, '')
    .replace(/&nbsp;/g, ' ')
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/&quot;/g, '"')
    .replace(/&#39;/g, "'")
    .replace(/&amp;/g, '&')
    .trim();
}

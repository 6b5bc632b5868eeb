import DOMPurify from 'dompurify';
import '../kernel.css';

const ALLOWED = {
  ALLOWED_TAGS: [
    'p',
    'br',
    'b',
    'strong',
    'i',
    'em',
    'u',
    's',
    'h2',
    'h3',
    'h4',
    'ul',
    'ol',
    'li',
    'blockquote',
    'a',
    'img',
    'hr',
    'table',
    'thead',
    'tbody',
    'tr',
    'th',
    'td',
    'span',
    'div',
    'code',
    'pre',
  ],
  ALLOWED_ATTR: ['href', 'src', 'alt', 'title', 'width', 'height', 'colspan', 'rowspan'],
  ALLOWED_URI_REGEXP: /^(?:https?:|\/(?!\/))/i,
};

/** Cleans formatted text: a short list of tags, no scripts, styles or foreign protocols. */
export function cleanHtml(html: string): string {
  return DOMPurify.sanitize(html, ALLOWED);
}

/** Shows formatted text after cleaning it. */
export function SafeHtml({ html }: { readonly html: string }) {
  return <div className="k-rich" dangerouslySetInnerHTML={{ __html: cleanHtml(html) }} />;
}

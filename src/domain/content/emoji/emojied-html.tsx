import { SafeHtml } from '../../../kernel/client/parts/safe-html.tsx';
import { emojiParts } from './emoji.rules.ts';
import { pictureOf } from './emojied.tsx';

/** Formatted text of staff with pictures for the codes in what is read of it. */
export function EmojiedHtml({ html }: { readonly html: string }) {
  const pieces = html.split(/(<[^>]*>)/);
  return <SafeHtml html={pieces.map((one) => (one.startsWith('<') ? one : pictured(one))).join('')} />;
}

const pictured = (text: string): string =>
  emojiParts(text)
    .map((part) => {
      if (!('code' in part)) return part.text;
      const source = pictureOf(part.character);
      if (!source) return part.character;
      return `<img src="${source}" alt="[${part.code}]" title="[${part.code}]" width="20" height="20">`;
    })
    .join('');

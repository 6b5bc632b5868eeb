import { Fragment, useState, type ReactNode } from 'react';
import { Popover } from 'antd';
import { useText } from '../../../kernel/client/language.ts';
import type { ScreenSlots } from '../../../kernel/client/slots.ts';
import { EMOJI } from './emoji-codes.rules.ts';
import { emojiParts, pictureName } from './emoji.rules.ts';
import './emoji.css';

const PICTURES = import.meta.glob<string>('./pictures/*.svg', {
  query: '?url&no-inline',
  import: 'default',
  eager: true,
});
/** Address of the picture of a character. */
export const pictureOf = (character: string): string | undefined =>
  PICTURES[`./pictures/${pictureName(character)}.svg`];

/** One picture; the character itself where the picture cannot be shown. */
function Picture({ code, character }: { readonly code: string; readonly character: string }) {
  const [missing, setMissing] = useState(false);
  const source = pictureOf(character);
  if (missing || !source) return <>{character}</>;
  return (
    <img
      className="em-picture"
      src={source}
      alt={`[${code}]`}
      title={`[${code}]`}
      loading="lazy"
      onError={() => setMissing(true)}
    />
  );
}

/** Content of members with pictures for the codes of the appendix; everything else is plain text. Line breaks stay. */
export function Emojied({ children }: { readonly children: string }): ReactNode {
  return (
    <span className="em-text">
      {emojiParts(children).map((part, index) => (
        <Fragment key={index}>
          {'code' in part ? <Picture code={part.code} character={part.character} /> : part.text}
        </Fragment>
      ))}
    </span>
  );
}

/** Slots of a list of comments: their content with pictures. */
export const commentSlots: ScreenSlots = {
  cells: { content: (row) => <Emojied>{String(row.content)}</Emojied> },
};

const RECENT = 'emoji.recent';
const recent = (): string[] => {
  try {
    const read: unknown = JSON.parse(localStorage.getItem(RECENT) ?? '[]');
    return Array.isArray(read) ? read.filter((one): one is string => typeof one === 'string') : [];
  } catch {
    return [];
  }
};

/** The panel of pictures beside a text of staff: those used last come first. `onPick` gets the code in brackets. */
export function EmojiPanel({ onPick }: { readonly onPick: (code: string) => void }) {
  const text = useText();
  const [open, setOpen] = useState(false);
  const used = open ? recent() : [];
  const all = [...EMOJI].sort(([a], [b]) => rank(used, a) - rank(used, b));
  return (
    <Popover
      trigger="click"
      open={open}
      onOpenChange={setOpen}
      content={
        <div className="em-panel" role="listbox" aria-label={text(['表情', 'Emoji'])}>
          {all.map(([code, character]) => (
            <button
              key={code}
              type="button"
              role="option"
              aria-selected={false}
              aria-label={code}
              title={code}
              onClick={() => {
                localStorage.setItem(
                  RECENT,
                  JSON.stringify([code, ...recent().filter((one) => one !== code)].slice(0, 20)),
                );
                setOpen(false);
                onPick(`[${code}]`);
              }}
            >
              <Picture code={code} character={character} />
            </button>
          ))}
        </div>
      }
    >
      <button type="button" className="k-button em-open" aria-haspopup="listbox" aria-expanded={open}>
        {text(['表情', 'Emoji'])}
      </button>
    </Popover>
  );
}

function rank(used: readonly string[], code: string): number {
  const at = used.indexOf(code);
  return at < 0 ? used.length : at;
}

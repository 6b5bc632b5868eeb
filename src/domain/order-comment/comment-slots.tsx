import { useText } from '../../kernel/client/language.ts';
import type { ScreenSlots } from '../../kernel/client/slots.ts';
import type { RowData } from '../../kernel/client/wire.ts';

/** What the member said, while it is answered or hidden. */
function Said({ row }: { readonly row: RowData }) {
  const text = useText();
  return (
    <p>
      <strong>{text([`${String(row.stars)} 星`, `Stars: ${String(row.stars)}`])}</strong>{' '}
      {row.content ? String(row.content) : text(['没有写评价内容', 'Nothing was written'])}
    </p>
  );
}

/** Dialogs of comments wherever they are listed: they show the comment, and a reply goes on from the one given before. */
export const commentSlots: ScreenSlots = {
  dialogAbove: { reply: (row) => <Said row={row} />, hide: (row) => <Said row={row} /> },
  dialogWith: { reply: (row) => ({ reply: row.reply }) },
};

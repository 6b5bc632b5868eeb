import { instantFull } from '../../../kernel/client/format.rules.ts';
import { useText } from '../../../kernel/client/language.ts';
import type { ScreenSlots, SlotInputProps } from '../../../kernel/client/slots.ts';
import type { RowData } from '../../../kernel/client/wire.ts';
import type { RefValue } from '../../../kernel/contract/fields.ts';
import { NarrowedInput } from '../../../domain/content/narrowed-input.tsx';
import { commentSlots, Emojied } from '../../../domain/content/emoji/emojied.tsx';
import { ReviewQueue } from './review-queue.tsx';
import { chamberPost, groupPost, type PostExtras } from './post.contract.ts';
import './post.css';

/** The full text with its pictures; words of the list of sensitive words are marked. */
function Content({ row }: { readonly row: RowData }) {
  const content = String(row.content ?? '');
  const hits = (row as unknown as Partial<PostExtras>).hits ?? [];
  if (hits.length === 0) return <Emojied>{content}</Emojied>;
  const pieces: { text: string; hit: boolean }[] = [];
  let at = 0;
  for (const hit of [...hits].sort((a, b) => a.start - b.start)) {
    if (hit.start < at) continue;
    pieces.push({ text: content.slice(at, hit.start), hit: false });
    pieces.push({ text: content.slice(hit.start, hit.end), hit: true });
    at = hit.end;
  }
  pieces.push({ text: content.slice(at), hit: false });
  return (
    <>
      {pieces.map((piece, index) =>
        piece.hit ? (
          <mark key={index} className="po-hit">
            {piece.text}
          </mark>
        ) : (
          <Emojied key={index}>{piece.text}</Emojied>
        ),
      )}
    </>
  );
}

/** Options of a poll with votes and shares. */
function Vote({ row }: { readonly row: RowData }) {
  const text = useText();
  const { vote } = row as unknown as PostExtras;
  if (!vote) return <p className="k-quiet">{text(['这是话题，没有投票', 'A topic without a vote'])}</p>;
  return (
    <div className="po-vote">
      <p>
        {text(vote.multiple ? ['多选', 'Several choices'] : ['单选', 'One choice'])} ·{' '}
        {text([`${vote.participants} 人参与`, `${vote.participants} took part`])} ·{' '}
        {text(vote.over ? ['已结束', 'Over'] : ['截止', 'Ends'])} {instantFull(vote.endsAt)}
      </p>
      <ol>
        {vote.options.map((one) => (
          <li key={one.no}>
            <span>{one.text}</span>
            <span className="po-bar" aria-hidden>
              <span style={{ inlineSize: `${one.share / 10}%` }} />
            </span>
            <span className="k-number">
              {one.votes} · {(one.share / 10).toFixed(1)}%
            </span>
          </li>
        ))}
      </ol>
    </div>
  );
}

/** What the post said before each edit. */
function Revisions({ row }: { readonly row: RowData }) {
  const text = useText();
  const { revisions } = row as unknown as PostExtras;
  if (!revisions || revisions.length === 0)
    return <p className="k-quiet">{text(['没有修改过', 'It was never edited'])}</p>;
  return (
    <ol className="po-revisions">
      {revisions.map((one) => (
        <li key={one.seq}>
          <time>{instantFull(one.at)}</time>
          <Emojied>{one.content}</Emojied>
        </li>
      ))}
    </ol>
  );
}

const TAG = chamberPost.actions!.retag!.input!.tag!;
const GROUP = groupPost.actions!.move!.input!.group!;
const projectOf = ({ rows }: SlotInputProps) => (rows[0]?.project as RefValue | undefined)?.id;

/** What the screens of posts put into the default screen. */
export function postSlots(chamber: boolean): ScreenSlots {
  return {
    above: <ReviewQueue />,
    cells: {
      excerpt: (row) => <Emojied>{String(row.excerpt)}</Emojied>,
      content: (row) => <Content row={row} />,
    },
    inputs: {
      // Tags and groups of the post's own project.
      tag: (props) => <NarrowedInput {...props} field={TAG} within={projectOf(props)} />,
      group: (props) => <NarrowedInput {...props} field={GROUP} within={projectOf(props)} />,
    },
    parts: { comments: commentSlots },
    detailParts: [
      ...(chamber
        ? [{ key: 'vote', label: ['投票', 'Vote'] as const, render: (row: RowData) => <Vote row={row} /> }]
        : []),
      { key: 'revisions', label: ['修改记录', 'Edits'], render: (row) => <Revisions row={row} /> },
    ],
  };
}

import { useState } from 'react';
import { useText } from '../../../kernel/client/language.ts';
import { fill } from '../../../kernel/contract/label.ts';
import { moveBlock, showBlock, type HomeBlock, type HomeLayout } from './home-layout.rules.ts';

/** Shows, hides and orders blocks by mouse or keyboard; takes effect at once and is kept for the staff. */
export function CustomisePanel(props: {
  readonly blocks: readonly HomeBlock[];
  readonly layout: HomeLayout | undefined;
  readonly onChange: (layout: HomeLayout | null) => void;
  readonly onDone: () => void;
}) {
  const text = useText();
  const { blocks, layout } = props;
  const [dragged, setDragged] = useState<number>();
  const [told, setTold] = useState('');
  const hidden = layout?.hidden ?? [];
  const move = (from: number, to: number) => {
    if (to < 0 || to >= blocks.length || from === to) return;
    props.onChange(moveBlock(blocks, layout, from, to));
    const place = { title: text(blocks[from]!.title), n: to + 1 };
    setTold(text(fill(['{title} 移到第 {n} 位', '{title} moved to place {n}'], place)));
  };
  return (
    <section
      className="home-block home-customise"
      aria-label={text(['自定义首页', 'Customise the home page'])}
    >
      <header>
        <h2>{text(['自定义', 'Customise'])}</h2>
        <button type="button" className="link-button" onClick={() => props.onChange(null)}>
          {text(['恢复默认', 'Reset'])}
        </button>
        <button type="button" className="link-button" onClick={props.onDone}>
          {text(['完成', 'Done'])}
        </button>
      </header>
      <ol>
        {blocks.map((block, index) => {
          const title = text(block.title);
          return (
            <li
              key={block.key}
              draggable
              data-dragged={dragged === index}
              onDragStart={(event) => {
                event.dataTransfer.effectAllowed = 'move';
                setDragged(index);
              }}
              onDragOver={(event) => event.preventDefault()}
              onDrop={() => {
                if (dragged !== undefined) move(dragged, index);
                setDragged(undefined);
              }}
              onDragEnd={() => setDragged(undefined)}
            >
              <label>
                <input
                  type="checkbox"
                  checked={!hidden.includes(block.key)}
                  onChange={(event) =>
                    props.onChange(showBlock(blocks, layout, block.key, event.target.checked))
                  }
                />{' '}
                {title}
              </label>
              <button
                type="button"
                className="home-move"
                disabled={index === 0}
                aria-label={`${text(['上移', 'Move up'])}: ${title}`}
                onClick={() => move(index, index - 1)}
              >
                ↑
              </button>
              <button
                type="button"
                className="home-move"
                disabled={index === blocks.length - 1}
                aria-label={`${text(['下移', 'Move down'])}: ${title}`}
                onClick={() => move(index, index + 1)}
              >
                ↓
              </button>
            </li>
          );
        })}
      </ol>
      <p className="visually-hidden" role="status">
        {told}
      </p>
    </section>
  );
}

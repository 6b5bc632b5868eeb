import type { ReactNode, Ref } from 'react';
import { useText } from '../../../kernel/client/language.ts';
import { NoteButton } from '../../../kernel/client/parts/note-button.tsx';
import { instantFull } from '../../../kernel/client/format.rules.ts';
import { fill, type Label } from '../../../kernel/contract/label.ts';

/** A block of the home page: title, as-of time, content. It loads and fails by itself. */
export function HomeBlock(props: {
  readonly name: string;
  readonly title: Label;
  /** What is counted, behind an icon beside the title. */
  readonly rule?: Label | undefined;
  readonly wide?: boolean;
  readonly asOf?: string | number | undefined;
  readonly actions?: ReactNode;
  readonly ref?: Ref<HTMLElement>;
  readonly children: ReactNode;
}) {
  const text = useText();
  const id = `home-${props.name}`;
  return (
    <section
      ref={props.ref}
      tabIndex={-1}
      className="home-block"
      data-block={props.name}
      data-wide={props.wide === true}
      aria-labelledby={id}
    >
      <header>
        <h2 id={id}>{text(props.title)}</h2>
        {props.rule && <NoteButton note={props.rule} />}
        {props.asOf !== undefined && (
          <small>
            {text(fill(['截至 {time}', 'as of {time}'], { time: instantFull(props.asOf).slice(11, 16) }))}
          </small>
        )}
        {props.actions}
      </header>
      {props.children}
    </section>
  );
}

/** What a block shows instead of content that did not come. */
export function BlockFailed({ onRetry }: { readonly onRetry: () => void }) {
  const text = useText();
  return (
    <p className="todo-none">
      {text(['没有加载出来。', 'This could not be loaded.'])}{' '}
      <button type="button" className="link-button" onClick={onRetry}>
        {text(['重试', 'Retry'])}
      </button>
    </p>
  );
}

/** Grey bars in the shape of the content. */
export function BlockWaits({ height }: { readonly height: number }) {
  const text = useText();
  return (
    <div className="home-wait" role="status" aria-busy="true" style={{ height }}>
      <span className="visually-hidden">{text(['正在加载', 'Loading'])}</span>
      <i className="bone tall" />
      <i className="bone tall" />
    </div>
  );
}

import type { Label } from '../../contract/label.ts';
import { fill } from '../../contract/label.ts';
import { useText } from '../language.ts';
import { Icon } from '../parts/icon.tsx';
import { formWords } from '../texts.ts';

/** The steps of a form: done ones lead back, those to come are opened in their order unless `free`. */
export function StepsHead(props: {
  readonly titles: readonly Label[];
  readonly active: number;
  readonly free: boolean;
  readonly onChange: (step: number) => void;
}) {
  const text = useText();
  return (
    <ol className="k-step-head" aria-label={text(formWords.steps)}>
      {props.titles.map((title, index) => {
        const done = index < props.active;
        return (
          <li key={index}>
            <button
              type="button"
              aria-current={index === props.active ? 'step' : undefined}
              data-done={done || undefined}
              disabled={index > props.active + 1 && !props.free}
              onClick={() => index !== props.active && props.onChange(index)}
            >
              <i aria-hidden="true">{done ? <Icon name="check" /> : index + 1}</i>
              <span className="k-hidden">
                {text(fill(formWords.stepOf, { n: index + 1, all: props.titles.length }))}
              </span>
              {text(title)}
            </button>
          </li>
        );
      })}
    </ol>
  );
}

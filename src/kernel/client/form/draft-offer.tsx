import { Alert, Button } from 'antd';
import { fill } from '../../contract/label.ts';
import { instantShort } from '../format.rules.ts';
import { useText } from '../language.ts';
import { formWords } from '../texts.ts';
import type { Draft } from './draft.ts';

/** Offers a draft that was found: take it over or drop it. */
export function DraftOffer(props: {
  readonly draft: Draft;
  readonly onRestore: () => void;
  readonly onDrop: () => void;
}) {
  const text = useText();
  return (
    <Alert
      type="info"
      className="k-draft"
      title={text(fill(formWords.draftFound, { when: instantShort(props.draft.at) }))}
      action={
        <span className="k-links">
          <Button size="small" type="primary" ghost onClick={props.onRestore}>
            {text(formWords.draftRestore)}
          </Button>
          <Button size="small" type="text" onClick={props.onDrop}>
            {text(formWords.draftDrop)}
          </Button>
        </span>
      }
    />
  );
}

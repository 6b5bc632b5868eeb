import { Button } from 'antd';
import { useText } from '../language.ts';
import { AppModal } from '../parts/app-modal.tsx';
import { CopyButton } from '../parts/copy-button.tsx';
import { words } from '../texts.ts';

/** Shows something the server tells once, such as a first password, with a copy button. */
export function ToldOnce(props: {
  readonly title: string;
  readonly text: string;
  /** What it belongs to. */
  readonly about?: string;
  /** What to do with it. */
  readonly note?: string;
  readonly onClose: () => void;
}) {
  const text = useText();
  return (
    <AppModal
      open
      title={props.title}
      onCancel={props.onClose}
      keyboard={false}
      footer={
        <Button type="primary" autoFocus onClick={props.onClose}>
          {text(words.close)}
        </Button>
      }
    >
      {props.about && <p>{props.about}</p>}
      <p className="k-told">
        <code>{props.text}</code> <CopyButton value={props.text} />
      </p>
      {props.note && <p className="k-once-note">{props.note}</p>}
    </AppModal>
  );
}

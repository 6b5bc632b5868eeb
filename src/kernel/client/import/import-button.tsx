import { useState } from 'react';
import { Button } from 'antd';
import { useText } from '../language.ts';
import { Icon } from '../parts/icon.tsx';
import { lazyPart } from '../parts/lazy-part.tsx';
import { useSession } from '../session.ts';
import type { Label } from '../../contract/label.ts';

const ImportDialog = lazyPart(() => import('./import-dialog.tsx').then((module) => module.ImportDialog));

/** A table that can be imported, as its dialog needs it. */
export interface ImportChoice {
  /** Name of the import target on the server. */
  readonly source: string;
  /** Resource whose lists are fresh afterwards. */
  readonly resource: string;
  readonly title: Label;
  /** What to do after the rows are in, such as how new staff get their passwords. */
  readonly afterwards?: Label;
  /** Another target of the same columns behind a switch, such as "update existing". */
  readonly variant?: { readonly source: string; readonly label: Label };
}

/** The button that opens an import dialog; shown to who holds the element. */
export function ImportButton({
  element,
  choice,
  label = ['导入', 'Import'],
}: {
  /** Full code of the element that allows it; absent: whoever draws it has looked. */
  readonly element?: string;
  readonly choice: ImportChoice;
  readonly label?: Label;
}) {
  const text = useText();
  const held = useSession((state) => element === undefined || state.elements[element] === true);
  const [open, setOpen] = useState(false);
  if (!held) return null;
  return (
    <>
      <Button icon={<Icon name="upload" />} onClick={() => setOpen(true)}>
        {text(label)}
      </Button>
      {open && <ImportDialog choice={choice} onClose={() => setOpen(false)} />}
    </>
  );
}

import { useState } from 'react';
import { Skeleton } from 'antd';
import { fill } from '../../contract/label.ts';
import type { ResourceSpec } from '../../contract/resource.ts';
import type { Running } from '../action/use-action.tsx';
import { useLanguageStore, useText } from '../language.ts';
import { createTitle } from '../modes.rules.ts';
import { AppDrawer } from '../parts/app-drawer.tsx';
import { ErrorPanel } from '../parts/error-panel.tsx';
import { FocusFirst } from '../parts/focus-first.tsx';
import { useLeaveQuestion } from '../parts/use-confirm.ts';
import type { ScreenSlots } from '../slots.ts';
import { formWords } from '../texts.ts';
import { rowTitle } from '../value-text.rules.ts';
import { useView } from '../view.ts';
import type { RowData } from '../wire.ts';
import { isWideForm, ResourceForm } from './resource-form.tsx';
import { useFirstValues } from './use-first-values.ts';
import { useFormRow } from './use-form-row.ts';

/** Create and update in a drawer; an update loads the whole row first, leaving with unsaved input asks. */
export function FormDrawer(props: {
  readonly resource: ResourceSpec;
  readonly slots: ScreenSlots;
  readonly running: Running;
  readonly onClose: () => void;
  readonly onDone: (row: RowData) => void;
}) {
  const { resource, running } = props;
  const text = useText();
  const view = useView();
  const language = useLanguageStore((state) => state.language);
  const [dirty, setDirty] = useState(false);
  const mayLeave = useLeaveQuestion();
  const id = running.row?.id;
  const row = useFormRow(resource, id);
  const first = useFirstValues(resource, { copyOf: running.copyOf }, id === undefined);
  const error = id === undefined ? first.error : row.isError ? row.error : undefined;
  const ready = id === undefined ? first.values !== undefined : !row.isPending;
  const close = async () => {
    if (dirty && !(await mayLeave())) return;
    view.setDirty(false);
    props.onClose();
  };
  const title = id
    ? fill(formWords.edit, { title: ` ${running.row ? rowTitle(resource, running.row, language) : ''}` })
    : createTitle(running.spec.label, resource.noun ?? resource.title);
  return (
    <AppDrawer
      open
      guarded={dirty}
      size={resource.form?.width ?? (isWideForm(resource, id ? 'update' : 'create') ? 880 : 560)}
      title={text(title)}
      onClose={() => void close()}
      rootClassName="k-form-drawer"
    >
      {error !== undefined ? (
        <ErrorPanel error={error} onRetry={() => (id === undefined ? first.retry() : void row.refetch())} />
      ) : !ready ? (
        <Skeleton active paragraph={{ rows: 10 }} />
      ) : (
        <>
          <FocusFirst />
          <ResourceForm
            resource={resource}
            row={id === undefined ? undefined : row.data}
            slots={props.slots}
            first={{ ...first.values, ...running.first }}
            onSaved={props.onDone}
            onCancel={() => void close()}
            onDirty={setDirty}
          />
        </>
      )}
    </AppDrawer>
  );
}

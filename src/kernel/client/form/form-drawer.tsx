import { useState } from 'react';
import { Skeleton } from 'antd';
import { useQuery } from '@tanstack/react-query';
import { fill, type Label } from '../../contract/label.ts';
import { formFieldNames, type ResourceSpec } from '../../contract/resource.ts';
import type { Running } from '../action/use-action.tsx';
import { call } from '../api-client.ts';
import { useLanguageStore, useText } from '../language.ts';
import { AppDrawer } from '../parts/app-drawer.tsx';
import { ErrorPanel } from '../parts/error-panel.tsx';
import { FocusFirst } from '../parts/focus-first.tsx';
import { useLeaveQuestion } from '../parts/use-confirm.ts';
import type { ScreenSlots } from '../slots.ts';
import { formWords } from '../texts.ts';
import { rowTitle } from '../value-text.rules.ts';
import { useView } from '../view.ts';
import { keysOf, rootOf, type RowData } from '../wire.ts';
import { ONE_COLUMN_FIELDS, ResourceForm } from './resource-form.tsx';

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
  const row = useQuery({
    queryKey: [...keysOf.row(resource.name, id ?? ''), 'form'],
    enabled: id !== undefined,
    // Always the newest version; never swapped under the fingers while the form is open.
    staleTime: Infinity,
    gcTime: 0,
    queryFn: ({ signal }) =>
      call<RowData>('GET', `${rootOf(resource)}/${encodeURIComponent(id!)}`, { signal }),
  });
  const close = async () => {
    if (dirty && !(await mayLeave())) return;
    view.setDirty(false);
    props.onClose();
  };
  const many = formFieldNames(resource, id ? 'update' : 'create').length > ONE_COLUMN_FIELDS;
  const title = id
    ? fill(formWords.edit, { title: ` ${running.row ? rowTitle(resource, running.row, language) : ''}` })
    : createTitle(running.spec.label, resource.noun ?? resource.title);
  return (
    <AppDrawer
      open
      guarded={dirty}
      size={resource.form?.width ?? (many ? 880 : 560)}
      title={text(title)}
      onClose={() => void close()}
      rootClassName="k-form-drawer"
    >
      {id !== undefined && row.isPending ? (
        <Skeleton active paragraph={{ rows: 10 }} />
      ) : id !== undefined && row.isError ? (
        <ErrorPanel error={row.error} onRetry={() => void row.refetch()} />
      ) : (
        <>
          <FocusFirst />
          <ResourceForm
            resource={resource}
            row={id === undefined ? undefined : row.data}
            slots={props.slots}
            onSaved={props.onDone}
            onCancel={() => void close()}
            onDirty={setDirty}
          />
        </>
      )}
    </AppDrawer>
  );
}

/** The button's own words when they name the object (新增商品), else button and title together. */
function createTitle(label: Label, title: Label): Label {
  if (Array.from(label[0]).length > 2) return label;
  return [`${label[0]}${title[0]}`, `${label[1]} ${title[1].toLowerCase()}`];
}

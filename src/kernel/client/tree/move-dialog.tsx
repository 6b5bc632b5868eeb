import { useRef, useState } from 'react';
import { Alert, Form, Select } from 'antd';
import type { RefValue } from '../../contract/fields.ts';
import { fill } from '../../contract/label.ts';
import type { ResourceSpec } from '../../contract/resource.ts';
import { ApiError, newIdempotencyKey } from '../api-client.ts';
import { FieldInput } from '../form/field-input.tsx';
import { useLanguageStore, useText } from '../language.ts';
import { AppModal } from '../parts/app-modal.tsx';
import { useSubmitGuard } from '../parts/use-guard.ts';
import { actionWords, treeWords } from '../texts.ts';
import { rowTitle } from '../value-text.rules.ts';
import type { RowData } from '../wire.ts';
import { moveRow } from './move-row.ts';
import { useChildren } from './use-tree.ts';

/** Moves a row of a tree without dragging: below which row, in front of which one. Starts where it stands. */
export function MoveDialog({
  resource,
  row,
  onClose,
  onDone,
}: {
  readonly resource: ResourceSpec;
  readonly row: RowData;
  readonly onClose: () => void;
  readonly onDone: (result: unknown) => void;
}) {
  const text = useText();
  const language = useLanguageStore((state) => state.language);
  const guard = useSubmitGuard();
  const field = resource.fields[resource.tree!.parent]!;
  const old = (row[resource.tree!.parent] ?? undefined) as RefValue | undefined;
  const [parent, setParent] = useState<RefValue | undefined>(old);
  // Undefined: where it stands now, or last below another row; null: last.
  const [chosenBefore, setBefore] = useState<string | null>();
  const [failure, setFailure] = useState('');
  const key = useRef<string>(undefined);
  const siblings = useChildren(resource, parent?.id ?? null, true);
  const below = siblings.data?.rows ?? [];
  const at = below.findIndex((one) => one.id === row.id);
  const before =
    chosenBefore === undefined ? (at < 0 ? undefined : below[at + 1]?.id) : (chosenBefore ?? undefined);
  const title = rowTitle(resource, row, language);
  const save = () =>
    void guard.run(async () => {
      setFailure('');
      key.current ??= newIdempotencyKey();
      try {
        const place = { parent: parent?.id ?? null, before: before ?? null };
        onDone(await moveRow(resource, row, place, { key: key.current, quiet: true }));
      } catch (error) {
        if (!(error instanceof ApiError)) return;
        if (error.http !== 0 && error.http !== 504) key.current = undefined;
        setFailure(Object.values(error.fields)[0] ?? (error.message || text(treeWords.notMoved)));
      }
    });
  return (
    <AppModal
      open
      title={text(fill(actionWords.confirmTitle, { action: text(treeWords.move), title }))}
      okText={text(treeWords.move)}
      okButtonProps={{ disabled: guard.locked && !guard.busy }}
      confirmLoading={guard.busy}
      onOk={save}
      onCancel={onClose}
    >
      {failure && <Alert className="k-dialog-error" type="error" showIcon title={failure} />}
      <Form layout="vertical" component={false}>
        <Form.Item label={text(field.label)} extra={text(treeWords.topHint)} htmlFor="tree-move-parent">
          <FieldInput
            id="tree-move-parent"
            field={{ ...field, required: false }}
            value={parent}
            onChange={(value) => {
              setParent((value ?? undefined) as RefValue | undefined);
              setBefore(undefined);
            }}
          />
        </Form.Item>
        <Form.Item label={text(treeWords.inFrontOf)} htmlFor="tree-move-before">
          <Select
            id="tree-move-before"
            allowClear
            showSearch={{ optionFilterProp: 'label' }}
            placeholder={text(treeWords.last)}
            loading={siblings.isFetching}
            value={before ?? (null as never)}
            options={below
              .filter((one) => one.id !== row.id)
              .map((one) => ({ value: one.id, label: one.title }))}
            onChange={(id: string | undefined) => setBefore(id ?? null)}
          />
        </Form.Item>
      </Form>
    </AppModal>
  );
}

import { useState } from 'react';
import { Form, Select } from 'antd';
import { call } from '../../../kernel/client/api-client.ts';
import { useText } from '../../../kernel/client/language.ts';
import { RemoteTreeSelect } from '../../../kernel/client/parts/remote-tree-select.tsx';
import type { OptionEntry } from '../../../kernel/client/wire.ts';
import { RowDialog, type RowDialogProps } from '../layout/row-dialog.tsx';
import { placeInput } from './department.contract.ts';
import { ImpactText, useImpact } from './impact-text.tsx';
import { useDepartmentTree } from './use-department-tree.ts';

/** Moves a department by keyboard and mouse alike: starts where it stands, and names whose data scope changes. */
export function PlaceDialog({ row, onClose, onDone }: RowDialogProps) {
  const text = useText();
  const old = (row.parent ?? undefined) as OptionEntry | undefined;
  const [parent, setParent] = useState(old);
  const [before, setBefore] = useState<string>();
  const isMoved = parent?.id !== old?.id;
  const { data: impact } = useImpact(row.id, isMoved ? { parent: parent?.id ?? 'top' } : undefined);
  const { data: entries } = useDepartmentTree('department');
  const siblings = (entries ?? []).filter(
    (one) => one.parentId === (parent?.id ?? null) && one.id !== row.id,
  );
  const { parent: parentField, before: beforeField } = placeInput;
  return (
    <RowDialog
      title={text([`移动「${String(row.name)}」`, `Move "${String(row.name)}"`])}
      okText={text(['移动', 'Move'])}
      ready
      typed={isMoved || before !== undefined}
      save={() =>
        call('POST', `/api/admin/department/${row.id}/place`, {
          body: { version: row.version, parent: parent?.id ?? null, before: before ?? null },
        })
      }
      onClose={onClose}
      onDone={onDone}
      inputs={
        <>
          <Form.Item
            label={text(parentField.label)}
            extra={text(['清空则成为最上级部门', 'Empty makes it a department at the top'])}
          >
            <RemoteTreeSelect
              target="department"
              label={text(parentField.label)}
              placeholder={text(['最上级', 'At the top'])}
              value={parent ? [parent.id] : []}
              known={parent ? { [parent.id]: parent.title } : {}}
              onChange={(_ids, chosen) => {
                setParent(chosen[0]);
                setBefore(undefined);
              }}
            />
          </Form.Item>
          <Form.Item label={text(beforeField.label)} extra={beforeField.help && text(beforeField.help)}>
            <Select
              className="k-fill"
              allowClear
              value={before ?? null}
              placeholder={text(['排在最后', 'Last'])}
              aria-label={text(beforeField.label)}
              options={siblings.map((one) => ({ value: one.id, label: one.name }))}
              onChange={(id: string | undefined) => setBefore(id ?? undefined)}
            />
          </Form.Item>
        </>
      }
    >
      {isMoved && impact && <ImpactText impact={impact} below={impact.below} />}
    </RowDialog>
  );
}

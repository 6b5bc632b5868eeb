import { useState } from 'react';
import { Form } from 'antd';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { call, newIdempotencyKey } from '../../../kernel/client/api-client.ts';
import { useLanguageStore, useText } from '../../../kernel/client/language.ts';
import { RemoteSelect } from '../../../kernel/client/parts/remote-select.tsx';
import { keysOf, type OptionEntry } from '../../../kernel/client/wire.ts';
import type { RefValue } from '../../../kernel/contract/fields.ts';
import { fill, type Label } from '../../../kernel/contract/label.ts';
import { RowDialog, type RowDialogProps } from '../layout/row-dialog.tsx';

interface Right {
  readonly code: string;
  readonly title: string;
  readonly titleEn: string;
}
interface Preview {
  readonly added: readonly { readonly id: string; readonly name: string }[];
  readonly removed: readonly { readonly id: string; readonly name: string }[];
  readonly gained: readonly Right[];
  readonly lost: readonly Right[];
  readonly rescoped: readonly Right[];
}

/** Rights listed before the rest is counted. */
const LISTED = 12;

/** Groups of a staff, with what changes by them before it is saved. */
export function GroupsDialog({ row, onClose, onDone }: RowDialogProps) {
  const text = useText();
  const [groups, setGroups] = useState<readonly OptionEntry[]>(
    ((row.groups as readonly RefValue[] | null) ?? []).map((one) => ({ id: one.id, title: one.title })),
  );
  const ids = groups.map((one) => one.id);
  const { data } = useQuery({
    queryKey: [...keysOf.row('staff', row.id), 'groupsPreview', ids.join(',')],
    staleTime: 0,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) =>
      call<Preview>('POST', `/api/admin/staff/${row.id}/groupsPreview`, {
        body: { groups: ids },
        signal,
        quiet: true,
      }),
  });
  const changed = data !== undefined && (data.added.length > 0 || data.removed.length > 0);
  const label: Label = ['角色', 'Groups'];
  return (
    <RowDialog
      width={640}
      title={text([`分配角色：${String(row.name)}`, `Assign groups: ${String(row.name)}`])}
      okText={text(['保存', 'Save'])}
      ready={changed}
      typed={changed}
      save={() =>
        call('POST', `/api/admin/staff/${row.id}/assignGroups`, {
          body: { version: row.version, groups: ids },
          idempotencyKey: newIdempotencyKey(),
        })
      }
      onClose={onClose}
      onDone={onDone}
      inputs={
        <Form.Item
          label={text(label)}
          extra={text([
            '只列出权限不超过自己的角色',
            'Only groups whose rights you hold yourself are offered',
          ])}
        >
          <RemoteSelect
            target="grantableGroup"
            multiple
            label={text(label)}
            placeholder={text(['请选择', 'Please choose'])}
            value={ids}
            known={Object.fromEntries(groups.map((one) => [one.id, one.title]))}
            onChange={(_ids, entries) => setGroups(entries)}
          />
        </Form.Item>
      }
    >
      {data && !changed && <p className="k-quiet">{text(['没有变更', 'Nothing changes'])}</p>}
      {changed && (
        <ul className="plain-rows">
          <Names label={['加入角色', 'Joins']} names={data.added.map((one) => one.name)} />
          <Names label={['移出角色', 'Leaves']} names={data.removed.map((one) => one.name)} />
          <Rights label={['获得权限', 'Gains']} rights={data.gained} />
          <Rights label={['失去权限', 'Loses']} rights={data.lost} />
          <Rights label={['数据范围变化', 'Other rows']} rights={data.rescoped} />
        </ul>
      )}
    </RowDialog>
  );
}

function Rights({ label, rights }: { readonly label: Label; readonly rights: readonly Right[] }) {
  const language = useLanguageStore((state) => state.language);
  return (
    <Names label={label} names={rights.map((right) => (language === 'zh' ? right.title : right.titleEn))} />
  );
}

function Names({ label, names }: { readonly label: Label; readonly names: readonly string[] }) {
  const text = useText();
  if (names.length === 0) return null;
  const comma = text(['、', ', ']);
  return (
    <li>
      <span>
        {text(label)} <strong>{names.length}</strong>
        <br />
        <span className="k-quiet k-small" title={names.join(comma)}>
          {names.slice(0, LISTED).join(comma)}
          {names.length > LISTED && text(fill([' 等 {n} 项', ' and {n} more'], { n: names.length - LISTED }))}
        </span>
      </span>
    </li>
  );
}

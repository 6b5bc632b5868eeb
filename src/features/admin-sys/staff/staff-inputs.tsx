import { useState } from 'react';
import { Input, TreeSelect } from 'antd';
import { call } from '../../../kernel/client/api-client.ts';
import { useText } from '../../../kernel/client/language.ts';
import { FieldInput } from '../../../kernel/client/form/field-input.tsx';
import { RemoteSelect } from '../../../kernel/client/parts/remote-select.tsx';
import type { SlotInputProps } from '../../../kernel/client/slots.ts';
import type { RefValue } from '../../../kernel/contract/fields.ts';
import { JoiningImpact } from '../department/impact-text.tsx';
import { staff } from './staff.contract.ts';
import { usePlaces, type Place } from './use-places.ts';

/** The department of staff; another one than they have changes rights, theirs and those of who leads either. */
export function DepartmentInput({
  root,
  values: _values,
  rows,
  ...input
}: SlotInputProps & { readonly root: string }) {
  const idOf = (value: unknown) => (value as RefValue | null | undefined)?.id;
  const into = idOf(input.value);
  const moving = rows.filter((row) => idOf(row.department) !== into);
  return (
    <>
      <FieldInput field={staff.fields.department} {...input} />
      <JoiningImpact root={root} staff={moving.map((row) => row.id)} into={into} />
    </>
  );
}

/** A number that is checked on leaving. */
export function StaffNumberInput({ id, value, onChange, disabled }: SlotInputProps) {
  const text = useText();
  const [initial] = useState(value);
  const [holder, setHolder] = useState<string>();
  const check = async () => {
    const number = String(value ?? '').trim();
    if (number === '' || number === initial) return setHolder(undefined);
    const found = await call<{ exists: boolean; name: string | null }>(
      'GET',
      `/api/admin/user/checkUserByNum/${encodeURIComponent(number)}`,
      { quiet: true },
    ).catch(() => undefined);
    setHolder(found?.exists ? (found.name ?? '') : undefined);
  };
  return (
    <>
      <Input
        {...(id ? { id } : {})}
        value={(value as string | undefined) ?? ''}
        maxLength={20}
        disabled={disabled}
        status={holder === undefined ? '' : 'error'}
        onChange={(event) => {
          setHolder(undefined);
          onChange?.(event.target.value);
        }}
        onBlur={() => void check()}
      />
      {holder !== undefined && (
        <span className="k-problem k-small" role="alert">
          {text(['工号已被使用', 'Staff number in use'])}
          {holder && text([`：${holder}`, `: ${holder}`])}
        </span>
      )}
    </>
  );
}

/** Projects below their centre cities; only those of the caller's scope are offered, others the staff has stay. */
export function ProjectsInput({ id, value, onChange, disabled }: SlotInputProps) {
  const text = useText();
  const { data, isFetching } = usePlaces();
  const chosen = (value as readonly RefValue[] | undefined) ?? [];
  const titles = new Map(chosen.map((one) => [one.id, one.title]));
  for (const place of data ?? []) titles.set(place.projectId, place.projectName);
  return (
    <TreeSelect
      {...(id ? { id } : {})}
      className="k-fill"
      treeCheckable
      treeDefaultExpandAll
      showCheckedStrategy={TreeSelect.SHOW_CHILD}
      maxTagCount="responsive"
      allowClear
      disabled={disabled}
      loading={isFetching}
      showSearch={{ treeNodeFilterProp: 'title' }}
      treeData={treeOf(data ?? [], chosen)}
      value={chosen.map((one) => one.id)}
      placeholder={text(['请选择', 'Please choose'])}
      aria-label={text(['项目', 'Projects'])}
      onChange={(ids: string[]) => onChange?.(ids.map((one) => ({ id: one, title: titles.get(one) ?? one })))}
    />
  );
}

interface TreeNode {
  readonly value: string;
  readonly title: string;
  readonly children?: TreeNode[];
}

function treeOf(places: readonly Place[], chosen: readonly RefValue[]): TreeNode[] {
  const centres = new Map<string, TreeNode & { children: TreeNode[] }>();
  for (const place of places) {
    const centre = centres.get(place.centreId) ?? {
      value: `centre${place.centreId}`,
      title: place.centreName,
      children: [],
    };
    centre.children.push({ value: place.projectId, title: place.projectName });
    centres.set(place.centreId, centre);
  }
  const known = new Set(places.map((place) => place.projectId));
  return [
    ...centres.values(),
    ...chosen.filter((one) => !known.has(one.id)).map((one) => ({ value: one.id, title: one.title })),
  ];
}

/** Groups the caller may give. */
export function GroupsInput({
  id,
  value,
  onChange,
  disabled,
  single,
}: SlotInputProps & { readonly single?: boolean }) {
  const text = useText();
  const chosen = [value ?? []].flat() as RefValue[];
  return (
    <RemoteSelect
      {...(id ? { id } : {})}
      target="grantableGroup"
      multiple={single !== true}
      label={text(['角色', 'Groups'])}
      placeholder={text(['请选择', 'Please choose'])}
      disabled={disabled}
      value={chosen.map((one) => one.id)}
      known={Object.fromEntries(chosen.map((one) => [one.id, one.title]))}
      onChange={(_ids, entries) => onChange?.(single ? entries[0] : entries)}
    />
  );
}

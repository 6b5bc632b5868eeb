import { Select, TreeSelect } from 'antd';
import { useQuery } from '@tanstack/react-query';
import { boolean, text as textField, type Fields } from '../../../kernel/contract/fields.ts';
import { call } from '../../../kernel/client/api-client.ts';
import { useText } from '../../../kernel/client/language.ts';
import { TreeForm } from '../layout/tree-form.tsx';
import { GROUP_KEY, GROUP_ROOT, type GroupNode } from './group-wire.ts';
import { groupFields } from './permission-group.contract.ts';

const parentId = textField(['上级', 'Above'], {
  help: ['同一类型内调整；不会自动继承权限', 'Within the same type; rights are not inherited by themselves'],
});
const departmentId = textField(['绑定部门', 'Department'], {
  required: true,
  help: ['部门员工自动成为成员', 'Staff of the department are members by themselves'],
});

/** Name, code, place and state of a group; without a group it makes a new one. */
export function GroupForm(props: {
  readonly group: GroupNode | undefined;
  readonly type: string;
  readonly parent?: string | undefined;
  readonly groups: readonly GroupNode[];
  readonly canEdit: boolean;
  readonly onDirty: (dirty: boolean) => void;
  readonly onSaved: (group: GroupNode) => void;
  readonly onCancel?: () => void;
}) {
  const { group, type } = props;
  const fields: Fields = {
    name: groupFields.name,
    code: groupFields.code,
    parentId,
    ...(type === 'depart' ? { departmentId } : {}),
    description: groupFields.description,
    enabled: boolean(groupFields.enabled.label, { help: groupFields.enabled.help! }),
  };
  return (
    <TreeForm
      record={group}
      valuesOf={(one) => valuesOf(one, props.parent)}
      fieldsOf={() => fields}
      send={(written, version, idempotencyKey) =>
        group
          ? call<GroupNode>('PUT', `${GROUP_ROOT}/${group.id}`, {
              body: { version, ...written },
              idempotencyKey,
              quiet: true,
            })
          : call<GroupNode>('POST', GROUP_ROOT, {
              body: { type, ...written, enabled: written.enabled ?? true },
              idempotencyKey,
              quiet: true,
            })
      }
      treeKey={GROUP_KEY}
      canEdit={props.canEdit}
      inputs={{
        parentId: ({ value, onChange, disabled, id }) => (
          <ParentSelect
            value={value}
            onChange={onChange}
            disabled={disabled || group?.builtIn === true}
            id={id}
            groups={props.groups.filter(
              (one) =>
                one.type === type && !one.builtIn && (group === undefined || one.tenant === group.tenant),
            )}
            self={group?.id}
          />
        ),
        departmentId: ({ value, onChange, disabled, id }) => (
          <DepartmentSelect value={value} onChange={onChange} disabled={disabled} id={id} />
        ),
      }}
      onDirty={props.onDirty}
      onSaved={props.onSaved}
      onCancel={props.onCancel}
    />
  );
}

interface InputProps {
  readonly value: unknown;
  readonly onChange: ((value: unknown) => void) | undefined;
  readonly disabled: boolean;
  readonly id: string | undefined;
}

function ParentSelect({
  groups,
  self,
  ...props
}: InputProps & { readonly groups: readonly GroupNode[]; readonly self: string | undefined }) {
  const text = useText();
  const known = new Set(groups.map((group) => group.id));
  return (
    <TreeSelect
      {...(props.id ? { id: props.id } : {})}
      className="k-fill"
      treeDataSimpleMode={{ id: 'id', pId: 'pId', rootPId: null as never }}
      treeData={groups.map((group) => ({
        id: group.id,
        value: group.id,
        title: group.name,
        disabled: group.id === self,
        pId: group.parentId !== null && known.has(group.parentId) ? group.parentId : null,
      }))}
      value={(props.value ?? null) as never}
      disabled={props.disabled}
      allowClear
      treeDefaultExpandAll
      showSearch={{ treeNodeFilterProp: 'title' }}
      placeholder={text(['无上级', 'At the top'])}
      onChange={(next: unknown) => props.onChange?.(next ?? null)}
    />
  );
}

function DepartmentSelect(props: InputProps) {
  const text = useText();
  const { data } = useQuery({
    queryKey: [...GROUP_KEY, 'departments'],
    queryFn: ({ signal }) =>
      call<readonly { id: string; title: string; taken: boolean }[]>('GET', `${GROUP_ROOT}/departments`, {
        signal,
      }),
  });
  return (
    <Select
      {...(props.id ? { id: props.id } : {})}
      value={(props.value ?? null) as never}
      disabled={props.disabled}
      showSearch={{ optionFilterProp: 'label' }}
      placeholder={text(['请选择部门', 'Choose a department'])}
      options={(data ?? []).map((one) => ({
        value: one.id,
        label: one.title,
        disabled: one.taken && one.id !== props.value,
      }))}
      onChange={(next: unknown) => props.onChange?.(next)}
    />
  );
}

function valuesOf(group: GroupNode | undefined, parent: string | undefined): Record<string, unknown> {
  if (!group)
    return {
      name: undefined,
      code: undefined,
      parentId: parent,
      departmentId: undefined,
      description: undefined,
      enabled: true,
    };
  const department = (group as { departmentId?: string | null }).departmentId ?? group.department?.id;
  return {
    name: group.name,
    code: group.code,
    parentId: group.parentId ?? undefined,
    departmentId: department ?? undefined,
    description: group.description || undefined,
    enabled: group.enabled,
  };
}

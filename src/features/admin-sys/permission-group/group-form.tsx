import { useId, useState } from 'react';
import { Alert, Button, Form, Select, TreeSelect } from 'antd';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { message } from '../../../kernel/client/feedback.ts';
import { boolean, text as textField, type Fields } from '../../../kernel/contract/fields.ts';
import { ApiError, call, newIdempotencyKey } from '../../../kernel/client/api-client.ts';
import { FieldForm, focusFirstError, showFieldErrors } from '../../../kernel/client/form/field-form.tsx';
import {
  changedNames,
  writtenValues,
  type FormValues,
} from '../../../kernel/client/form/form-values.rules.ts';
import { SubmitBar } from '../../../kernel/client/form/resource-form.tsx';
import { useText } from '../../../kernel/client/language.ts';
import { useSubmitGuard } from '../../../kernel/client/parts/use-guard.ts';
import { words } from '../../../kernel/client/texts.ts';
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
  const { group } = props;
  const text = useText();
  const client = useQueryClient();
  const [form] = Form.useForm();
  const formName = `g${useId().replace(/\W/g, '')}`;
  const guard = useSubmitGuard();
  const isDepartment = props.type === 'depart';
  const fields: Fields = {
    name: groupFields.name,
    code: groupFields.code,
    parentId,
    ...(isDepartment ? { departmentId } : {}),
    description: groupFields.description,
    enabled: boolean(groupFields.enabled.label, { help: groupFields.enabled.help! }),
  };
  const names = Object.keys(fields);
  const [initial, setInitial] = useState<FormValues>(() => valuesOf(group, props.parent));
  const [version, setVersion] = useState(group?.version);
  const [values, setValues] = useState<FormValues>(initial);
  const [failure, setFailure] = useState('');
  const changes = changedNames(fields, names, initial, values);
  const submit = async () => {
    try {
      await form.validateFields();
    } catch {
      return focusFirstError(form, formName, names);
    }
    await guard.run(async () => {
      setFailure('');
      const written = writtenValues(fields, names, values);
      try {
        const saved = group
          ? await call<GroupNode>('PUT', `${GROUP_ROOT}/${group.id}`, {
              body: { version, ...Object.fromEntries(changes.map((name) => [name, written[name]])) },
              idempotencyKey: newIdempotencyKey(),
              quiet: true,
            })
          : await call<GroupNode>('POST', GROUP_ROOT, {
              body: { type: props.type, ...written, enabled: written.enabled ?? true },
              idempotencyKey: newIdempotencyKey(),
              quiet: true,
            });
        setInitial(valuesOf(saved, undefined));
        setValues(valuesOf(saved, undefined));
        setVersion(saved.version);
        props.onDirty(false);
        void message.success(text(words.saved), 2);
        void client.invalidateQueries({ queryKey: GROUP_KEY });
        props.onSaved(saved);
      } catch (error) {
        if (!(error instanceof ApiError)) return;
        setFailure(error.message);
        if (showFieldErrors(form, error.fields, names) > 0) focusFirstError(form, formName, names);
        const current = (error.data as { current?: GroupNode } | null)?.current;
        // What they changed comes in, what was typed here stays: the next save goes over their version.
        if (current) {
          const theirs = valuesOf({ ...group!, ...current }, undefined);
          const merged = { ...theirs, ...Object.fromEntries(changes.map((name) => [name, values[name]])) };
          form.setFieldsValue(merged);
          setInitial(theirs);
          setValues(merged);
          setVersion(current.version);
          void client.invalidateQueries({ queryKey: GROUP_KEY });
        }
      }
    });
  };
  return (
    <div className="pg-form">
      {failure && <Alert type="error" showIcon title={failure} />}
      <FieldForm
        form={form}
        name={formName}
        fields={fields}
        sections={[{ fields: names }]}
        initial={initial}
        disabled={!props.canEdit}
        inputs={{
          parentId: ({ value, onChange, disabled, id }) => (
            <ParentSelect
              value={value}
              onChange={onChange}
              disabled={disabled || group?.builtIn === true}
              id={id}
              groups={props.groups.filter(
                (one) =>
                  one.type === props.type &&
                  !one.builtIn &&
                  (group === undefined || one.tenant === group.tenant),
              )}
              self={group?.id}
            />
          ),
          departmentId: ({ value, onChange, disabled, id }) => (
            <DepartmentSelect value={value} onChange={onChange} disabled={disabled} id={id} />
          ),
        }}
        onChange={(next) => {
          setValues(next);
          props.onDirty(changedNames(fields, names, initial, next).length > 0);
        }}
        onSubmit={() => void submit()}
      />
      {props.canEdit && (changes.length > 0 || !group) && (
        <SubmitBar
          busy={guard.busy}
          locked={guard.locked}
          onSubmit={() => void submit()}
          onCancel={props.onCancel ?? (() => reset())}
        />
      )}
      {!props.canEdit && props.onCancel && <Button onClick={props.onCancel}>{text(words.close)}</Button>}
    </div>
  );

  function reset() {
    form.setFieldsValue(initial);
    setValues(initial);
    setFailure('');
    props.onDirty(false);
  }
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

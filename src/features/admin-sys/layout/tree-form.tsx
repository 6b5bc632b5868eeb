import { useId, useState } from 'react';
import { Alert, Button, Form } from 'antd';
import { message, tellFault } from '../../../kernel/client/feedback.ts';
import { useQueryClient } from '@tanstack/react-query';
import type { Fields } from '../../../kernel/contract/fields.ts';
import { ApiError, newIdempotencyKey } from '../../../kernel/client/api-client.ts';
import { FieldForm, focusFirstError, showFieldErrors } from '../../../kernel/client/form/field-form.tsx';
import {
  changedNames,
  writtenValues,
  type FormValues,
} from '../../../kernel/client/form/form-values.rules.ts';
import { SubmitBar } from '../../../kernel/client/form/resource-form.tsx';
import { useText } from '../../../kernel/client/language.ts';
import { useSubmitGuard } from '../../../kernel/client/parts/use-guard.ts';
import type { ScreenSlots } from '../../../kernel/client/slots.ts';
import { words } from '../../../kernel/client/texts.ts';

/** What a form beside a tree is given. `T` is the record it edits; without one it makes a new one. */
export interface TreeFormProps<T extends { readonly version: number }> {
  readonly record: T | undefined;
  /** Form values of a record; of none: those of a new one. */
  readonly valuesOf: (record: T | undefined) => FormValues;
  /** Fields in order; they may depend on what was typed. */
  readonly fieldsOf: (values: FormValues) => Fields;
  /** Sends what changed (of a new record: everything) and returns the record as saved. */
  readonly send: (
    written: Readonly<Record<string, unknown>>,
    version: number | undefined,
    idempotencyKey: string,
  ) => Promise<T>;
  /** Query key of the tree, fresh after a save. */
  readonly treeKey: readonly unknown[];
  readonly canEdit: boolean;
  readonly wide?: boolean;
  readonly inputs?: ScreenSlots['inputs'];
  readonly onDirty: (dirty: boolean) => void;
  readonly onSaved: (record: T) => void;
  readonly onCancel?: (() => void) | undefined;
}

/**
 * The form of the chosen node of a tree, in place: saved with its version, errors at the fields, the submit bar only while
 * something changed. When somebody else saved meanwhile, their changes come in and what was typed here stays.
 */
export function TreeForm<T extends { readonly version: number }>(props: TreeFormProps<T>) {
  const { record } = props;
  const text = useText();
  const client = useQueryClient();
  const [form] = Form.useForm();
  const formName = `t${useId().replace(/\W/g, '')}`;
  const guard = useSubmitGuard();
  const [initial, setInitial] = useState<FormValues>(() => props.valuesOf(record));
  const [values, setValues] = useState<FormValues>(initial);
  const [version, setVersion] = useState(record?.version);
  const [failure, setFailure] = useState('');
  const fields = props.fieldsOf(values);
  const names = Object.keys(fields);
  const changes = changedNames(fields, names, initial, values);
  const submit = async () => {
    try {
      await form.validateFields();
    } catch {
      guard.hold();
      return focusFirstError(form, formName, names);
    }
    await guard.run(async () => {
      setFailure('');
      const written = writtenValues(fields, names, values);
      const sent = record ? Object.fromEntries(changes.map((name) => [name, written[name]])) : written;
      try {
        const saved = await props.send(sent, version, newIdempotencyKey());
        const fresh = props.valuesOf(saved);
        form.setFieldsValue(fresh as Record<string, unknown>);
        setInitial(fresh);
        setValues(fresh);
        setVersion(saved.version);
        props.onDirty(false);
        void message.success(text(words.saved), 2);
        void client.invalidateQueries({ queryKey: props.treeKey });
        props.onSaved(saved);
      } catch (error) {
        if (!(error instanceof ApiError)) return tellFault(error);
        setFailure(error.message);
        if (showFieldErrors(form, error.fields, names) > 0) focusFirstError(form, formName, names);
        const current = (error.data as { current?: Partial<T> & { readonly version: number } } | null)
          ?.current;
        if (!record || !current) return;
        const theirs = props.valuesOf({ ...record, ...current });
        const merged = { ...theirs, ...Object.fromEntries(changes.map((name) => [name, values[name]])) };
        form.setFieldsValue(merged as Record<string, unknown>);
        setInitial(theirs);
        setValues(merged);
        setVersion(current.version);
        void client.invalidateQueries({ queryKey: props.treeKey });
      }
    });
  };
  const reset = () => {
    form.setFieldsValue(initial as Record<string, unknown>);
    setValues(initial);
    setFailure('');
    props.onDirty(false);
  };
  return (
    <div className={props.wide ? 'pg-form pg-form-wide' : 'pg-form'}>
      {failure && <Alert type="error" showIcon title={failure} />}
      <FieldForm
        form={form}
        name={formName}
        fields={fields}
        sections={[{ fields: names }]}
        columns={props.wide ? 2 : 1}
        initial={initial}
        disabled={!props.canEdit}
        inputs={props.inputs}
        onChange={(next) => {
          setValues(next);
          props.onDirty(changedNames(fields, names, initial, next).length > 0);
        }}
        onSubmit={() => void submit()}
      />
      {props.canEdit && (changes.length > 0 || !record) && (
        <SubmitBar
          busy={guard.busy}
          locked={guard.locked}
          onSubmit={() => void submit()}
          onCancel={props.onCancel ?? reset}
        />
      )}
      {!props.canEdit && props.onCancel && <Button onClick={props.onCancel}>{text(words.close)}</Button>}
    </div>
  );
}

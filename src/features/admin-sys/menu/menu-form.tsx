import { useId, useState } from 'react';
import { Alert, Form, Select } from 'antd';
import { useQueryClient } from '@tanstack/react-query';
import { message } from '../../../kernel/client/feedback.ts';
import type { Fields } from '../../../kernel/contract/fields.ts';
import { ApiError, call, newIdempotencyKey } from '../../../kernel/client/api-client.ts';
import { FieldForm, focusFirstError, showFieldErrors } from '../../../kernel/client/form/field-form.tsx';
import {
  changedNames,
  initialValues,
  writtenValues,
  type FormValues,
} from '../../../kernel/client/form/form-values.rules.ts';
import { SubmitBar } from '../../../kernel/client/form/resource-form.tsx';
import { useText } from '../../../kernel/client/language.ts';
import { useSubmitGuard } from '../../../kernel/client/parts/use-guard.ts';
import { words } from '../../../kernel/client/texts.ts';
import { menuFields } from './menu.contract.ts';
import { MENU_KEY, MENU_ROOT, type MenuItem } from './menu-wire.ts';

const EDITED = [
  'titleZh',
  'titleEn',
  'icon',
  'sort',
  'hidden',
  'noCache',
  'subCache',
  'description',
] as const;
const NEW = ['code', 'type', 'titleZh', 'titleEn', 'icon', 'sort', 'description'] as const;

/** Titles, icon, order and switches of a menu; without a menu it makes a directory or a link below `parent`. */
export function MenuForm(props: {
  readonly menu: MenuItem | undefined;
  readonly parent: string | null;
  readonly icons: readonly string[];
  readonly canEdit: boolean;
  readonly onDirty: (dirty: boolean) => void;
  readonly onSaved: (menu: MenuItem) => void;
  readonly onCancel?: () => void;
}) {
  const { menu } = props;
  const text = useText();
  const client = useQueryClient();
  const [form] = Form.useForm();
  const formName = `m${useId().replace(/\W/g, '')}`;
  const guard = useSubmitGuard();
  const [initial, setInitial] = useState<FormValues>(() => valuesOf(menu));
  const [values, setValues] = useState<FormValues>(initial);
  const [version, setVersion] = useState(menu?.version);
  const [failure, setFailure] = useState('');
  const type = menu?.type ?? (values.type as string | undefined);
  const fields: Fields = {
    ...menuFields,
    url: { ...menuFields.url, required: type === 'link' },
    type: {
      ...menuFields.type,
      choices: {
        dirt: menuFields.type.choices.dirt,
        ...(props.parent === null ? {} : { link: menuFields.type.choices.link }),
      },
    },
  };
  const names: string[] = [...(menu ? EDITED : NEW)];
  if (type === 'link') names.splice(names.indexOf('titleEn') + 1, 0, 'url');
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
      const sent = Object.fromEntries(
        Object.entries(written)
          .filter(([name, value]) => (menu ? changes.includes(name) : value !== null))
          .map(([name, value]) => [name, value ?? (name === 'sort' ? null : '')]),
      );
      try {
        const saved = menu
          ? await call<MenuItem>('PUT', `${MENU_ROOT}/item/${menu.code}`, {
              body: { version, ...sent },
              idempotencyKey: newIdempotencyKey(),
              quiet: true,
            })
          : await call<MenuItem>('POST', `${MENU_ROOT}/item`, {
              body: { parent: props.parent, ...sent },
              idempotencyKey: newIdempotencyKey(),
              quiet: true,
            });
        const fresh = valuesOf(saved);
        form.setFieldsValue(fresh);
        setInitial(fresh);
        setValues(fresh);
        setVersion(saved.version);
        props.onDirty(false);
        void message.success(text(words.saved), 2);
        void client.invalidateQueries({ queryKey: MENU_KEY });
        props.onSaved(saved);
      } catch (error) {
        if (!(error instanceof ApiError)) return;
        setFailure(error.message);
        if (showFieldErrors(form, error.fields, names) > 0) focusFirstError(form, formName, names);
        const current = (error.data as { current?: MenuItem } | null)?.current;
        if (current) {
          const theirs = {
            ...initial,
            ...initialValues(
              fields,
              names.filter((name) => name !== 'sort'),
              current as unknown as FormValues,
            ),
          };
          const merged = { ...theirs, ...Object.fromEntries(changes.map((name) => [name, values[name]])) };
          form.setFieldsValue(merged);
          setInitial(theirs);
          setValues(merged);
          setVersion(current.version);
        }
      }
    });
  };
  return (
    <div className={menu ? 'pg-form pg-form-wide' : 'pg-form'}>
      {failure && <Alert type="error" showIcon title={failure} />}
      <FieldForm
        form={form}
        name={formName}
        fields={fields}
        sections={[{ fields: names }]}
        columns={menu ? 2 : 1}
        initial={initial}
        disabled={!props.canEdit}
        inputs={{
          icon: ({ value, onChange, disabled, id }) => (
            <Select
              {...(id ? { id } : {})}
              value={(value ?? null) as never}
              disabled={disabled}
              allowClear
              showSearch
              options={[
                { value: 'hidden', label: text(['hidden（不显示）', 'hidden (not shown)']) },
                ...props.icons.map((icon) => ({ value: icon, label: icon })),
              ]}
              onChange={(next: unknown) => onChange?.(next ?? undefined)}
            />
          ),
        }}
        onChange={(next) => {
          setValues(next);
          props.onDirty(changedNames(fields, names, initial, next).length > 0);
        }}
        onSubmit={() => void submit()}
      />
      {props.canEdit && (changes.length > 0 || !menu) && (
        <SubmitBar
          busy={guard.busy}
          locked={guard.locked}
          onSubmit={() => void submit()}
          onCancel={
            props.onCancel ??
            (() => {
              form.setFieldsValue(initial);
              setValues(initial);
              props.onDirty(false);
            })
          }
        />
      )}
    </div>
  );
}

function valuesOf(menu: MenuItem | undefined): Record<string, unknown> {
  if (!menu) return { type: 'dirt' };
  const { titleZh, titleEn, icon, hidden, noCache, subCache, description, url, places } = menu;
  return {
    titleZh,
    titleEn,
    icon: icon || undefined,
    hidden,
    noCache,
    subCache,
    description: description || undefined,
    url: url || undefined,
    sort: places[0] ? String(places[0].sort) : undefined,
  };
}

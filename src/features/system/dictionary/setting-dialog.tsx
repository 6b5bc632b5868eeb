import { useId } from 'react';
import { Alert } from 'antd';
import { useQueryClient } from '@tanstack/react-query';
import {
  fieldOfSetting,
  limitText,
  settingProblem,
  type SettingDeclaration,
} from '../../../kernel/contract/setting-declaration.ts';
import type { Fields } from '../../../kernel/contract/fields.ts';
import { useInputForm } from '../../../kernel/client/action/use-input-form.ts';
import { call } from '../../../kernel/client/api-client.ts';
import { message } from '../../../kernel/client/feedback.ts';
import { FieldForm } from '../../../kernel/client/form/field-form.tsx';
import {
  initialValues,
  writtenValues,
  type FormValues,
} from '../../../kernel/client/form/form-values.rules.ts';
import { useText } from '../../../kernel/client/language.ts';
import { AppModal } from '../../../kernel/client/parts/app-modal.tsx';
import { words } from '../../../kernel/client/texts.ts';
import type { SettingRow } from './setting.contract.ts';
import { SETTING_KEY, SETTING_ROOT } from './setting-place.ts';

/** Sets one key at one place, by the rules the server has too. */
export function SettingDialog({
  row,
  place,
  onClose,
}: {
  readonly row: SettingRow;
  readonly place: Readonly<Record<string, string>>;
  readonly onClose: () => void;
}) {
  const text = useText();
  const client = useQueryClient();
  const formName = `s${useId().replace(/\W/g, '')}`;
  const setting = declarationOf(row);
  // Limits are said in the words of settings, so the input itself knows none.
  const { min: _min, ...open } = fieldOfSetting(setting);
  const { max: _max, ...field } = open;
  const limits = limitText(setting);
  const fields: Fields = {
    value: {
      ...(row.type === 'text' || row.type === 'list' ? open : field),
      ...(limits && row.type !== 'text' && row.type !== 'list' ? { help: limits } : {}),
    },
  };
  const initial = initialValues(fields, ['value'], { value: row.value });
  const input = useInputForm(
    fields,
    formName,
    `setting:${row.key}:${Object.values(place)[0] ?? ''}`,
    initial,
  );
  const submit = () => {
    const written = writtenValues(fields, ['value'], input.form.getFieldsValue(true) as FormValues);
    const value =
      written.value ??
      (row.type === 'list' ? [] : row.type === 'bool' ? false : row.type === 'text' ? '' : null);
    const problem = value === null ? undefined : settingProblem(setting, value);
    if (problem) {
      input.form.setFields([{ name: 'value', errors: [text(problem)] }]);
      return;
    }
    void input.submit(
      (_values, key) =>
        call('PUT', `${SETTING_ROOT}/${row.key}`, {
          body: { ...place, value, version: row.version },
          idempotencyKey: key,
        }),
      () => {
        message.success(text(words.saved), 2);
        void client.invalidateQueries({ queryKey: SETTING_KEY });
        onClose();
      },
    );
  };
  return (
    <AppModal
      open
      title={row.name}
      okText={text(words.save)}
      okButtonProps={{ disabled: input.locked && !input.busy }}
      confirmLoading={input.busy}
      onOk={submit}
      onCancel={() => {
        // Whoever was too late sees what stands now.
        if (input.error) void client.invalidateQueries({ queryKey: SETTING_KEY });
        void input.leave(onClose);
      }}
    >
      <p className="k-quiet dict-key">{row.key}</p>
      {input.error && Object.keys(input.error.fields).length === 0 && (
        <Alert type="error" showIcon title={input.error.message} />
      )}
      <FieldForm
        form={input.form}
        name={formName}
        fields={fields}
        sections={[{ fields: ['value'] }]}
        initial={initial}
        onChange={input.changed}
        onSubmit={submit}
      />
      <p className="k-quiet">
        {text(['默认值', 'Default'])}
        {text(['：', ': '])}
        {row.defaultText}
        {row.unit ? ` ${row.unit}` : ''}
      </p>
    </AppModal>
  );
}

/** The declaration of a key as far as its input needs it, in the language of the page. */
function declarationOf(row: SettingRow): SettingDeclaration {
  const { min, max, choices } = row.input;
  return {
    key: row.key,
    name: [row.name, row.name],
    group: row.group,
    type: row.type,
    default: row.defaultValue,
    scopes: row.scopes,
    ...(min === null ? {} : { min }),
    ...(max === null ? {} : { max }),
    ...(row.unit && row.type !== 'fen' ? { unit: [row.unit, row.unit] as const } : {}),
    ...(choices
      ? {
          choices: Object.fromEntries(
            Object.entries(choices).map(([word, label]) => [word, { label: [label, label] as const }]),
          ),
        }
      : {}),
  };
}

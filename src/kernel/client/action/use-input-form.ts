import { useRef, useState } from 'react';
import { Form, type FormInstance } from 'antd';
import type { Fields } from '../../contract/fields.ts';
import { ApiError, newIdempotencyKey } from '../api-client.ts';
import { focusFirstError, showFieldErrors } from '../form/field-form.tsx';
import { writtenValues, type FormValues } from '../form/form-values.rules.ts';
import { useSubmitGuard } from '../parts/use-guard.ts';

/** The input form of an action: validates, guards, sends once, puts the server's messages at the fields. */
export function useInputForm(fields: Fields, formName: string) {
  const [form] = Form.useForm() as [FormInstance];
  const guard = useSubmitGuard();
  const key = useRef<string>(undefined);
  const [error, setError] = useState<ApiError>();
  const names = Object.keys(fields);
  const submit = async <T>(
    send: (input: Record<string, unknown>, key: string) => Promise<T>,
    done: (result: T) => void,
  ) => {
    if (names.length > 0) {
      try {
        await form.validateFields();
      } catch {
        return focusFirstError(form, formName, names);
      }
    }
    const values = names.length > 0 ? (form.getFieldsValue(true) as FormValues) : {};
    await guard.run(async () => {
      key.current ??= newIdempotencyKey();
      setError(undefined);
      try {
        done(await send(writtenValues(fields, names, values), key.current));
      } catch (failure) {
        if (!(failure instanceof ApiError)) return;
        if (failure.http !== 0 && failure.http !== 504) key.current = undefined;
        setError(failure);
        if (showFieldErrors(form, failure.fields, names) > 0) focusFirstError(form, formName, names);
      }
    });
  };
  return { form, names, busy: guard.busy, locked: guard.locked, error, submit };
}

import { useRef, useState } from 'react';
import { Form, type FormInstance } from 'antd';
import type { Fields } from '../../contract/fields.ts';
import { ApiError, newIdempotencyKey } from '../api-client.ts';
import { tellFault } from '../feedback.ts';
import { focusFirstError, showFieldErrors } from '../form/field-form.tsx';
import { changedNames, keptValues, writtenValues, type FormValues } from '../form/form-values.rules.ts';
import { useDraft } from '../form/use-draft.ts';
import { useLeaveQuestion } from '../parts/use-confirm.ts';
import { useSubmitGuard } from '../parts/use-guard.ts';
import { useView } from '../view.ts';

const NOTHING: FormValues = {};

/**
 * The input form of an action: validates, guards, sends once, puts the server's messages at the fields. What is typed
 * counts as unsaved input of the tab, and is kept as a draft under `draftName` until it is sent. `initial`: what stands in
 * the form before anybody typed.
 */
export function useInputForm(
  fields: Fields,
  formName: string,
  draftName: string,
  initial: FormValues = NOTHING,
) {
  const [form] = Form.useForm() as [FormInstance];
  const view = useView();
  const draft = useDraft(draftName);
  const [dirty, setDirty] = useState(false);
  const guard = useSubmitGuard();
  const mayLeave = useLeaveQuestion();
  const key = useRef<string>(undefined);
  const [error, setError] = useState<ApiError>();
  const names = Object.keys(fields);
  const markDirty = (on: boolean) => {
    if (on === dirty) return;
    setDirty(on);
    view.setDirty(on);
  };
  const changed = (values: FormValues) => {
    const isTyped = changedNames(fields, names, initial, values).length > 0;
    markDirty(isTyped);
    draft.keep(isTyped ? keptValues(fields, values) : undefined, null);
  };
  const submit = async <T>(
    send: (input: Record<string, unknown>, key: string) => Promise<T>,
    done: (result: T) => void,
  ) => {
    if (names.length > 0) {
      try {
        await form.validateFields();
      } catch {
        guard.hold();
        return focusFirstError(form, formName, names);
      }
    }
    const values = names.length > 0 ? (form.getFieldsValue(true) as FormValues) : {};
    await guard.run(async () => {
      key.current ??= newIdempotencyKey();
      setError(undefined);
      try {
        const result = await send(writtenValues(fields, names, values), key.current);
        draft.forget();
        markDirty(false);
        done(result);
      } catch (failure) {
        if (!(failure instanceof ApiError)) return tellFault(failure);
        if (failure.http !== 0 && failure.http !== 504) key.current = undefined;
        setError(failure);
        if (showFieldErrors(form, failure.fields, names) > 0) focusFirstError(form, formName, names);
      }
    });
  };
  return {
    form,
    names,
    busy: guard.busy,
    locked: guard.locked,
    error,
    submit,
    changed,
    /** Found when the form opened, and nothing typed since. */
    draft: dirty ? undefined : draft.found,
    restoreDraft: () => {
      if (!draft.found) return;
      form.setFieldsValue(draft.found.values as Record<string, unknown>);
      markDirty(true);
      draft.taken();
    },
    discardDraft: draft.forget,
    /** Closes the form; what was typed and not sent is asked for first, as in every form. The draft stays. */
    leave: async (close: () => void) => {
      if (dirty && !(await mayLeave())) return;
      markDirty(false);
      close();
    },
  };
}

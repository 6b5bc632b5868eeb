import { lazy, Suspense, useEffect, useEffectEvent, useId, useState } from 'react';
import { Button, Form, Input, Skeleton } from 'antd';
import { HistoryOutlined } from '@ant-design/icons';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { message, tellFault } from '../feedback.ts';
import { fill } from '../../contract/label.ts';
import type { Settings } from '../../contract/settings.ts';
import { ApiError, call, newIdempotencyKey } from '../api-client.ts';
import { ConflictPanel } from '../form/conflict-panel.tsx';
import { FieldForm, focusFirstError, showFieldErrors } from '../form/field-form.tsx';
import {
  changedNames,
  conflictsOf,
  initialValues,
  writtenValues,
  type FormValues,
} from '../form/form-values.rules.ts';
import { SubmitBar } from '../form/resource-form.tsx';
import type { OpenConflict } from '../form/use-resource-form.ts';
import { useText } from '../language.ts';
import { ErrorPanel } from '../parts/error-panel.tsx';
import { useHeld } from '../parts/held.ts';
import { PageTitle } from '../parts/page-title.tsx';
import { useSubmitGuard } from '../parts/use-guard.ts';
import type { ScreenSlots } from '../slots.ts';
import { settingsWords, words } from '../texts.ts';
import { useView } from '../view.ts';

const HistoryDrawer = lazy(() =>
  import('./history-drawer.tsx').then((module) => ({ default: module.HistoryDrawer })),
);

/** The answer of a settings record. */
interface SettingsAnswer {
  readonly values: FormValues;
  readonly version: number;
}

const pathOf = (settings: Settings) => `/api/jinmao/web/settings/${settings.name}`;

/** The default screen of settings: one form, saved as a whole with its version, with the history of its changes. */
export function SettingsScreen({
  settings,
  slots,
}: {
  readonly settings: Settings;
  readonly slots: ScreenSlots;
}) {
  const text = useText();
  const [history, setHistory] = useState(false);
  // A set-back record makes the form anew: what was being typed was typed over other values.
  const [restored, setRestored] = useState(0);
  const { data, isPending, isError, error, refetch } = useQuery({
    queryKey: ['settings', settings.name],
    // Never swapped under the fingers: the version says when someone else saved.
    staleTime: Infinity,
    queryFn: ({ signal }) => call<SettingsAnswer>('GET', pathOf(settings), { signal }),
  });
  return (
    <div className="k-screen k-settings">
      <PageTitle title={settings.title} purpose={settings.purpose}>
        <Button icon={<HistoryOutlined />} onClick={() => setHistory(true)}>
          {text(settingsWords.history)}
        </Button>
      </PageTitle>
      {slots.above}
      {isPending ? (
        <Skeleton active paragraph={{ rows: 10 }} />
      ) : isError ? (
        <ErrorPanel error={error} onRetry={() => void refetch()} />
      ) : (
        <SettingsForm key={restored} settings={settings} slots={slots} answer={data} />
      )}
      <Suspense>
        {history && (
          <HistoryDrawer
            settings={settings}
            path={`${pathOf(settings)}/history`}
            version={data?.version}
            onRestored={() => {
              setRestored((n) => n + 1);
              setHistory(false);
            }}
            onClose={() => setHistory(false)}
          />
        )}
      </Suspense>
    </div>
  );
}

function SettingsForm({
  settings,
  slots,
  answer,
}: {
  readonly settings: Settings;
  readonly slots: ScreenSlots;
  readonly answer: SettingsAnswer;
}) {
  const text = useText();
  const view = useView();
  const client = useQueryClient();
  const held = useHeld(settings);
  const [form] = Form.useForm();
  const formName = `s${useId().replace(/\W/g, '')}`;
  const guard = useSubmitGuard();
  const names = settings.sections.flatMap((section) => section.fields);
  const [initial, setInitial] = useState(() => initialValues(settings.fields, names, answer.values));
  const [values, setValues] = useState<FormValues>(initial);
  const [version, setVersion] = useState(answer.version);
  const [conflict, setConflict] = useState<OpenConflict>();
  const [reason, setReason] = useState('');
  const [unsaid, setUnsaid] = useState(false);
  const changes = changedNames(settings.fields, names, initial, values);
  const canSave = held('btn_save');
  const changed = (next: FormValues) => {
    setValues(next);
    view.setDirty(changedNames(settings.fields, names, initial, next).length > 0);
  };
  const take = (next: SettingsAnswer) => {
    const fresh = initialValues(settings.fields, names, next.values);
    setInitial(fresh);
    setVersion(next.version);
    setConflict(undefined);
    form.setFieldsValue(fresh);
    changed(fresh);
    view.setDirty(false);
    setReason('');
    client.setQueryData(['settings', settings.name], next);
  };
  const failed = (error: unknown) => {
    if (!(error instanceof ApiError)) return tellFault(error);
    if (showFieldErrors(form, error.fields, names) > 0) focusFirstError(form, formName, names);
    const current = (error.data as { current?: SettingsAnswer } | null)?.current;
    if (error.status !== 30101 || !current?.values) return;
    const theirs = initialValues(settings.fields, names, current.values);
    const found = conflictsOf(settings.fields, names, initial, theirs, values);
    const merged = { ...values, ...Object.fromEntries(found.theirs.map((one) => [one.name, one.theirs])) };
    form.setFieldsValue(merged);
    setConflict({ version: current.version, ...found });
    setInitial(theirs);
    setValues(merged);
    setVersion(current.version);
  };
  const submit = async () => {
    try {
      await form.validateFields();
    } catch {
      guard.hold();
      return focusFirstError(form, formName, names);
    }
    if (settings.reasoned && reason.trim().length < 2) {
      setUnsaid(true);
      guard.hold();
      document.getElementById(`${formName}-reason`)?.focus();
      return;
    }
    await guard.run(async () => {
      try {
        const written = writtenValues(settings.fields, names, values);
        const body = {
          version,
          values: Object.fromEntries(changes.map((name) => [name, written[name]])),
          ...(settings.reasoned && { reason: reason.trim() }),
        };
        take(
          await call<SettingsAnswer>('PUT', pathOf(settings), { body, idempotencyKey: newIdempotencyKey() }),
        );
        void message.success(text(words.saved), 2);
        void client.invalidateQueries({ queryKey: ['settings', settings.name, 'history'] });
      } catch (error) {
        failed(error);
      }
    });
  };
  const save = useEffectEvent((event: KeyboardEvent) => {
    if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== 's') return;
    event.preventDefault();
    if (canSave && changes.length > 0 && !guard.locked) void submit();
  });
  useEffect(() => {
    if (!view.active) return;
    const listen = (event: KeyboardEvent) => save(event);
    window.addEventListener('keydown', listen);
    return () => window.removeEventListener('keydown', listen);
  }, [view.active]);
  const discard = () => {
    form.setFieldsValue(initial);
    form.setFields(names.map((name) => ({ name, errors: [] })));
    changed(initial);
  };
  const aside = typeof slots.aside === 'function' ? slots.aside(values) : slots.aside;
  return (
    <div className="k-with-aside">
      <div className="k-list k-settings-form">
        {conflict && (
          <ConflictPanel
            fields={settings.fields}
            conflict={conflict}
            onResolve={(name, choice) => {
              const one = conflict.conflicts.find((entry) => entry.name === name);
              if (!one) return;
              const next = { ...values, [name]: choice === 'theirs' ? one.theirs : one.mine };
              form.setFieldValue(name, next[name]);
              changed(next);
            }}
          />
        )}
        <FieldForm
          form={form}
          name={formName}
          fields={settings.fields}
          sections={settings.sections}
          initial={initial}
          inputs={slots.inputs}
          disabled={!canSave}
          columns={names.length > 8 ? 2 : 1}
          onChange={changed}
          onSubmit={() => void submit()}
        />
        {canSave && settings.reasoned && changes.length > 0 && (
          <div className="k-settings-reason">
            <label htmlFor={`${formName}-reason`}>{text(settingsWords.reason)}</label>
            <Input
              id={`${formName}-reason`}
              value={reason}
              maxLength={200}
              aria-required
              aria-invalid={unsaid}
              {...(unsaid && { status: 'error', 'aria-describedby': `${formName}-reason-missing` })}
              onChange={(event) => {
                setReason(event.target.value);
                setUnsaid(false);
              }}
            />
            {unsaid && (
              <span id={`${formName}-reason-missing`} role="alert" className="k-error-text">
                {text(settingsWords.reasonMissing)}
              </span>
            )}
          </div>
        )}
        {canSave && (
          <SubmitBar
            note={
              changes.length > 0 && (
                <span aria-live="polite">{text(fill(settingsWords.notSaved, { n: changes.length }))}</span>
              )
            }
            busy={guard.busy}
            locked={guard.locked}
            disabled={changes.length === 0}
            onSubmit={() => void submit()}
            {...(changes.length > 0 ? { onCancel: discard } : {})}
            cancelText={text(settingsWords.discard)}
          />
        )}
      </div>
      {aside && <aside className="k-aside">{aside}</aside>}
    </div>
  );
}

import { useId, useState } from 'react';
import { Alert } from 'antd';
import { useQueryClient } from '@tanstack/react-query';
import { fill, textOf } from '../../contract/label.ts';
import type { ResourceSpec } from '../../contract/resource.ts';
import { DraftOffer } from '../form/draft-offer.tsx';
import { constantValues } from '../form/first-values.rules.ts';
import { FieldForm } from '../form/field-form.tsx';
import { useLanguageStore, useText } from '../language.ts';
import { AppModal } from '../parts/app-modal.tsx';
import type { ScreenSlots } from '../slots.ts';
import { actionWords } from '../texts.ts';
import { rowTitle } from '../value-text.rules.ts';
import { keysOf, type RowData } from '../wire.ts';
import { callAction } from './call-action.ts';
import { confirmText } from './confirm-text.rules.ts';
import { DialogHold } from './dialog-hold.ts';
import type { Running } from './use-action.tsx';
import { useInputForm } from './use-input-form.ts';

const NO_FIELDS = {};

/** Asks for confirmation and input of an action on one row or on the page, then calls it. */
export function ActionDialog(props: {
  readonly resource: ResourceSpec;
  readonly slots: ScreenSlots;
  readonly running: Running;
  readonly onClose: () => void;
  readonly onDone: (result: unknown) => void;
}) {
  const { resource, running } = props;
  const { spec, name } = running;
  const text = useText();
  const language = useLanguageStore((state) => state.language);
  const client = useQueryClient();
  const formName = `a${useId().replace(/\W/g, '')}`;
  const fields = spec.input ?? NO_FIELDS;
  const [first] = useState(() => ({
    ...constantValues(fields, Object.keys(fields)),
    ...(running.row && props.slots.dialogWith?.[name]?.(running.row)),
  }));
  const input = useInputForm(fields, formName, `${resource.name}:${running.row?.id ?? 'new'}:${name}`, first);
  // After a conflict the dialog speaks of the row as it is now.
  const [row, setRow] = useState(running.row);
  const [held, setHeld] = useState(false);
  const submit = () => {
    // The keyboard submits a form too.
    if (held) return;
    void input.submit(async (values, key) => {
      try {
        return await callAction(resource, { name, row }, values, key);
      } catch (error) {
        const { data, http } = error as { data?: { current?: RowData } | null; http?: number };
        if (data?.current) setRow(data.current);
        // Refused for what the row is by now: the list behind shows it, too.
        if (http === 409) void client.invalidateQueries({ queryKey: keysOf.all(resource.name) });
        throw error;
      }
    }, props.onDone);
  };
  const title = row
    ? fill(actionWords.confirmTitle, { action: text(spec.label), title: rowTitle(resource, row, language) })
    : spec.label;
  const question =
    row &&
    (spec.confirm ??
      (name === 'remove'
        ? fill(actionWords.confirmRemove, { title: rowTitle(resource, row, language) })
        : undefined));
  const danger = spec.tone === 'danger' || name === 'remove';
  // Two columns before the dialog grows higher than a small screen.
  const many = input.names.length > 6;
  return (
    <AppModal
      open
      title={text(title)}
      width={many ? 760 : 520}
      okText={text(spec.label)}
      okButtonProps={{ danger, disabled: held || (input.locked && !input.busy) }}
      confirmLoading={input.busy}
      onOk={submit}
      onCancel={() => void input.leave(props.onClose)}
    >
      {question && <p className="k-question">{confirmText(resource, question, row, language)}</p>}
      <DialogHold value={setHeld}>{row && props.slots.dialogAbove?.[name]?.(row)}</DialogHold>
      {!row && spec.confirm && <p className="k-question">{textOf(spec.confirm, language)}</p>}
      {input.error && Object.keys(input.error.fields).length === 0 && (
        <Alert
          className="k-dialog-error"
          type="error"
          showIcon
          title={input.error.message || text(spec.label)}
        />
      )}
      {input.draft && (
        <DraftOffer draft={input.draft} onRestore={input.restoreDraft} onDrop={input.discardDraft} />
      )}
      {input.names.length > 0 && (
        <FieldForm
          form={input.form}
          name={formName}
          fields={fields}
          sections={[{ fields: input.names }]}
          columns={many ? 2 : 1}
          initial={first}
          inputs={props.slots.inputs}
          rows={row ? [row] : []}
          onChange={input.changed}
          onSubmit={submit}
        />
      )}
    </AppModal>
  );
}

import { useId, useState } from 'react';
import { Alert, Button } from 'antd';
import { CheckCircleFilled, CloseCircleFilled } from '@ant-design/icons';
import { useQueryClient } from '@tanstack/react-query';
import { fill, textOf } from '../../contract/label.ts';
import type { ResourceSpec } from '../../contract/resource.ts';
import { call } from '../api-client.ts';
import { DraftOffer } from '../form/draft-offer.tsx';
import { constantValues } from '../form/first-values.rules.ts';
import { FieldForm } from '../form/field-form.tsx';
import { useLanguageStore, useText } from '../language.ts';
import { AppModal } from '../parts/app-modal.tsx';
import type { ScreenSlots } from '../slots.ts';
import { actionWords, words } from '../texts.ts';
import { rowTitle } from '../value-text.rules.ts';
import { keysOf, rootOf, versionsOf, type BulkAnswer, type RowData } from '../wire.ts';
import { eligibleRows } from './actions.rules.ts';
import { bulkConfirmText } from './confirm-text.rules.ts';
import type { Running } from './use-action.tsx';
import { useInputForm } from './use-input-form.ts';

const NO_FIELDS = {};
const NAMED = 5;

/** An action on several rows: what it will touch, its input, and afterwards what became of each row. */
export function BulkDialog(props: {
  readonly resource: ResourceSpec;
  readonly slots: ScreenSlots;
  readonly running: Running;
  readonly onClose: () => void;
  readonly onDone: (changed: readonly string[]) => void;
}) {
  const { resource, running } = props;
  const { spec, name } = running;
  const text = useText();
  const language = useLanguageStore((state) => state.language);
  const client = useQueryClient();
  const formName = `b${useId().replace(/\W/g, '')}`;
  const fields = spec.input ?? NO_FIELDS;
  const [first] = useState(() => constantValues(fields, Object.keys(fields)));
  const input = useInputForm(fields, formName, `${resource.name}:bulk:${name}`, first);
  const { allowed, refused } = eligibleRows({ name, spec }, running.rows);
  const [answer, setAnswer] = useState<BulkAnswer>();
  const send = (rows: readonly RowData[]) =>
    void input.submit(
      (values, key) =>
        call<BulkAnswer>('POST', `${rootOf(resource)}/bulk/${name}`, {
          body: { ids: rows.map((row) => row.id), versions: versionsOf(rows), input: values },
          idempotencyKey: key,
        }),
      (result) => {
        const merged = { done: [...(answer?.done ?? []), ...result.done], failed: result.failed };
        if (merged.failed.length === 0) return props.onDone(merged.done);
        setAnswer(merged);
        void client.invalidateQueries({ queryKey: keysOf.all(resource.name) });
      },
    );
  const label = textOf(spec.label, language);
  const confirmation = spec.confirm && bulkConfirmText(resource, spec.confirm, allowed, language);
  const titles = allowed.slice(0, NAMED).map((row) => rowTitle(resource, row, language));
  const failedIds = new Set(answer?.failed.map((one) => one.id));
  const failedRows = running.rows.filter((row) => failedIds.has(row.id));
  const leave = () =>
    void input.leave(() => {
      if (answer && answer.done.length > 0) props.onDone(answer.done);
      else props.onClose();
    });
  return (
    <AppModal
      open
      width={560}
      title={`${label} · ${text(fill(words.selectedRows, { n: running.rows.length }))}`}
      onCancel={leave}
      footer={
        answer ? (
          <>
            {failedRows.length > 0 && (
              <Button
                loading={input.busy}
                disabled={input.locked && !input.busy}
                onClick={() => send(failedRows)}
              >
                {text(fill(actionWords.retryFailed, { n: failedRows.length }))}
              </Button>
            )}
            <Button type="primary" onClick={leave}>
              {text(words.close)}
            </Button>
          </>
        ) : (
          <>
            <Button onClick={leave}>{text(words.cancel)}</Button>
            <Button
              type="primary"
              danger={spec.tone === 'danger'}
              loading={input.busy}
              disabled={input.locked && !input.busy}
              onClick={() => send(allowed)}
            >
              {label}
            </Button>
          </>
        )
      }
    >
      {answer ? (
        <BulkResult resource={resource} rows={running.rows} answer={answer} />
      ) : (
        <>
          <p className="k-question">
            {text(fill(actionWords.bulkText, { n: allowed.length, action: label }))}
          </p>
          {confirmation && <p className="k-question">{confirmation}</p>}
          <p className="k-question k-quiet">
            {titles.join(language === 'zh' ? '、' : ', ')}
            {allowed.length > NAMED && ` ${text(fill(actionWords.andMore, { n: allowed.length }))}`}
          </p>
          {refused.length > 0 && (
            <Alert
              type="warning"
              showIcon
              className="k-dialog-error"
              title={text(fill(actionWords.bulkSkipped, { n: refused.length }))}
            />
          )}
          {input.error && Object.keys(input.error.fields).length === 0 && (
            <Alert className="k-dialog-error" type="error" showIcon title={input.error.message || label} />
          )}
        </>
      )}
      {/* Stays mounted behind the result: a retry sends the same input. */}
      {input.names.length > 0 && (
        <div hidden={answer !== undefined}>
          {input.draft && (
            <DraftOffer draft={input.draft} onRestore={input.restoreDraft} onDrop={input.discardDraft} />
          )}
          <FieldForm
            form={input.form}
            name={formName}
            fields={fields}
            sections={[{ fields: input.names }]}
            initial={first}
            inputs={props.slots.inputs}
            rows={allowed}
            onChange={input.changed}
            onSubmit={() => send(allowed)}
          />
        </div>
      )}
    </AppModal>
  );
}

function BulkResult({
  resource,
  rows,
  answer,
}: {
  readonly resource: ResourceSpec;
  readonly rows: readonly RowData[];
  readonly answer: BulkAnswer;
}) {
  const text = useText();
  const language = useLanguageStore((state) => state.language);
  const titleOf = (id: string) => {
    const row = rows.find((one) => one.id === id);
    return row ? rowTitle(resource, row, language) : id;
  };
  return (
    <div aria-live="polite">
      <p className="k-question">
        {text(fill(actionWords.bulkDone, { done: answer.done.length, failed: answer.failed.length }))}
      </p>
      <ul className="k-results">
        {answer.failed.map(({ id, message }) => (
          <li key={id}>
            <CloseCircleFilled className="k-bad" aria-label={text(actionWords.failed)} /> {titleOf(id)}{' '}
            <span className="k-quiet">{message}</span>
          </li>
        ))}
        {answer.done.map((id) => (
          <li key={id}>
            <CheckCircleFilled className="k-good" aria-label={text(actionWords.succeeded)} /> {titleOf(id)}
          </li>
        ))}
      </ul>
    </div>
  );
}

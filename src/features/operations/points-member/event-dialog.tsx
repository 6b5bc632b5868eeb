import { useId, useState } from 'react';
import { Alert } from 'antd';
import dayjs from 'dayjs';
import {
  askedInputs,
  payloadOf,
  type RecordableEvent,
} from '../../../domain/member-event/event-form.rules.ts';
import { useInputForm } from '../../../kernel/client/action/use-input-form.ts';
import { ApiError, call } from '../../../kernel/client/api-client.ts';
import { message } from '../../../kernel/client/feedback.ts';
import { FieldForm } from '../../../kernel/client/form/field-form.tsx';
import { useText } from '../../../kernel/client/language.ts';
import { AppModal } from '../../../kernel/client/parts/app-modal.tsx';
import { RemoteSelect } from '../../../kernel/client/parts/remote-select.tsx';
import type { ActionScreenProps, SlotInputProps } from '../../../kernel/client/slots.ts';
import { actionWords, words } from '../../../kernel/client/texts.ts';
import { rootOf, type RowData } from '../../../kernel/client/wire.ts';
import {
  choice,
  instant,
  refLabel,
  text as textField,
  type Field,
  type Fields,
  type RefValue,
} from '../../../kernel/contract/fields.ts';
import { fill, type Label } from '../../../kernel/contract/label.ts';
import { useEventTypes } from './member-calls.ts';
import { pointsMember } from './points-member.contract.ts';

const ROOT = rootOf(pointsMember);

/** What the recorded event brought about. */
interface Recorded {
  readonly effects: readonly { readonly points?: number; readonly reason?: Label }[];
}

/** Something a member did that did not reach the product, recorded with a reason. */
export function EventDialog(props: ActionScreenProps) {
  const types = useEventTypes();
  if (!types.data || !props.row) return null;
  return <EventForm {...props} row={props.row} types={types.data} />;
}

function EventForm({
  row,
  close,
  done,
  types,
}: ActionScreenProps & { readonly row: RowData; readonly types: readonly RecordableEvent[] }) {
  const text = useText();
  const formName = `e${useId().replace(/\W/g, '')}`;
  const [type, setType] = useState<string>();
  const [first] = useState(() => ({ occurredAt: dayjs().format(), ...firstValues(types) }));
  const form = types.find((one) => one.type === type)?.form ?? {};
  // Each kind keeps its own inputs: nothing typed for one is sent with another.
  const nameOf = (input: string) => `${type}:${input}`;
  const [values, setValues] = useState<Readonly<Record<string, unknown>>>(first);
  const ownValues = (of: Readonly<Record<string, unknown>>) =>
    Object.fromEntries(Object.keys(form).map((input) => [input, of[nameOf(input)]]));
  const asked = askedInputs(form, ownValues(values));
  const fields: Fields = {
    type: choice(
      ['事件', 'Event'],
      Object.fromEntries(types.map((one) => [one.type, { label: one.title }])),
      { required: true },
    ),
    ...Object.fromEntries(asked.map((input) => [nameOf(input), form[input]!.field])),
    occurredAt: instant(['发生时间', 'Happened at'], {
      required: true,
      help: ['最早为24小时前', 'At most 24 hours ago'],
    }),
    reason: textField(['补录原因', 'Reason'], { required: true, min: 2, max: 200 }),
  };
  // Two columns before the dialog grows higher than a small screen.
  const many = asked.length > 3;
  const input = useInputForm(fields, formName, `pointsMember:${row.id}:event`, first);
  const submit = () =>
    void input.submit(
      async (written, key) => {
        try {
          return await call<Recorded>('POST', `${ROOT}/${row.id}/recordEvent`, {
            body: {
              type: written.type,
              occurredAt: written.occurredAt,
              reason: written.reason,
              payload: payloadOf(form, ownValues(written)),
            },
            idempotencyKey: key,
          });
        } catch (failure) {
          throw failure instanceof ApiError ? atInputs(failure, form, asked, nameOf) : failure;
        }
      },
      ({ effects }) => {
        message.success(text(recordedLabel(effects)), 5);
        done([row.id]);
      },
    );
  const pickers = Object.fromEntries(
    asked
      .filter((one) => form[one]!.field.target !== undefined)
      .map((one) => {
        const { field, follows } = form[one]!;
        const other = follows === undefined ? undefined : (values[nameOf(follows)] as RefValue | undefined);
        const within = [row.id, ...(follows === undefined ? [] : [other?.id ?? '0'])].join(',');
        return [
          nameOf(one),
          (slot: SlotInputProps) => (
            <MemberPicker {...slot} key={nameOf(one)} field={field} within={within} />
          ),
        ];
      }),
  );
  return (
    <AppModal
      open
      title={text(
        fill(actionWords.confirmTitle, {
          action: text(['补录事件', 'Record an event']),
          title: String(row.name ?? row.phone ?? ''),
        }),
      )}
      width={many ? 760 : 560}
      okText={text(['补录', 'Record'])}
      onCancel={() => void input.leave(close)}
      onOk={submit}
      confirmLoading={input.busy}
      okButtonProps={{ disabled: input.locked && !input.busy }}
    >
      {input.error && Object.keys(input.error.fields).length === 0 && (
        <Alert className="k-dialog-error" type="error" showIcon title={input.error.message} />
      )}
      <FieldForm
        form={input.form}
        name={formName}
        fields={fields}
        sections={[{ fields: ['type', ...asked.map(nameOf), 'occurredAt', 'reason'] }]}
        inputs={pickers}
        initial={first}
        rows={[row]}
        columns={many ? 2 : 1}
        onChange={(next) => {
          // What followed another choice goes with it.
          for (const one of asked) {
            const { follows } = form[one]!;
            if (follows !== undefined && next[nameOf(follows)] !== values[nameOf(follows)])
              input.form.setFieldValue(nameOf(one), undefined);
          }
          setType(next.type as string | undefined);
          setValues(input.form.getFieldsValue(true) as Readonly<Record<string, unknown>>);
          input.changed(next);
        }}
        onSubmit={submit}
      />
    </AppModal>
  );
}

/** What the inputs of every kind begin with. */
const firstValues = (types: readonly RecordableEvent[]): Record<string, unknown> =>
  Object.fromEntries(
    types.flatMap(({ type, form }) =>
      Object.entries(form).flatMap(([input, { field }]) =>
        field.initial === undefined
          ? []
          : [[`${type}:${input}`, field.kind === 'integer' ? String(field.initial) : field.initial]],
      ),
    ),
  );

/** The refusal with what it says of the payload at the inputs it was made from. */
function atInputs(
  failure: ApiError,
  form: RecordableEvent['form'],
  asked: readonly string[],
  nameOf: (input: string) => string,
): ApiError {
  const fields = Object.fromEntries(
    Object.entries(failure.fields).map(([path, text]) => {
      const key = path.replace(/^payload\./, '');
      const input = asked.find((one) => {
        const { at = one } = form[one]!;
        return key === at || key.startsWith(`${at}.`) || (at !== '' && at.startsWith(`${key}.`));
      });
      return [input ? nameOf(input) : path, text];
    }),
  );
  // What no input stands for is told above the form.
  const placed = Object.keys(fields).every((name) => name.includes(':') || name === 'occurredAt');
  return new ApiError(
    failure.http,
    failure.status,
    placed ? failure.message : Object.values(failure.fields).join(' ') || failure.message,
    placed ? { fields } : null,
    failure.traceId,
  );
}

/** 已补录, with the points it gave or why it gave none. */
function recordedLabel(effects: Recorded['effects']): Label {
  const points = effects.reduce((sum, one) => sum + (one.points ?? 0), 0);
  const why = effects.find((one) => one.reason)?.reason;
  const [zh, en] = [
    points === 0 ? [] : [`积分 ${signed(points)}`],
    points === 0 ? [] : [`points ${signed(points)}`],
  ];
  return [
    ['已补录', ...zh, ...(why ? [why[0]] : [])].join('，'),
    ['Recorded', ...en, ...(why ? [why[1]] : [])].join(', '),
  ];
}

const signed = (points: number): string => (points > 0 ? `+${points}` : String(points));

/** A picker that offers what belongs to the member. */
function MemberPicker({
  field,
  within,
  id,
  value,
  onChange,
  disabled,
}: SlotInputProps & { readonly field: Field; readonly within: string }) {
  const text = useText();
  const many = field.kind === 'refs';
  const chosen = [value ?? []].flat() as RefValue[];
  return (
    <RemoteSelect
      target={field.target!}
      within={within}
      multiple={many}
      label={text(field.label)}
      placeholder={text(fill(words.pleaseSelect, { label: '' })).trim()}
      value={chosen.map((one) => one.id)}
      known={Object.fromEntries(chosen.map((one) => [one.id, text(refLabel(one))]))}
      disabled={disabled}
      onChange={(_, entries) => onChange?.(many ? entries : entries[0])}
      {...(id ? { id } : {})}
    />
  );
}

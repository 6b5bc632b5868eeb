import { useEffect } from 'react';
import { Form, type FormInstance } from 'antd';
import type { Field, Fields } from '../../contract/fields.ts';
import { textOf, type Label } from '../../contract/label.ts';
import { useLanguageStore, useText } from '../language.ts';
import type { ScreenSlots, SlotInputProps } from '../slots.ts';
import type { RowData } from '../wire.ts';
import { FieldInput } from './field-input.tsx';
import { cellError, lineProblems } from './lines.rules.ts';
import { MaskedInput, type Masked } from './masked-input.tsx';
import { changedNames, formProblem, ruleHint, type FormValues } from './form-values.rules.ts';

/** One block of a form. */
export interface FormSection {
  readonly title?: Label | undefined;
  readonly note?: Label | undefined;
  readonly fields: readonly string[];
}

const WIDE = new Set(['longText', 'richText', 'images', 'files', 'json', 'lines']);

/** Inputs of fields in sections, with the rules of the contract; the caller owns the antd form and submits. */
export function FieldForm(props: {
  readonly form: FormInstance;
  /** Makes the ids of inputs unique across open tabs. */
  readonly name: string;
  readonly fields: Fields;
  readonly sections: readonly FormSection[];
  readonly initial: FormValues;
  /** Of the row that is edited: its personal values came masked and begin as unchanged. */
  readonly masked?: Masked | undefined;
  readonly columns?: 1 | 2;
  /** Sections stand in frames of their own. */
  readonly cards?: boolean;
  /** Only this section is in sight; the others keep what was typed. */
  readonly shown?: number | undefined;
  readonly inputs?: ScreenSlots['inputs'] | undefined;
  /** What the form is about, for the inputs of slots. */
  readonly rows?: readonly RowData[];
  readonly disabled?: boolean;
  readonly onChange?: (values: FormValues) => void;
  readonly onSubmit?: () => void;
}) {
  const { form, fields, initial } = props;
  const text = useText();
  const language = useLanguageStore((state) => state.language);
  const twoColumns = props.columns === 2;
  useEffect(() => {
    // A message of these rules follows the language; one of the server stays as it came.
    const translated = Object.keys(fields).flatMap((name) => {
      const shown = form.getFieldError(name);
      if (shown.length > 0 && fields[name]!.kind === 'lines') {
        const errors = lineErrors(fields[name]!, form.getFieldValue(name), (label) =>
          textOf(label, language),
        );
        return errors.length > 0 ? [{ name, errors }] : [];
      }
      const problem = shown.length > 0 && formProblem(fields[name]!, form.getFieldValue(name));
      return problem && problem.some((one) => shown.includes(one))
        ? [{ name, errors: [textOf(problem, language)] }]
        : [];
    });
    if (translated.length > 0) form.setFields(translated);
    // The language alone moves messages; what is typed is validated where it is left.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [language]);
  const notes = notesOf(props.rows?.[0]);
  return (
    <Form
      form={form}
      name={props.name}
      className={`k-form${twoColumns ? ' k-form-two' : ''}${props.cards ? ' k-form-cards' : ''}`}
      layout="vertical"
      initialValues={initial}
      disabled={props.disabled ?? false}
      requiredMark
      scrollToFirstError={false}
      onFinish={() => props.onSubmit?.()}
      onValuesChange={(changed: FormValues, values: FormValues) => {
        // An error goes away as soon as its cause does, not only on leaving.
        const named = Object.keys(changed).filter((name) => form.getFieldError(name).length > 0);
        if (named.length > 0) void form.validateFields(named).catch(() => {});
        props.onChange?.(values);
      }}
    >
      {props.sections.map((section, index) => (
        <section
          key={index}
          className="k-form-section"
          hidden={props.shown !== undefined && props.shown !== index}
        >
          {section.title && <h3>{text(section.title)}</h3>}
          {section.note && <p className="k-quiet">{text(section.note)}</p>}
          <div className="k-form-grid">
            {section.fields.map((name) => {
              const field = fields[name]!;
              const slot = props.inputs?.[name];
              const hint = ruleHint(field, language);
              const came = initial[name];
              const hidden = !slot && props.masked && field.mask && hasValue(came) ? props.masked : undefined;
              if (field.kind === 'lines' && !slot)
                return (
                  <div key={name} className="k-form-wide k-form-lines">
                    <FieldNote note={notes.get(name)} />
                    <Form.Item
                      name={name}
                      noStyle
                      validateTrigger={[]}
                      rules={[
                        {
                          validator: (_rule, value: unknown) => {
                            if (
                              changedNames(fields, [name], initial, { [name]: value }).length === 0 &&
                              hasValue(came)
                            )
                              return Promise.resolve();
                            const errors = lineErrors(field, value, text);
                            return errors.length > 0 ? Promise.reject(errors) : Promise.resolve();
                          },
                        },
                      ]}
                    >
                      <FieldInput field={field} disabled={props.disabled ?? false} />
                    </Form.Item>
                  </div>
                );
              return (
                <Form.Item
                  key={name}
                  name={name}
                  label={text(field.label)}
                  className={WIDE.has(field.kind) ? 'k-form-wide' : ''}
                  required={field.required ?? false}
                  extra={
                    notes.has(name) ? (
                      <>
                        <FieldNote note={notes.get(name)} />
                        {hidden ? undefined : hint}
                      </>
                    ) : hidden ? undefined : (
                      hint
                    )
                  }
                  validateTrigger="onBlur"
                  validateFirst
                  rules={[
                    {
                      validator: (_rule, value: unknown) => {
                        // What came masked or by older rules and was not touched is not sent, so it is not judged.
                        const touched = changedNames(fields, [name], initial, { [name]: value }).length > 0;
                        const problem = touched || !hasValue(came) ? formProblem(field, value) : undefined;
                        return problem ? Promise.reject(new Error(text(problem))) : Promise.resolve();
                      },
                    },
                  ]}
                >
                  {slot ? (
                    <SlotInput
                      slot={slot}
                      form={form}
                      rows={props.rows ?? NO_ROWS}
                      disabled={props.disabled ?? false}
                    />
                  ) : hidden ? (
                    <MaskedInput
                      field={field}
                      name={name}
                      initial={String(came)}
                      masked={hidden}
                      hint={hint}
                      disabled={props.disabled ?? false}
                    />
                  ) : (
                    <FieldInput field={field} disabled={props.disabled ?? false} />
                  )}
                </Form.Item>
              );
            })}
          </div>
        </section>
      ))}
    </Form>
  );
}

const NO_ROWS: readonly RowData[] = [];

/** What a reviewer said about a field; the server sends it with the row as `fieldNotes.notes`. */
function FieldNote({ note }: { readonly note: string | undefined }) {
  return note === undefined ? null : (
    <p className="k-problem k-small" role="note">
      {note}
    </p>
  );
}

function notesOf(row: RowData | undefined): ReadonlyMap<string, string> {
  const sent = row?.fieldNotes as
    { readonly notes?: readonly { field: string; note: string }[] } | null | undefined;
  return new Map((sent?.notes ?? []).map((one) => [one.field, one.note]));
}

function SlotInput({
  slot,
  form,
  ...rest
}: Omit<SlotInputProps, 'values'> & {
  readonly slot: NonNullable<ScreenSlots['inputs']>[string];
  readonly form: FormInstance;
}) {
  const values = Form.useWatch([], form) as FormValues | undefined;
  return slot({ ...rest, values: values ?? {} });
}

/** Puts the server's messages at the fields and returns how many found their place. */
export function showFieldErrors(
  form: FormInstance,
  errors: Readonly<Record<string, string>>,
  names: readonly string[],
): number {
  const placed = names.flatMap((name) => {
    // Those of rows inside of the form are named by their place: `steps.0.price`.
    const own = Object.entries(errors).flatMap(([key, error]) =>
      key === name
        ? [error]
        : key.startsWith(`${name}.`)
          ? [cellError(key.slice(name.length + 1), error)]
          : [],
    );
    return own.length > 0 ? [{ name, errors: own }] : [];
  });
  form.setFields(placed);
  return placed.reduce((sum, one) => sum + one.errors.length, 0);
}

/** How many entries of a form are bad. */
export function errorCount(form: FormInstance, names: readonly string[]): number {
  return names.reduce((sum, name) => sum + form.getFieldError(name).length, 0);
}

/** Brings the first bad field into view and focuses it. */
export function focusFirstError(form: FormInstance, formName: string, names: readonly string[]): void {
  const name = names.find((one) => form.getFieldError(one).length > 0);
  if (!name) return;
  const input = document.getElementById(`${formName}_${name}`);
  // Which cell of a table is bad is drawn with the next frame.
  if (input?.matches('.k-lines-input')) requestAnimationFrame(() => focusInput(input));
  else focusInput(input);
}

function focusInput(input: HTMLElement | null): void {
  const inner = input?.matches('input, textarea, button')
    ? input
    : (input?.querySelector<HTMLElement>('.k-cell-bad :is(input, textarea, button)') ??
      input?.querySelector<HTMLElement>('.k-lines-add, :is(input, textarea, button):not(.k-handle)'));
  const focused = inner ?? input;
  focused?.scrollIntoView({ block: 'center' });
  focused?.focus({ preventScroll: true });
}

function lineErrors(field: Field, value: unknown, text: (label: Label) => string): string[] {
  const rows = (value as readonly FormValues[] | undefined) ?? [];
  return [...lineProblems(field, rows)].map(([cell, problem]) =>
    cell === '' ? text(problem) : cellError(cell, text(problem)),
  );
}

function hasValue(value: unknown): boolean {
  return value !== undefined && value !== null && value !== '';
}

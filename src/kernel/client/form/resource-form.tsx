import { useEffect, useEffectEvent, useId, useState, type ReactNode } from 'react';
import { flushSync } from 'react-dom';
import { Button } from 'antd';
import { fill, type Label } from '../../contract/label.ts';
import { formFieldNames, type ResourceSpec } from '../../contract/resource.ts';
import { useText } from '../language.ts';
import type { ScreenSlots } from '../slots.ts';
import { formWords, words } from '../texts.ts';
import { useHeld } from '../parts/held.ts';
import { useView } from '../view.ts';
import type { RowData } from '../wire.ts';
import { ConflictPanel } from './conflict-panel.tsx';
import { DraftOffer } from './draft-offer.tsx';
import { FieldForm, type FormSection } from './field-form.tsx';
import { StepsHead } from './steps-head.tsx';
import type { FormValues } from './form-values.rules.ts';
import { useResourceForm, type SubmitWays } from './use-resource-form.ts';

/** More fields than this stand in two columns. Source: look.md, forms. */
const ONE_COLUMN_FIELDS = 8;

/** True when a form needs the room of two columns: it has many fields, or one that is a table or a page of text. */
export function isWideForm(resource: ResourceSpec, mode: 'create' | 'update'): boolean {
  const names = formFieldNames(resource, mode);
  return (
    names.length > ONE_COLUMN_FIELDS ||
    names.some((name) => ['lines', 'richText'].includes(resource.fields[name]!.kind))
  );
}

/** What a resource form is given. */
export interface ResourceFormProps {
  readonly resource: ResourceSpec;
  /** The row to update, with every field; absent: create. */
  readonly row?: RowData | undefined;
  readonly slots?: ScreenSlots | undefined;
  /** Values a new row starts with. */
  readonly first?: FormValues | undefined;
  /** A page with frames, or one that asks section by section; absent: the content of a drawer. */
  readonly layout?: 'page' | 'steps' | undefined;
  /** Path under which the page is found again. */
  readonly page?: string | undefined;
  /** Offers to save and go on with another new row; a label says what comes next. */
  readonly repeats?: boolean | Label;
  readonly onSaved: (row: RowData, ways: SubmitWays) => void;
  readonly onCancel?: (() => void) | undefined;
  /** Told when unsaved input appears or is gone. */
  readonly onDirty?: (dirty: boolean) => void;
}

/** The form of a resource: create without a row, update with one. Saves by itself and hands over the saved row. */
export function ResourceForm(props: ResourceFormProps) {
  const { resource, row, slots } = props;
  const text = useText();
  const view = useView();
  const held = useHeld(resource);
  const formName = `f${useId().replace(/\W/g, '')}`;
  const [step, setStep] = useState(0);
  const steps = props.layout === 'steps';
  const sections = sectionsOf(
    resource,
    formFieldNames(resource, row ? 'update' : 'create'),
    slots?.hiddenInputs,
  );
  const state = useResourceForm({
    resource,
    row,
    formName,
    first: { ...props.first, ...slots?.createWith },
    page: props.page,
    onSaved: props.onSaved,
    onReveal: (name) => {
      const at = sections.findIndex((section) => section.fields.includes(name));
      // Drawn before the focus is moved there.
      if (steps && at >= 0) flushSync(() => setStep(at));
    },
  });
  const { dirty } = state;
  const tellDirty = useEffectEvent((now: boolean) => props.onDirty?.(now));
  useEffect(() => tellDirty(dirty), [dirty]);
  const isLast = !steps || step >= sections.length - 1;
  const goTo = async (to: number) => {
    if (to > step && !(await state.check(sections.slice(step, to).flatMap((section) => section.fields))))
      return;
    setStep(to);
    document.getElementById('content')?.closest('.main-area')?.scrollTo({ top: 0 });
  };
  const forward = () => (isLast ? state.submit() : void goTo(step + 1));

  const save = useEffectEvent((event: KeyboardEvent) => {
    if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== 's') return;
    event.preventDefault();
    if (!state.locked) forward();
  });
  useEffect(() => {
    if (!view.active) return;
    const listen = (event: KeyboardEvent) => save(event);
    window.addEventListener('keydown', listen);
    return () => window.removeEventListener('keydown', listen);
  }, [view.active]);

  const note =
    state.problems > 0 ? (
      <span className="k-problem" role="alert">
        {text(fill(formWords.problems, { n: state.problems }))}
      </span>
    ) : (
      <span className="k-quiet">{text(isLast ? formWords.saveKey : formWords.nextKey)}</span>
    );
  return (
    <div className={props.layout ? 'k-form-host k-form-host-page' : 'k-form-host'}>
      <div className="k-form-body">
        {state.draft && !state.dirty && (
          <DraftOffer draft={state.draft} onRestore={state.restoreDraft} onDrop={state.discardDraft} />
        )}
        {state.conflict && (
          <ConflictPanel fields={resource.fields} conflict={state.conflict} onResolve={state.resolve} />
        )}
        {steps && sections.length > 1 && (
          <StepsHead
            titles={sections.map((section) => section.title ?? resource.title)}
            active={step}
            free={row !== undefined}
            onChange={(to) => void goTo(to)}
          />
        )}
        <FieldForm
          form={state.form}
          name={formName}
          fields={resource.fields}
          sections={sections}
          columns={isWideForm(resource, row ? 'update' : 'create') ? 2 : 1}
          cards={props.layout !== undefined}
          shown={steps ? step : undefined}
          initial={state.initial}
          masked={row && { encryptionField: row.encryptionField, canReveal: held('btn_reveal') }}
          inputs={slots?.inputs}
          rows={row ? [row] : []}
          onChange={state.changed}
          onSubmit={forward}
        />
      </div>
      <SubmitBar
        note={note}
        busy={state.busy}
        locked={state.locked}
        onSubmit={forward}
        onCancel={props.onCancel}
        submitText={isLast ? undefined : text(formWords.nextStep)}
      >
        {steps && step > 0 && (
          <Button onClick={() => void goTo(step - 1)}>{text(formWords.previousStep)}</Button>
        )}
        {props.repeats && isLast && (
          <Button disabled={state.locked} onClick={() => state.submit({ again: true })}>
            {text(typeof props.repeats === 'object' ? props.repeats : formWords.saveAndNew)}
          </Button>
        )}
      </SubmitBar>
    </div>
  );
}

/** The bar at the bottom of a form: what is wrong at the left, cancel and submit at the right. */
export function SubmitBar(props: {
  readonly note?: ReactNode;
  readonly busy: boolean;
  readonly locked: boolean;
  readonly disabled?: boolean;
  readonly onSubmit: () => void;
  readonly onCancel?: (() => void) | undefined;
  readonly cancelText?: string;
  readonly submitText?: string | undefined;
  /** Further buttons between cancel and submit. */
  readonly children?: ReactNode;
}) {
  const text = useText();
  return (
    <div className="k-submit">
      <span className="k-submit-note">{props.note}</span>
      {props.onCancel && <Button onClick={props.onCancel}>{props.cancelText ?? text(words.cancel)}</Button>}
      {props.children}
      <Button
        type="primary"
        loading={props.busy}
        disabled={(props.disabled ?? false) || (props.locked && !props.busy)}
        onClick={() => props.onSubmit()}
      >
        {props.submitText ?? text(words.save)}
      </Button>
    </div>
  );
}

function sectionsOf(
  resource: ResourceSpec,
  names: readonly string[],
  hidden: readonly string[] = [],
): FormSection[] {
  const allowed = new Set(names.filter((name) => !hidden.includes(name)));
  if (!resource.form) return [{ fields: [...allowed] }];
  const single = resource.form.sections.length === 1;
  return resource.form.sections
    .map((section) => ({
      title: single ? undefined : section.title,
      note: section.note,
      fields: section.fields.filter((name) => allowed.has(name)),
    }))
    .filter((section) => section.fields.length > 0);
}

import { useEffect, useEffectEvent, useId, type ReactNode } from 'react';
import { Button } from 'antd';
import { fill } from '../../contract/label.ts';
import type { ResourceSpec } from '../../contract/resource.ts';
import { useText } from '../language.ts';
import type { ScreenSlots } from '../slots.ts';
import { formWords, words } from '../texts.ts';
import { useHeld } from '../parts/held.ts';
import { useView } from '../view.ts';
import type { RowData } from '../wire.ts';
import { ConflictPanel } from './conflict-panel.tsx';
import { DraftOffer } from './draft-offer.tsx';
import { FieldForm, type FormSection } from './field-form.tsx';
import { useResourceForm } from './use-resource-form.ts';

/** More fields than this stand in two columns. Source: look.md, forms. */
export const ONE_COLUMN_FIELDS = 8;

/** What a resource form is given. */
export interface ResourceFormProps {
  readonly resource: ResourceSpec;
  /** The row to update, with every field; absent: create. */
  readonly row?: RowData | undefined;
  readonly slots?: ScreenSlots | undefined;
  readonly onSaved: (row: RowData) => void;
  readonly onCancel?: (() => void) | undefined;
  /** Told when unsaved input appears or is gone. */
  readonly onDirty?: (dirty: boolean) => void;
}

/** The form of a resource: create without a row, update with one. Saves by itself and hands over the saved row. */
export function ResourceForm(props: ResourceFormProps) {
  const { resource, row } = props;
  const text = useText();
  const view = useView();
  const held = useHeld(resource);
  const formName = `f${useId().replace(/\W/g, '')}`;
  const state = useResourceForm(resource, row, formName, props.onSaved, props.slots?.createWith);
  const sections = sectionsOf(resource, state.names);
  const { dirty } = state;
  const tellDirty = useEffectEvent((now: boolean) => props.onDirty?.(now));
  useEffect(() => tellDirty(dirty), [dirty]);

  const save = useEffectEvent((event: KeyboardEvent) => {
    if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== 's') return;
    event.preventDefault();
    if (!state.locked) state.submit();
  });
  useEffect(() => {
    if (!view.active) return;
    const listen = (event: KeyboardEvent) => save(event);
    window.addEventListener('keydown', listen);
    return () => window.removeEventListener('keydown', listen);
  }, [view.active]);

  return (
    <div className="k-form-host">
      <div className="k-form-body">
        {state.draft && !state.dirty && (
          <DraftOffer draft={state.draft} onRestore={state.restoreDraft} onDrop={state.discardDraft} />
        )}
        {state.conflict && (
          <ConflictPanel fields={resource.fields} conflict={state.conflict} onResolve={state.resolve} />
        )}
        <FieldForm
          form={state.form}
          name={formName}
          fields={resource.fields}
          sections={sections}
          columns={state.names.length > ONE_COLUMN_FIELDS ? 2 : 1}
          initial={state.initial}
          masked={row && { encryptionField: row.encryptionField, canReveal: held('btn_reveal') }}
          inputs={props.slots?.inputs}
          rows={row ? [row] : []}
          onChange={state.changed}
          onSubmit={state.submit}
        />
      </div>
      <SubmitBar
        note={
          state.problems > 0 ? (
            <span className="k-problem" role="alert">
              {text(fill(formWords.problems, { n: state.problems }))}
            </span>
          ) : (
            <span className="k-quiet">{text(formWords.saveKey)}</span>
          )
        }
        busy={state.busy}
        locked={state.locked}
        onSubmit={state.submit}
        onCancel={props.onCancel}
      />
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
}) {
  const text = useText();
  return (
    <div className="k-submit">
      <span className="k-submit-note">{props.note}</span>
      {props.onCancel && <Button onClick={props.onCancel}>{props.cancelText ?? text(words.cancel)}</Button>}
      <Button
        type="primary"
        loading={props.busy}
        disabled={(props.disabled ?? false) || (props.locked && !props.busy)}
        onClick={props.onSubmit}
      >
        {text(words.save)}
      </Button>
    </div>
  );
}

function sectionsOf(resource: ResourceSpec, names: readonly string[]): FormSection[] {
  const allowed = new Set(names);
  if (!resource.form) return [{ fields: names }];
  const single = resource.form.sections.length === 1;
  return resource.form.sections
    .map((section) => ({
      title: single ? undefined : section.title,
      note: section.note,
      fields: section.fields.filter((name) => allowed.has(name)),
    }))
    .filter((section) => section.fields.length > 0);
}

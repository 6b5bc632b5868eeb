import { useRef, useState } from 'react';
import { Form, type FormInstance } from 'antd';
import { formFieldNames, type ResourceSpec } from '../../contract/resource.ts';
import { ApiError, call, newIdempotencyKey } from '../api-client.ts';
import { tellFault } from '../feedback.ts';
import { useSubmitGuard } from '../parts/use-guard.ts';
import { useView } from '../view.ts';
import { rowTitle } from '../value-text.rules.ts';
import { rootOf, type RowData } from '../wire.ts';
import type { Draft } from './draft.ts';
import { useDraft } from './use-draft.ts';
import { errorCount, focusFirstError, showFieldErrors } from './field-form.tsx';
import {
  changedNames,
  conflictsOf,
  initialValues,
  keptValues,
  writtenValues,
  type Conflict,
  type FormValues,
} from './form-values.rules.ts';

/** Someone else saved meanwhile: what they changed and the version to save over. */
export interface OpenConflict {
  readonly version: number;
  readonly conflicts: readonly Conflict[];
  readonly theirs: readonly Conflict[];
}

/** The working of a create or update form. */
export interface ResourceFormState {
  readonly form: FormInstance;
  readonly formName: string;
  readonly names: readonly string[];
  readonly initial: FormValues;
  readonly dirty: boolean;
  readonly busy: boolean;
  readonly locked: boolean;
  readonly draft: Draft | undefined;
  readonly conflict: OpenConflict | undefined;
  /** Fields the last submit found bad. */
  readonly problems: number;
  readonly changed: (values: FormValues) => void;
  readonly submit: (ways?: SubmitWays) => void;
  /** Judges some fields; the first bad one gets the focus. True when all are good. */
  readonly check: (names: readonly string[]) => Promise<boolean>;
  readonly restoreDraft: () => void;
  readonly discardDraft: () => void;
  readonly resolve: (name: string, take: 'theirs' | 'mine') => void;
  /** Forgets that anything was typed: before leaving on purpose. The draft stays. */
  readonly leave: () => void;
}

/** How a form is submitted. */
export interface SubmitWays {
  /** Another new row follows. */
  readonly again?: boolean;
}

/** What a resource form is about and who is told of it. */
export interface ResourceFormOptions {
  readonly resource: ResourceSpec;
  /** The row to update, with every field; absent: create. */
  readonly row: RowData | undefined;
  readonly formName: string;
  /** Values a new row starts with. */
  readonly first?: FormValues | undefined;
  /** Path of the page the form is; absent: it stands over its list or detail. */
  readonly page?: string | undefined;
  readonly onSaved: (row: RowData, ways: SubmitWays) => void;
  /** Brings a field into sight before it gets the focus. */
  readonly onReveal?: (name: string) => void;
}

/** Where a draft is found again: the page of the form, the list with its form or detail, or the page of the row. */
function placeOf(
  resource: ResourceSpec,
  row: RowData | undefined,
  path: string,
  page: string | undefined,
): NonNullable<Draft['place']> {
  return {
    title: resource.title,
    row: row ? [rowTitle(resource, row, 'zh'), rowTitle(resource, row, 'en')] : null,
    path:
      page ??
      (!row ? `${path}?do=create` : resource.detail?.mode === 'page' ? path : `${path}?detail=${row.id}`),
  };
}

const NO_VALUES: FormValues = {};

/** Validation, draft, guard, idempotent submit and conflict handling of a resource form. */
export function useResourceForm(options: ResourceFormOptions): ResourceFormState {
  const { resource, row, formName, first = NO_VALUES } = options;
  const view = useView();
  const [form] = Form.useForm();
  const names = formFieldNames(resource, row ? 'update' : 'create');
  const [initial, setInitial] = useState<FormValues>(() => ({
    ...initialValues(resource.fields, names, row),
    ...(row ? NO_VALUES : first),
  }));
  const [version, setVersion] = useState(row?.version);
  const [dirty, setDirty] = useState(false);
  const [conflict, setConflict] = useState<OpenConflict>();
  const [problems, setProblems] = useState(0);
  const draft = useDraft(`${resource.name}:${row?.id ?? 'new'}`);
  const key = useRef<string>(undefined);
  const guard = useSubmitGuard();

  const markDirty = (on: boolean) => {
    setDirty(on);
    view.setDirty(on);
  };

  const changed = (values: FormValues) => {
    const isChanged = changedNames(resource.fields, names, initial, values).length > 0;
    if (isChanged !== dirty) markDirty(isChanged);
    draft.keep(
      isChanged ? keptValues(resource.fields, values) : undefined,
      version ?? null,
      placeOf(resource, row, view.path, options.page),
    );
  };

  const send = async (values: FormValues) => {
    key.current ??= newIdempotencyKey();
    const root = rootOf(resource);
    const written = writtenValues(resource.fields, names, values);
    if (!row) return call<RowData>('POST', root, { body: written, idempotencyKey: key.current });
    const changes = Object.fromEntries(
      changedNames(resource.fields, names, initial, values).map((name) => [name, written[name]]),
    );
    return call<RowData>('PUT', `${root}/${encodeURIComponent(row.id)}`, {
      body: { version, ...changes },
      idempotencyKey: key.current,
    });
  };

  const focusBad = () => {
    const bad = names.find((name) => form.getFieldError(name).length > 0);
    if (bad) options.onReveal?.(bad);
    focusFirstError(form, formName, names);
  };

  const failed = (error: unknown, values: FormValues) => {
    if (!(error instanceof ApiError)) return tellFault(error);
    // No answer: the same key again, so that a repeat has one effect. Answered: the next attempt is a new one.
    if (error.http !== 0 && error.http !== 504) key.current = undefined;
    const placed = showFieldErrors(form, error.fields, names);
    setProblems(placed);
    if (placed > 0) focusBad();
    const current = (error.data as { current?: RowData } | null)?.current;
    if (error.status === 30101 && current) {
      const theirs = initialValues(resource.fields, names, current);
      setConflict({
        version: current.version,
        ...conflictsOf(resource.fields, names, initial, theirs, values),
      });
      // Their other changes come along at once; what both changed waits for a decision.
      const merged = conflictsOf(resource.fields, names, initial, theirs, values).theirs;
      form.setFieldsValue(Object.fromEntries(merged.map((one) => [one.name, one.theirs])));
      setInitial(theirs);
      setVersion(current.version);
    }
  };

  const check = async (some: readonly string[]) => {
    try {
      await form.validateFields([...some]);
    } catch {
      setProblems(errorCount(form, names));
      focusBad();
      guard.hold();
      return false;
    }
    setProblems(0);
    return true;
  };

  const submit = async (ways: SubmitWays) => {
    if (!(await check(names))) return;
    const values = form.getFieldsValue(true) as FormValues;
    await guard.run(async () => {
      try {
        const saved = await send(values);
        draft.forget();
        markDirty(false);
        options.onSaved(saved ?? row!, ways);
      } catch (error) {
        failed(error, values);
      }
    });
  };

  return {
    form,
    formName,
    names,
    initial,
    dirty,
    busy: guard.busy,
    locked: guard.locked,
    draft: draft.found,
    conflict,
    problems,
    changed,
    submit: (ways = {}) => void submit(ways),
    check,
    restoreDraft: () => {
      if (!draft.found) return;
      form.setFieldsValue(draft.found.values as Record<string, unknown>);
      markDirty(true);
      draft.taken();
    },
    discardDraft: draft.forget,
    resolve: (name, take) => {
      const one = conflict?.conflicts.find((entry) => entry.name === name);
      if (one) form.setFieldValue(name, take === 'theirs' ? one.theirs : one.mine);
    },
    leave: () => markDirty(false),
  };
}

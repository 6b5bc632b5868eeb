import { lazy, Suspense, useContext, useState, type ReactNode } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import { fill } from '../../contract/label.ts';
import type { ActionSpec, ResourceSpec } from '../../contract/resource.ts';
import { message } from '../feedback.ts';
import { queryOf } from '../form/first-query.rules.ts';
import type { FormValues } from '../form/form-values.rules.ts';
import { currentLanguage, useText } from '../language.ts';
import type { ScreenSlots } from '../slots.ts';
import { passClick } from '../parts/use-guard.ts';
import { actionWords } from '../texts.ts';
import { rowTitle } from '../value-text.rules.ts';
import { keysOf, type RowData } from '../wire.ts';
import { useHeld } from '../parts/held.ts';
import { useModePath } from '../parts/use-mode-path.ts';
import { ViewContext } from '../view.ts';
import { eligibleRows, ownRowActions, OWN_ACTIONS, type NamedAction } from './actions.rules.ts';
import { callAction } from './call-action.ts';
import { toldOf, type Told } from './told.ts';
import { useAfterAction } from './use-after-action.ts';
import { newIdempotencyKey } from '../api-client.ts';

const ActionDialog = lazy(() =>
  import('./action-dialog.tsx').then((module) => ({ default: module.ActionDialog })),
);
const BulkDialog = lazy(() => import('./bulk-dialog.tsx').then((module) => ({ default: module.BulkDialog })));
const ToldOnce = lazy(() => import('./told-once.tsx').then((module) => ({ default: module.ToldOnce })));
const MoveDialog = lazy(() =>
  import('../tree/move-dialog.tsx').then((module) => ({ default: module.MoveDialog })),
);
const FormDrawer = lazy(() =>
  import('../form/form-drawer.tsx').then((module) => ({ default: module.FormDrawer })),
);

/** What is being done: an action on nothing, one row or several. */
export interface Running {
  readonly name: string;
  readonly spec: ActionSpec;
  readonly row: RowData | undefined;
  readonly rows: readonly RowData[];
  readonly bulk: boolean;
  /** Where the focus goes back to. */
  readonly from: Element | null;
  /** Id of the row a new one is made after. */
  readonly copyOf?: string;
  /** Values a new row starts with, as inputs hold them. */
  readonly first?: FormValues;
}

/** Runs actions of a resource. `element` must be rendered where the hook is used. */
export interface ActionRunner {
  readonly run: (name: string, row?: RowData) => void;
  /** Opens the form of a new row with these values, as inputs hold them. */
  readonly create: (first: FormValues) => void;
  /** Row actions beside those the server names: a copy, a row below. */
  readonly extra: readonly NamedAction[];
  readonly runBulk: (name: string, rows: readonly RowData[]) => void;
  /** A dialog, form or custom interaction is open. */
  readonly open: boolean;
  readonly element: ReactNode;
}

/**
 * Actions of a resource: dialog with confirmation and input, form for create and update, custom interaction of the
 * screen file, or the call at once. Success: quiet message of 2 s, everything shown of the resource is fresh, the
 * changed row flashes.
 */
export function useAction(
  resource: ResourceSpec,
  options: {
    readonly slots?: ScreenSlots;
    readonly onDone?: (name: string, result: unknown, bulk: boolean) => void;
    /** Shows a row, for actions that open what they made. */
    readonly onOpen?: (id: string) => void;
  } = {},
): ActionRunner {
  const text = useText();
  const client = useQueryClient();
  const view = useContext(ViewContext);
  const held = useHeld(resource);
  const pathOfMode = useModePath(resource);
  const after = useAfterAction(resource);
  const [running, setRunning] = useState<Running>();
  const [told, setTold] = useState<Told>();

  const finish = (now: Running, changed: readonly string[], result?: unknown) => {
    setRunning(undefined);
    focusBack(now.from);
    after(now.name, now.spec, now.name === 'remove' && now.row ? [now.row.id] : changed, result);
    // Something the server tells once, such as a first password.
    const once = toldOf(resource, now.spec.label, now.row, result, text);
    if (once) setTold(once);
    options.onDone?.(now.name, result, now.bulk);
    const made = (result as { id?: unknown } | null | undefined)?.id ?? now.row?.id;
    if (now.spec.then === 'open' && !now.bulk && typeof made === 'string') options.onOpen?.(made);
  };
  const start = (next: Running) => {
    const needsInput = Object.keys(next.spec.input ?? {}).length > 0;
    const isForm = next.name === 'create' || next.name === 'update';
    const page = isForm && !options.slots?.actionScreens?.[next.name] ? pageOf(next) : undefined;
    if (page) return view?.open(page);
    const asks =
      next.spec.opens ||
      next.spec.confirm ||
      needsInput ||
      isForm ||
      next.name === 'remove' ||
      next.spec.opens === 'drag' ||
      next.spec.tone === 'danger' ||
      next.bulk;
    if (asks) return setRunning(next);
    if (!passClick(`${resource.name}:${next.name}:${next.row?.id ?? ''}`)) return;
    // Nothing to ask: the call at once. Failures are shown by the frame.
    callAction(resource, next, {}, newIdempotencyKey()).then(
      (result) => finish(next, next.row ? [next.row.id] : [], result),
      () => void client.invalidateQueries({ queryKey: keysOf.all(resource.name) }),
    );
  };
  /** Path of the form when it is a page. */
  const pageOf = (next: Running): string | undefined => {
    if (next.name === 'update') return next.row && pathOfMode('edit', next.row.id, undefined, next.row);
    const query = queryOf(resource.fields, { ...options.slots?.createWith, ...next.first });
    if (next.copyOf !== undefined) query.set('copy', next.copyOf);
    return pathOfMode('add', undefined, query);
  };
  const startCreate = (from: Pick<Running, 'copyOf' | 'first'>) => {
    const spec = specOf('create');
    if (spec)
      start({
        name: 'create',
        spec,
        row: undefined,
        rows: [],
        bulk: false,
        from: document.activeElement,
        ...from,
      });
  };
  const specOf = (name: string): ActionSpec | undefined => resource.actions?.[name];
  const close = () => {
    if (running) focusBack(running.from);
    setRunning(undefined);
  };
  return {
    open: running !== undefined || told !== undefined,
    create: (first) => startCreate({ first }),
    extra: ownRowActions(resource, held),
    run: (name, row) => {
      if (name === OWN_ACTIONS.copy && row) return startCreate({ copyOf: row.id });
      if (name === OWN_ACTIONS.addBelow && row)
        return startCreate({
          first: {
            [resource.tree!.parent]: { id: row.id, title: rowTitle(resource, row, currentLanguage()) },
          },
        });
      const own = name === OWN_ACTIONS.move ? 'move' : name;
      const spec = specOf(own);
      if (spec)
        start({ name: own, spec, row, rows: row ? [row] : [], bulk: false, from: document.activeElement });
    },
    runBulk: (name, rows) => {
      const spec = specOf(name);
      if (!spec) return;
      const { allowed } = eligibleRows({ name, spec }, rows);
      if (allowed.length === 0)
        return void message.warning(text(fill(actionWords.bulkNone, { action: text(spec.label) })), 3);
      if (allowed.length > (spec.bulkMax ?? 200))
        return void message.warning(text(fill(actionWords.bulkTooMany, { n: spec.bulkMax ?? 200 })), 3);
      start({ name, spec, row: undefined, rows, bulk: true, from: document.activeElement });
    },
    element: (
      <Suspense>
        {running &&
          element(resource, running, options.slots ?? {}, close, (changed, result) =>
            finish(running, changed, result),
          )}
        {told && <ToldOnce {...told} onClose={() => setTold(undefined)} />}
      </Suspense>
    ),
  };
}

function element(
  resource: ResourceSpec,
  running: Running,
  slots: ScreenSlots,
  close: () => void,
  done: (changed: readonly string[], result?: unknown) => void,
): ReactNode {
  const { name, row, rows } = running;
  const screen = slots.actionScreens?.[name];
  if (screen)
    return screen({ row, rows, close, done: (changed) => done(changed ?? rows.map((one) => one.id)) });
  if (name === 'create' || name === 'update')
    return (
      <FormDrawer
        resource={resource}
        slots={slots}
        running={running}
        onClose={close}
        onDone={(saved) => done([saved.id], saved)}
      />
    );
  if (name === 'move' && resource.tree && row)
    return (
      <MoveDialog resource={resource} row={row} onClose={close} onDone={(result) => done([row.id], result)} />
    );
  if (running.bulk)
    return <BulkDialog resource={resource} slots={slots} running={running} onClose={close} onDone={done} />;
  return (
    <ActionDialog
      resource={resource}
      slots={slots}
      running={running}
      onClose={close}
      onDone={(result) => done(row ? [row.id] : [], result)}
    />
  );
}

function focusBack(from: Element | null): void {
  // The layer gives the focus back itself only when its opener still stands; a row may have been replaced.
  requestAnimationFrame(() => {
    if (from instanceof HTMLElement && from.isConnected && document.activeElement === document.body)
      from.focus();
  });
}

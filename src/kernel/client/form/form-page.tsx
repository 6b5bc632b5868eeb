import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { Button, Skeleton } from 'antd';
import type { ActionSpec, ResourceSpec } from '../../contract/resource.ts';
import { toldOf, type Told } from '../action/told.ts';
import { lazyPart } from '../parts/lazy-part.tsx';
import { useAfterAction } from '../action/use-after-action.ts';
import { useLanguageStore, useText } from '../language.ts';
import { modePath, modeTitle } from '../modes.rules.ts';
import { ErrorPanel } from '../parts/error-panel.tsx';
import { Icon } from '../parts/icon.tsx';
import { useLeaveQuestion } from '../parts/use-confirm.ts';
import { useListPath } from '../parts/use-mode-path.ts';
import type { ScreenSlots } from '../slots.ts';
import { actionWords, formWords, words } from '../texts.ts';
import { rowTitle } from '../value-text.rules.ts';
import { useView } from '../view.ts';
import type { RowData } from '../wire.ts';
import { ResourceForm } from './resource-form.tsx';
import { useFirstValues } from './use-first-values.ts';
import { useFormRow } from './use-form-row.ts';
import type { SubmitWays } from './use-resource-form.ts';

const ToldOnce = lazyPart(() => import('../action/told-once.tsx').then((module) => module.ToldOnce));

/** Create (without an id) or update as a page with a tab of its own. Saved or left, the tab closes and the list is shown. */
export function FormPage({
  resource,
  slots,
  id,
}: {
  readonly resource: ResourceSpec;
  readonly slots: ScreenSlots;
  readonly id: string | undefined;
}) {
  const text = useText();
  const view = useView();
  const language = useLanguageStore((state) => state.language);
  const list = useListPath(resource);
  const after = useAfterAction(resource);
  const mayLeave = useLeaveQuestion();
  const [dirty, setDirty] = useState(false);
  const [round, setRound] = useState(0);
  const [told, setTold] = useState<Told & { readonly read: () => void }>();
  const row = useFormRow(resource, id);
  const from = view.query.toString();
  const copyOf = view.query.get('copy') ?? undefined;
  const title = row.data && rowTitle(resource, row.data, language);
  const nameTab = useEffectEvent((suffix: string) => view.setTitle(suffix));
  useEffect(() => {
    if (title) nameTab(title);
  }, [title]);

  const noteDirty = (now: boolean) => {
    setDirty(now);
    view.setDirty(now);
  };
  const leave = () => {
    view.setDirty(false);
    if (list) view.open(list);
    view.close();
  };
  const cancel = async () => {
    if (dirty && !(await mayLeave())) return;
    leave();
  };
  const saved = (now: RowData, ways: SubmitWays) => {
    const name = id === undefined ? 'create' : 'update';
    const spec: Pick<ActionSpec, 'label' | 'message' | 'then'> = resource.actions?.[name] ?? {
      label: actionWords[name],
    };
    after(name, spec, [now.id], now);
    const once = toldOf(resource, spec.label, undefined, now, text);
    if (ways.again) {
      noteDirty(false);
      setRound(round + 1);
      if (once) setTold({ ...once, read: () => undefined });
      return;
    }
    const detail =
      spec.then === 'open' && list
        ? (modePath(resource, 'detail', list, now.id) ?? `${list}?detail=${encodeURIComponent(now.id)}`)
        : undefined;
    const go = () => {
      leave();
      if (detail) view.open(detail);
    };
    // The page stays until what is told once was read.
    if (!once) return go();
    noteDirty(false);
    setTold({ ...once, read: go });
  };
  const refused = id !== undefined && row.data !== undefined && !row.data.actions.includes('update');
  return (
    <div className="k-screen k-form-page">
      <header className="k-title">
        <button
          type="button"
          className="k-tool"
          aria-label={text(words.back)}
          title={text(resource.title)}
          onClick={() => void cancel()}
        >
          <Icon name="left" />
        </button>
        <h1>
          {text(modeTitle(resource, id === undefined ? 'add' : 'edit'))}
          {title && <span className="k-title-name">{title}</span>}
        </h1>
      </header>
      {row.isError ? (
        <ErrorPanel error={row.error} onRetry={() => void row.refetch()} />
      ) : refused ? (
        <div className="k-state" role="alert">
          <strong>{text(formWords.notEditable)}</strong>
          <span className="k-quiet">{text(formWords.notEditableNote)}</span>
          <Button onClick={leave}>{text(words.back)}</Button>
        </div>
      ) : id !== undefined && row.isPending ? (
        <Skeleton active paragraph={{ rows: 10 }} />
      ) : (
        <PageBody
          // Another address, or another new row: another form. What was typed into the old one is kept as its draft.
          key={`${from} ${round}`}
          resource={resource}
          slots={slots}
          row={row.data}
          copyOf={copyOf}
          focused={round > 0}
          onDirty={noteDirty}
          onSaved={saved}
          onCancel={() => void cancel()}
        />
      )}
      {told && (
        <ToldOnce
          {...told}
          onClose={() => {
            setTold(undefined);
            told.read();
          }}
        />
      )}
    </div>
  );
}

function PageBody(props: {
  readonly resource: ResourceSpec;
  readonly slots: ScreenSlots;
  readonly row: RowData | undefined;
  readonly copyOf: string | undefined;
  readonly focused: boolean;
  readonly onDirty: (dirty: boolean) => void;
  readonly onSaved: (row: RowData, ways: SubmitWays) => void;
  readonly onCancel: () => void;
}) {
  const { resource, row, copyOf } = props;
  const view = useView();
  const isNew = row === undefined;
  const first = useFirstValues(resource, { copyOf, query: view.query }, isNew);
  const layout = resource.form?.as === 'steps' ? 'steps' : 'page';
  const creates = resource.actions?.create;
  const search = view.query.toString();
  const body = useRef<HTMLDivElement>(null);
  const ready = !isNew || first.values !== undefined;
  useEffect(() => {
    if (!ready) return;
    const input = body.current?.querySelector<HTMLElement>(
      '.k-form input:not([type=hidden]):enabled, .k-form textarea:enabled, .k-form button:enabled',
    );
    input?.focus({ preventScroll: true });
  }, [ready]);
  if (first.error !== undefined && isNew) return <ErrorPanel error={first.error} onRetry={first.retry} />;
  if (!ready) return <Skeleton active paragraph={{ rows: 10 }} />;
  return (
    <div ref={body}>
      <ResourceForm
        resource={resource}
        row={row}
        slots={props.slots}
        first={first.values}
        layout={layout}
        page={search ? `${view.path}?${search}` : view.path}
        repeats={isNew && layout === 'page' && copyOf === undefined && creates?.then !== 'open'}
        onSaved={props.onSaved}
        onCancel={props.onCancel}
        onDirty={props.onDirty}
      />
    </div>
  );
}

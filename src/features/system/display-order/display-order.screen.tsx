import './display-order.css';
import { useRef, useState } from 'react';
import { Alert, Button, Switch } from 'antd';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { call, newIdempotencyKey } from '../../../kernel/client/api-client.ts';
import { ask, message } from '../../../kernel/client/feedback.ts';
import { instantFull } from '../../../kernel/client/format.rules.ts';
import { useText } from '../../../kernel/client/language.ts';
import { ErrorPanel } from '../../../kernel/client/parts/error-panel.tsx';
import { useHeld } from '../../../kernel/client/parts/held.ts';
import { Icon } from '../../../kernel/client/parts/icon.tsx';
import { lazyPart } from '../../../kernel/client/parts/lazy-part.tsx';
import { PageTitle } from '../../../kernel/client/parts/page-title.tsx';
import { RemoteSelect } from '../../../kernel/client/parts/remote-select.tsx';
import { useLeaveQuestion } from '../../../kernel/client/parts/use-confirm.ts';
import { useDragRows } from '../../../kernel/client/parts/use-drag-rows.ts';
import { useSubmitGuard } from '../../../kernel/client/parts/use-guard.ts';
import { ScreenWaits } from '../../../kernel/client/screen-of.tsx';
import { useView } from '../../../kernel/client/view.ts';
import { keysOf, rootOf } from '../../../kernel/client/wire.ts';
import type { RefValue } from '../../../kernel/contract/fields.ts';
import { displayOrder } from './display-order.contract.ts';
import { putAt } from './display-order.rules.ts';

const CopyDialog = lazyPart(() => import('./copy-dialog.tsx').then((module) => module.CopyDialog));

interface Item {
  readonly type: string;
  readonly id: string;
  readonly title: string;
  readonly shown: boolean;
  readonly fresh: boolean;
}

interface Board {
  readonly lists: readonly { readonly code: string; readonly title: string }[];
  readonly list: string;
  readonly stored: null | {
    readonly id: string;
    readonly version: number;
    readonly actions: readonly string[];
    readonly updatedAt: string;
  };
  readonly mayEdit: boolean;
  readonly customised: readonly RefValue[];
  readonly items: readonly Item[];
}

const ROOT = rootOf(displayOrder);
const keyOf = (item: Item) => `${item.type}:${item.id}`;

/** Lists of the owners' app at the left, the order of the chosen one for the default or a project, and how it will look. */
function DisplayOrderScreen() {
  const text = useText();
  const view = useView();
  const client = useQueryClient();
  const held = useHeld(displayOrder);
  const guard = useSubmitGuard();
  const mayLeave = useLeaveQuestion();
  const host = useRef<HTMLOListElement>(null);
  const [draft, setDraft] = useState<readonly Item[]>();
  const [copying, setCopying] = useState(false);
  const list = view.query.get('list') ?? '';
  const project = view.query.get('project') ?? '';
  const { data, error, refetch, isPlaceholderData } = useQuery({
    queryKey: [...keysOf.all(displayOrder.name), 'board', list, project],
    queryFn: ({ signal }) =>
      call<Board>('GET', `${ROOT}/board`, {
        query: { ...(list ? { list } : {}), ...(project ? { project } : {}) },
        signal,
        quiet: true,
      }),
    placeholderData: (before) => before,
  });
  const change = (items: readonly Item[] | undefined) => {
    setDraft(items);
    view.setDirty(items !== undefined);
  };
  const items = draft ?? data?.items ?? [];
  const startDrag = useDragRows({
    host,
    rows: 'li',
    onDrop: (from, to, place) => change(putAt(items, keyOf, from, to, place === 'after')),
  });
  if (error && !data) return <ErrorPanel error={error} onRetry={() => void refetch()} />;
  if (!data) return <ScreenWaits />;

  const mayEdit = data.mayEdit && held('btn_save') && !isPlaceholderData;
  const go = async (next: Readonly<Record<string, string>>) => {
    if (draft && !(await mayLeave())) return;
    change(undefined);
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries({ list: data.list, project, ...next }))
      if (value) query.set(name, value);
    view.setQuery(query);
  };
  const fresh = () => {
    change(undefined);
    return client.invalidateQueries({ queryKey: keysOf.all(displayOrder.name) });
  };
  const save = () =>
    void guard.run(async () => {
      const body = {
        items: items.map((item) => ({ itemType: item.type, itemId: item.id, shown: item.shown })),
        ...(data.stored
          ? { version: data.stored.version }
          : { list: data.list, ...(project ? { project } : {}) }),
      };
      try {
        await call(data.stored ? 'PUT' : 'POST', data.stored ? `${ROOT}/${data.stored.id}` : ROOT, {
          body,
          idempotencyKey: newIdempotencyKey(),
        });
      } catch {
        // The frame has shown why; what was arranged stays, so that it can be compared after a refresh.
        return;
      }
      message.success(text(['已保存', 'Saved']), 2);
      await fresh();
    });
  const reset = async () => {
    const agreed = await ask({
      title: displayOrder.actions!.remove!.label,
      text: displayOrder.actions!.remove!.confirm!,
      confirm: displayOrder.actions!.remove!.label,
      cancel: ['取消', 'Cancel'],
      danger: true,
    });
    if (!agreed || !data.stored) return;
    await call('DELETE', `${ROOT}/${data.stored.id}?version=${data.stored.version}`, {
      idempotencyKey: newIdempotencyKey(),
    }).then(
      () => message.success(text(['已恢复默认', 'Back to default']), 2),
      () => undefined,
    );
    await fresh();
  };
  const move = (item: Item, to: number) => {
    const next = items.filter((one) => one !== item);
    next.splice(to, 0, item);
    change(next);
  };
  return (
    <div className="k-screen">
      <PageTitle title={displayOrder.title} purpose={displayOrder.purpose}>
        {project && data.stored && held('btn_reset') && (
          <Button onClick={() => void reset()}>{text(displayOrder.actions!.remove!.label)}</Button>
        )}
        {data.stored && held('btn_copyTo') && (
          <Button disabled={draft !== undefined} onClick={() => setCopying(true)}>
            {text(displayOrder.actions!.copyTo!.label)}
          </Button>
        )}
        {mayEdit && (
          <Button
            type="primary"
            loading={guard.busy}
            disabled={draft === undefined || (guard.locked && !guard.busy)}
            onClick={save}
          >
            {text(['保存', 'Save'])}
          </Button>
        )}
      </PageTitle>
      <div className="order-board">
        <nav className="order-lists" aria-label={text(['列表', 'Lists'])}>
          {data.lists.map((one) => (
            <button
              key={one.code}
              type="button"
              aria-current={one.code === data.list ? 'page' : undefined}
              onClick={() => one.code !== data.list && void go({ list: one.code })}
            >
              {one.title}
            </button>
          ))}
        </nav>
        <section className="order-items" aria-label={data.lists.find((one) => one.code === data.list)?.title}>
          <div className="order-scope">
            <RemoteSelect
              target="project"
              label={text(['适用范围', 'Scope'])}
              prefix={text(['适用范围', 'Scope'])}
              placeholder={text(['默认', 'Default'])}
              value={project ? [project] : []}
              known={Object.fromEntries(data.customised.map((one) => [one.id, one.title]))}
              onChange={(ids) => void go({ project: ids[0] ?? '' })}
            />
            {project && (
              <span className={data.stored ? 'order-own' : 'k-quiet'}>
                {text(data.stored ? ['已自定义', 'Own order'] : ['沿用默认', 'As the default'])}
              </span>
            )}
            {data.stored && (
              <span className="k-quiet k-small">
                {text(['更新于 ', 'Saved '])}
                {instantFull(data.stored.updatedAt)}
              </span>
            )}
          </div>
          {data.customised.length > 0 && (
            <p className="k-quiet k-small">
              {text(['已自定义的项目：', 'Projects with an own order: '])}
              {data.customised.map((one) => (
                <button
                  key={one.id}
                  type="button"
                  className="k-link"
                  onClick={() => void go({ project: one.id })}
                >
                  {one.title}
                </button>
              ))}
            </p>
          )}
          {!mayEdit && !isPlaceholderData && (
            <Alert
              type="info"
              showIcon
              title={text(
                data.mayEdit
                  ? ['没有保存权限，仅可查看', 'You may look, not save']
                  : [
                      '默认顺序由平台维护，请选择项目',
                      'The default is kept by the platform, choose a project',
                    ],
              )}
            />
          )}
          {items.length === 0 && (
            <div className="k-state">{text(['此列表还没有内容', 'The list has no items yet'])}</div>
          )}
          <ol ref={host}>
            {items.map((item, index) => (
              <li key={keyOf(item)} data-row-key={keyOf(item)} className={item.shown ? '' : 'order-hidden'}>
                <span
                  className="order-grip"
                  aria-hidden="true"
                  onPointerDown={(event) => mayEdit && startDrag(event, keyOf(item))}
                >
                  <Icon name="grip" />
                </span>
                <span className="order-number">{index + 1}</span>
                <span className="order-title">
                  {item.title}
                  {item.fresh && data.stored && <em>{text(['新', 'New'])}</em>}
                </span>
                {(
                  [
                    [['置顶', 'To the top'], 'toTop', 0],
                    [['上移', 'Up'], 'up', index - 1],
                    [['下移', 'Down'], 'down', index + 1],
                    [['置底', 'To the end'], 'toEnd', items.length - 1],
                  ] as const
                ).map(([label, name, to]) => (
                  <Button
                    key={name}
                    type="text"
                    size="small"
                    disabled={!mayEdit || to < 0 || to >= items.length || to === index}
                    title={text(label)}
                    aria-label={`${text(label)} ${item.title}`}
                    onClick={() => move(item, to)}
                  >
                    <span className={`order-mark-${name}`}>{MARKS[name]}</span>
                  </Button>
                ))}
                <Switch
                  size="small"
                  checked={item.shown}
                  disabled={!mayEdit}
                  aria-label={`${text(['显示', 'Shown'])} ${item.title}`}
                  onChange={(shown) => change(items.map((one) => (one === item ? { ...one, shown } : one)))}
                />
              </li>
            ))}
          </ol>
        </section>
        <section className="order-preview" aria-label={text(['预览', 'Preview'])}>
          <h3>{text(['预览', 'Preview'])}</h3>
          <div className="order-phone">
            {items
              .filter((item) => item.shown)
              .map((item) => (
                <span key={keyOf(item)}>
                  <i aria-hidden="true">{item.title.slice(0, 1)}</i>
                  {item.title}
                </span>
              ))}
          </div>
        </section>
      </div>
      {copying && data.stored && (
        <CopyDialog
          id={data.stored.id}
          onClose={() => setCopying(false)}
          onDone={() => {
            setCopying(false);
            void fresh();
          }}
        />
      )}
    </div>
  );
}

const MARKS = { toTop: '⇤', up: '↑', down: '↓', toEnd: '⇥' } as const;

/** Order of the lists of the owners' app. */
export const screen = { contract: displayOrder, component: DisplayOrderScreen };

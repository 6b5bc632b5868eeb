import { useState } from 'react';
import { Alert, DatePicker, Pagination, Skeleton } from 'antd';
import type { Dayjs } from 'dayjs';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { Label } from '../../../kernel/contract/label.ts';
import { call } from '../../../kernel/client/api-client.ts';
import { instantFull } from '../../../kernel/client/format.rules.ts';
import { useLanguageStore, useText } from '../../../kernel/client/language.ts';
import { AppDrawer } from '../../../kernel/client/parts/app-drawer.tsx';
import { ErrorPanel } from '../../../kernel/client/parts/error-panel.tsx';
import { TabList } from '../../../kernel/client/parts/tab-list.tsx';
import { words } from '../../../kernel/client/texts.ts';
import { SCOPE_LABELS, type DataScope } from './grant-diff.rules.ts';
import { GROUP_KEY, GROUP_ROOT, type GroupHandle } from './group-wire.ts';
import { RestoreDialog } from './restore-dialog.tsx';
import './permission-group.css';

interface Named {
  readonly code: string;
  readonly title: string;
  readonly titleEn: string;
}
interface HistoryRow {
  readonly id: string;
  readonly at: string;
  readonly who: string;
  readonly kind: 'grant' | 'member' | 'group';
  readonly reason: string;
  readonly restores: string | null;
  readonly created: boolean;
  readonly deleted: boolean;
  readonly inherit: boolean | null;
  readonly added: readonly Named[];
  readonly removed: readonly Named[];
  readonly changed: readonly Named[];
  readonly scopes: readonly (Named & { readonly before: DataScope; readonly after: DataScope })[];
  readonly fields: readonly { readonly field: string; readonly before: unknown; readonly after: unknown }[];
}
interface HistoryAnswer {
  readonly total: number;
  readonly rows: readonly HistoryRow[];
  readonly baselines: readonly { readonly id: string; readonly at: string; readonly kind: string }[];
}
interface StateAnswer {
  readonly group: { readonly name: string; readonly enabled: boolean; readonly inherit: boolean } | null;
  readonly menus: readonly (Named & { readonly dataScope: DataScope })[] | null;
  readonly elements: readonly Named[] | null;
  readonly members: readonly { readonly id: string; readonly name: string; readonly kind: string }[] | null;
}

const KINDS: Readonly<Record<string, Label>> = {
  grant: ['权限', 'Grants'],
  member: ['成员', 'Members'],
  group: ['角色', 'Group'],
};
const FIELDS: Readonly<Record<string, Label>> = {
  name: ['名称', 'Name'],
  code: ['编码', 'Code'],
  parent_id: ['上级', 'Above'],
  department_id: ['部门', 'Department'],
  enabled: ['启用', 'Enabled'],
  inherit: ['继承上级权限', 'Inherit'],
  description: ['描述', 'Description'],
};
const PAGE = 20;

/** Who changed a group when and why; its state at any time; back to an earlier version through the preview. */
export function HistoryDrawer({
  group,
  canRestore,
  onClose,
}: {
  readonly group: GroupHandle;
  readonly canRestore: boolean;
  readonly onClose: () => void;
}) {
  const text = useText();
  const [kind, setKind] = useState('grant');
  const [page, setPage] = useState(1);
  const [restore, setRestore] = useState<string>();
  const [at, setAt] = useState<Dayjs | null>(null);
  const { data, isError, error, refetch } = useQuery({
    queryKey: [...GROUP_KEY, group.id, 'history', kind, page],
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) =>
      call<HistoryAnswer>('GET', `${GROUP_ROOT}/${group.id}/history`, {
        query: { kind, page, limit: PAGE },
        signal,
      }),
  });
  const restorable = canRestore && kind === 'grant' && !group.builtIn;
  return (
    <AppDrawer
      open
      size={760}
      title={`${text(['历史', 'History'])}${text(['：', ': '])}${group.name}`}
      onClose={onClose}
    >
      <div className="pg-body">
        <div className="pg-bar">
          <TabList
            label={text(['历史', 'History'])}
            active={kind}
            onChange={(key) => {
              setKind(key);
              setPage(1);
            }}
            tabs={Object.entries(KINDS).map(([key, label]) => ({ key, label: text(label) }))}
          />
          <DatePicker
            className="pg-at"
            showTime={{ format: 'HH:mm' }}
            format="YYYY-MM-DD HH:mm"
            value={at}
            placeholder={text(['查看某时刻的状态', 'State at a time'])}
            aria-label={text(['查看某时刻的状态', 'State at a time'])}
            onChange={setAt}
          />
        </div>
        {at && <StateAt group={group} at={at.toISOString()} />}
        {isError ? (
          <ErrorPanel error={error} onRetry={() => void refetch()} />
        ) : !data ? (
          <Skeleton active paragraph={{ rows: 8 }} />
        ) : (
          <>
            <ol className="k-timeline">
              {data.rows.map((row, index) => (
                <li key={row.id}>
                  <div className="k-timeline-head">
                    <time className="k-quiet">{instantFull(row.at)}</time>
                    <strong>{row.who}</strong>
                    {row.restores && (
                      <span className="k-quiet">
                        {text(['恢复到更早的版本', 'Back to an earlier version'])}
                      </span>
                    )}
                    {row.created && <span className="k-quiet">{text(['新增', 'Added'])}</span>}
                    {row.deleted && <span className="k-quiet">{text(['删除', 'Deleted'])}</span>}
                    {restorable &&
                      (page === 1 && index === 0 ? (
                        <span className="k-quiet">{text(['当前版本', 'As it is now'])}</span>
                      ) : (
                        <button type="button" className="k-link" onClick={() => setRestore(row.id)}>
                          {text(['恢复到此版本', 'Restore'])}
                        </button>
                      ))}
                  </div>
                  <Difference row={row} />
                  {row.reason && <p className="k-remark">{row.reason}</p>}
                </li>
              ))}
              {page * PAGE >= data.total &&
                data.baselines.map((row) => (
                  <li key={row.id}>
                    <div className="k-timeline-head">
                      <time className="k-quiet">{instantFull(row.at)}</time>
                      <span className="k-quiet">{text(['初始状态', 'First state'])}</span>
                      {restorable && (
                        <button type="button" className="k-link" onClick={() => setRestore(row.id)}>
                          {text(['恢复到此版本', 'Restore'])}
                        </button>
                      )}
                    </div>
                  </li>
                ))}
            </ol>
            {data.total === 0 && data.baselines.length === 0 && (
              <p className="k-state k-quiet">{text(['还没有变更', 'Nothing has changed yet'])}</p>
            )}
            {data.total > PAGE && (
              <Pagination
                size="small"
                current={page}
                pageSize={PAGE}
                total={data.total}
                showSizeChanger={false}
                onChange={setPage}
              />
            )}
          </>
        )}
      </div>
      {restore !== undefined && (
        <RestoreDialog group={group} historyId={restore} onClose={() => setRestore(undefined)} />
      )}
    </AppDrawer>
  );
}

function Difference({ row }: { readonly row: HistoryRow }) {
  const text = useText();
  const language = useLanguageStore((state) => state.language);
  const comma = text(['、', ', ']);
  const names = (list: readonly Named[]) =>
    list.map((one) => (language === 'zh' ? one.title : one.titleEn)).join(comma);
  const show = (value: unknown) =>
    value === true
      ? text(words.yes)
      : value === false
        ? text(words.no)
        : value === null || value === ''
          ? '–'
          : String(value as string | number);
  const lines: [Label, string][] = [];
  if (row.added.length > 0) lines.push([['新增', 'Added'], names(row.added)]);
  if (row.removed.length > 0) lines.push([['移除', 'Removed'], names(row.removed)]);
  if (row.changed.length > 0) lines.push([['调整', 'Changed'], names(row.changed)]);
  for (const change of row.scopes)
    lines.push([
      [change.title, change.titleEn],
      `${text(SCOPE_LABELS[change.before])} → ${text(SCOPE_LABELS[change.after])}`,
    ]);
  for (const change of row.fields)
    lines.push([
      FIELDS[change.field] ?? [change.field, change.field],
      `${show(change.before)} → ${show(change.after)}`,
    ]);
  if (row.inherit !== null) lines.push([FIELDS.inherit!, show(row.inherit)]);
  return (
    <ul className="k-changes">
      {lines.map(([label, value], index) => (
        <li key={index}>
          <span className="k-quiet">{text(label)}</span>
          <span>{value}</span>
        </li>
      ))}
    </ul>
  );
}

function StateAt({ group, at }: { readonly group: GroupHandle; readonly at: string }) {
  const text = useText();
  const language = useLanguageStore((state) => state.language);
  const { data } = useQuery({
    queryKey: [...GROUP_KEY, group.id, 'at', at],
    queryFn: ({ signal }) =>
      call<StateAnswer>('GET', `${GROUP_ROOT}/${group.id}/history/at`, { query: { at }, signal }),
  });
  if (!data) return <Skeleton active paragraph={{ rows: 3 }} />;
  if (!data.group)
    return (
      <Alert type="info" showIcon title={text(['当时还没有这个角色', 'The group did not exist then'])} />
    );
  const name = (one: Named) => (language === 'zh' ? one.title : one.titleEn);
  const comma = text(['、', ', ']);
  return (
    <dl className="pg-state">
      <dt>{text(['菜单', 'Menus'])}</dt>
      <dd>
        {data.menus
          ?.map(
            (menu) =>
              `${name(menu)}${menu.dataScope === 'all' ? '' : ` (${text(SCOPE_LABELS[menu.dataScope])})`}`,
          )
          .join(comma) || '–'}
      </dd>
      <dt>{text(['按钮', 'Elements'])}</dt>
      <dd>{data.elements?.map(name).join(comma) || '–'}</dd>
      <dt>{text(['成员', 'Members'])}</dt>
      <dd>{data.members?.map((member) => member.name).join(comma) || '–'}</dd>
    </dl>
  );
}

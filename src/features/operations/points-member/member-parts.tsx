import { useState } from 'react';
import { Progress, Skeleton, Table, Tag } from 'antd';
import { Emojied } from '../../../domain/content/emoji/emojied.tsx';
import { instantFull, NOTHING, thousands } from '../../../kernel/client/format.rules.ts';
import { useText } from '../../../kernel/client/language.ts';
import { ErrorPanel } from '../../../kernel/client/parts/error-panel.tsx';
import { useView } from '../../../kernel/client/view.ts';
import type { RowData } from '../../../kernel/client/wire.ts';
import { SKIP_CAPS } from '../../points-accounts/account/line-kinds.rules.ts';
import { useMemberList, useMemberOverview } from './member-calls.ts';
import { MEMBER_LISTS, type MemberListName, type MemberOverview } from './points-member.contract.ts';
import './points-member.css';

/** A part that waits for the overview. */
function WithOverview({
  row,
  children,
}: {
  readonly row: RowData;
  readonly children: (data: MemberOverview) => React.ReactNode;
}) {
  const overview = useMemberOverview(row.id);
  if (overview.isError) return <ErrorPanel error={overview.error} onRetry={() => void overview.refetch()} />;
  if (!overview.data) return <Skeleton active paragraph={{ rows: 6 }} />;
  return <>{children(overview.data)}</>;
}

const DAY_MARKS = {
  signed: ['✓', '已签到', 'Signed'],
  made_up: ['补', '补签', 'Made up'],
  missed: ['×', '未签到', 'Missed'],
} as const;

/** The month's sign-ins, and the bonuses of the cycle. */
export function SignInPart({ row }: { readonly row: RowData }) {
  const text = useText();
  return (
    <WithOverview row={row}>
      {(data) => (
        <div className="pm-part">
          <p className="k-quiet">
            {text([
              `${data.month}，持有补签卡 ${data.cards} 张`,
              `${data.month}; ${data.cards} make-up cards held`,
            ])}
          </p>
          <ol className="pm-days">
            {data.days.map((one) => {
              const [mark, zh, en] = DAY_MARKS[one.state];
              return (
                <li key={one.day} data-state={one.state} title={`${one.day} ${text([zh, en])}`}>
                  <span>{Number(one.day.slice(8))}</span>
                  <b aria-label={text([zh, en])}>{mark}</b>
                </li>
              );
            })}
          </ol>
          {data.bonuses.length > 0 && (
            <ul>
              {data.bonuses.map((one) => (
                <li key={one.title}>
                  {text([
                    `${one.day} 奖励 ${one.title}：+${one.points}`,
                    `${one.day} bonus ${one.title}: +${one.points}`,
                  ])}
                </li>
              ))}
            </ul>
          )}
        </div>
      )}
    </WithOverview>
  );
}

/** Tasks done today and in all, and why one gave nothing. */
export function TaskPart({ row }: { readonly row: RowData }) {
  const text = useText();
  const limit = (done: number, most: number) => `${done} / ${most === -1 ? '∞' : most}`;
  const why = (skipped: string) =>
    Object.hasOwn(SKIP_CAPS, skipped)
      ? text(SKIP_CAPS[skipped as keyof typeof SKIP_CAPS].label)
      : skipped === 'day_times'
        ? text(['已达每日次数', 'Times a day used up'])
        : text(['已达总次数', 'Times in all used up']);
  return (
    <WithOverview row={row}>
      {(data) => (
        <Table
          size="small"
          rowKey="code"
          pagination={false}
          scroll={{ x: 560 }}
          dataSource={[...data.tasks]}
          columns={[
            { title: text(['任务', 'Task']), render: (_, one) => `${one.code} ${text(one.name)}` },
            { title: text(['积分', 'Points']), dataIndex: 'points', align: 'right', width: 80 },
            {
              title: text(['今日', 'Today']),
              render: (_, one) => limit(one.today, one.dayTimes),
              width: 100,
            },
            {
              title: text(['累计', 'In all']),
              render: (_, one) => limit(one.total, one.totalTimes),
              width: 110,
            },
            {
              title: text(['未发放原因', 'Why nothing was given']),
              render: (_, one) => (one.skipped ? <Tag>{why(one.skipped)}</Tag> : NOTHING),
              width: 180,
            },
          ]}
        />
      )}
    </WithOverview>
  );
}

/** How far the next grade is. */
export function GradePart({ row }: { readonly row: RowData }) {
  const text = useText();
  const title = (row.grade as { title: string } | null)?.title ?? NOTHING;
  return (
    <WithOverview row={row}>
      {({ grade }) => (
        <div className="pm-part">
          <p>
            {text(['当前等级：', 'Grade: '])}
            <b>{title}</b>
            {row.fixedUntil
              ? text([`（指定至 ${String(row.fixedUntil)}）`, ` (fixed until ${String(row.fixedUntil)})`])
              : ''}
          </p>
          <Progress
            percent={
              grade.next === null
                ? 100
                : Math.floor((100 * Math.max(0, grade.basis)) / Math.max(1, grade.basis + grade.missing))
            }
            aria-label={text(['成长进度', 'Progress'])}
          />
          <p className="k-quiet">
            {grade.next === null
              ? text([
                  `成长积分 ${thousands(grade.basis)}，已是最高等级`,
                  `${thousands(grade.basis)} points: the highest grade`,
                ])
              : text([
                  `成长积分 ${thousands(grade.basis)}，距「${grade.next}」还差 ${thousands(grade.missing)}`,
                  `${thousands(grade.basis)} points, ${thousands(grade.missing)} short of “${grade.next}”`,
                ])}
          </p>
        </div>
      )}
    </WithOverview>
  );
}

/** Records of a screen that the viewer holds, with a way there. */
export function RecordsPart({
  row,
  names,
}: {
  readonly row: RowData;
  readonly names: readonly MemberListName[];
}) {
  const text = useText();
  const [name, setName] = useState(names[0]!);
  return (
    <div className="pm-part">
      {names.length > 1 && (
        <div role="group" className="pm-choice">
          {names.map((one) => (
            <button
              key={one}
              type="button"
              className="k-link"
              aria-pressed={one === name}
              onClick={() => setName(one)}
            >
              {text(MEMBER_LISTS[one].label)}
            </button>
          ))}
        </div>
      )}
      <Records key={name} row={row} name={name} />
    </div>
  );
}

function Records({ row, name }: { readonly row: RowData; readonly name: MemberListName }) {
  const text = useText();
  const view = useView();
  const list = useMemberList(row.id, name);
  if (list.isError) return <ErrorPanel error={list.error} onRetry={() => void list.refetch()} />;
  if (!list.data) return <Skeleton active paragraph={{ rows: 4 }} />;
  const path = view.pathOf(MEMBER_LISTS[name].menu);
  return (
    <Table
      size="small"
      rowKey="id"
      pagination={false}
      scroll={{ x: 640 }}
      dataSource={list.data}
      locale={{ emptyText: text(['没有记录', 'Nothing yet']) }}
      columns={[
        {
          title: text(['编号', 'Number']),
          width: 190,
          render: (_, one) =>
            path && !one.code.startsWith('#') ? (
              <button
                type="button"
                className="k-link"
                onClick={() => view.open(`${path}?searchVal=${encodeURIComponent(one.code)}`)}
              >
                {one.code}
              </button>
            ) : (
              one.code
            ),
        },
        {
          title: text(['内容', 'Content']),
          ellipsis: true,
          render: (_, one) => <Emojied>{one.title}</Emojied>,
        },
        { title: text(['状态', 'State']), dataIndex: 'state', width: 110 },
        {
          title: text(['金额', 'Amount']),
          align: 'right',
          width: 110,
          render: (_, one) => (one.amount === null ? NOTHING : `¥${one.amount}`),
        },
        {
          title: text(['时间', 'Time']),
          width: 160,
          render: (_, one) => (one.at === '' ? NOTHING : instantFull(one.at)),
        },
      ]}
    />
  );
}

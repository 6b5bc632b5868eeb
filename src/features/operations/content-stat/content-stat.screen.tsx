import { useState } from 'react';
import { Skeleton, Table } from 'antd';
import { useQuery } from '@tanstack/react-query';
import { Emojied } from '../../../domain/content/emoji/emojied.tsx';
import { call } from '../../../kernel/client/api-client.ts';
import { thousands } from '../../../kernel/client/format.rules.ts';
import { useText } from '../../../kernel/client/language.ts';
import { AppDrawer } from '../../../kernel/client/parts/app-drawer.tsx';
import { ErrorPanel } from '../../../kernel/client/parts/error-panel.tsx';
import { TabList } from '../../../kernel/client/parts/tab-list.tsx';
import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import { useView } from '../../../kernel/client/view.ts';
import type { RowData } from '../../../kernel/client/wire.ts';
import {
  contentRanking,
  contentTraffic,
  memberStat,
  pointsStat,
  type Behind,
} from './content-stat.contract.ts';

type Asked = Readonly<Record<string, string>>;

/** What stands behind a figure: contents with their looks, or the people. */
function BehindDrawer({ asked, close }: { readonly asked: Asked; readonly close: () => void }) {
  const text = useText();
  const behind = useQuery({
    queryKey: ['contentStat', 'behind', asked],
    queryFn: ({ signal }) =>
      call<Behind>('GET', '/api/jinmao/web/contentStat/behind', { query: asked, signal, quiet: true }),
  });
  const contents = asked.what === 'contents';
  return (
    <AppDrawer
      open
      size={640}
      title={text(contents ? ['被浏览的内容', 'Contents'] : ['浏览的人', 'Viewers'])}
      onClose={close}
    >
      {behind.isError ? (
        <ErrorPanel error={behind.error} onRetry={() => void behind.refetch()} />
      ) : !behind.data ? (
        <Skeleton active paragraph={{ rows: 8 }} />
      ) : (
        <>
          <p className="k-quiet">
            {text([
              `共 ${thousands(behind.data.total)} 条${behind.data.total > 200 ? '，显示前 200 条' : ''}`,
              `${thousands(behind.data.total)} in all${behind.data.total > 200 ? ', the first 200 shown' : ''}`,
            ])}
          </p>
          <Table
            size="small"
            rowKey="id"
            pagination={false}
            dataSource={[...behind.data.rows]}
            columns={[
              {
                title: text(contents ? ['内容', 'Content'] : ['会员', 'Member']),
                ellipsis: true,
                render: (_, one) => <Emojied>{one.title}</Emojied>,
              },
              {
                title: text(contents ? ['项目', 'Project'] : ['手机', 'Phone']),
                dataIndex: 'note',
                width: 150,
              },
              {
                title: text(['浏览次数', 'Views']),
                dataIndex: 'pv',
                align: 'right',
                width: 100,
                render: (value: number) => thousands(value),
              },
            ]}
          />
        </>
      )}
    </AppDrawer>
  );
}

function Figure({
  row,
  name,
  what,
  open,
}: {
  readonly row: RowData;
  readonly name: string;
  readonly what: string;
  readonly open: (asked: Asked) => void;
}) {
  const text = useText();
  const n = Number(row[name] ?? 0);
  const drill = row.drill as Asked | undefined;
  if (n === 0 || !drill) return <span className="k-number">{thousands(n)}</span>;
  return (
    <button
      type="button"
      className="k-link k-number"
      title={text(['查看明细', 'What stands behind it'])}
      onClick={() => open({ ...drill, what })}
    >
      {thousands(n)}
    </button>
  );
}

const REPORTS = {
  traffic: contentTraffic,
  ranking: contentRanking,
  points: pointsStat,
  members: memberStat,
} as const;
type Tab = keyof typeof REPORTS;

/** Traffic, ranking, points and members, each a report of its own. */
function ContentStatScreen() {
  const text = useText();
  const view = useView();
  const [asked, setAsked] = useState<Asked>();
  const as = view.query.get('as') ?? 'traffic';
  const tab: Tab = Object.hasOwn(REPORTS, as) ? (as as Tab) : 'traffic';
  const above = (
    <TabList
      label={text(contentTraffic.title)}
      tabs={[
        { key: 'traffic', label: text(['流量', 'Traffic']) },
        { key: 'ranking', label: text(['排行', 'Ranking']) },
        { key: 'points', label: text(['积分', 'Points']) },
        { key: 'members', label: text(['用户', 'Members']) },
      ]}
      active={tab}
      onChange={(key) => view.setQuery(new URLSearchParams(key === 'traffic' ? {} : { as: key }))}
    />
  );
  return (
    <>
      <ScreenOf
        key={tab}
        contract={REPORTS[tab]}
        slots={{
          above,
          ...(tab === 'ranking' && {
            cells: { content: (row: RowData) => <Emojied>{String(row.content)}</Emojied> },
          }),
          ...(tab === 'traffic' && {
            cells: {
              pv: (row: RowData) => <Figure row={row} name="pv" what="contents" open={setAsked} />,
              uv: (row: RowData) => <Figure row={row} name="uv" what="members" open={setAsked} />,
            },
          }),
        }}
      />
      {asked && <BehindDrawer asked={asked} close={() => setAsked(undefined)} />}
    </>
  );
}

/** 数据统计. */
export const screen = { contract: contentTraffic, component: ContentStatScreen };

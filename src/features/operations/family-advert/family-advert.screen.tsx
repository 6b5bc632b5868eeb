import { Empty, Skeleton, Table } from 'antd';
import { useQuery } from '@tanstack/react-query';
import { inputsWhen } from '../../../domain/content/inputs-when.tsx';
import { call } from '../../../kernel/client/api-client.ts';
import { thousands } from '../../../kernel/client/format.rules.ts';
import { useText } from '../../../kernel/client/language.ts';
import { ErrorPanel } from '../../../kernel/client/parts/error-panel.tsx';
import { StatusTag } from '../../../kernel/client/parts/status-tag.tsx';
import { ChartPanel } from '../../../kernel/client/report/chart-panel.tsx';
import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import type { ScreenSlots } from '../../../kernel/client/slots.ts';
import { keysOf, rootOf, type RowData } from '../../../kernel/client/wire.ts';
import type { FileValue } from '../../../kernel/contract/fields.ts';
import { PhoneFrame } from '../../../kernel/client/parts/phone-frame.tsx';
import { familyAdvert, type AdvertDay } from './family-advert.contract.ts';

const figure = (zh: string, en: string) => ({
  label: [zh, en] as const,
  kind: 'integer' as const,
  formula: [zh, en] as const,
});
const FIGURES = { exposures: figure('曝光', 'Exposures'), clicks: figure('点击', 'Clicks') };

/** Exposures and clicks day by day. */
function Days({ row }: { readonly row: RowData }) {
  const text = useText();
  const days = useQuery({
    queryKey: [...keysOf.row(familyAdvert.name, row.id), 'days'],
    queryFn: ({ signal }) => call<AdvertDay[]>('GET', `${rootOf(familyAdvert)}/${row.id}/days`, { signal }),
  });
  if (days.isError) return <ErrorPanel error={days.error} onRetry={() => void days.refetch()} />;
  if (!days.data) return <Skeleton active paragraph={{ rows: 6 }} />;
  if (days.data.length === 0) return <Empty description={text(['还没有曝光', 'Not shown yet'])} />;
  return (
    <>
      <ChartPanel
        whole
        report={{ title: ['每日数据', 'By day'], fields: {}, figures: FIGURES }}
        spec={{ key: 'days', title: ['每日数据', 'By day'], kind: 'line', measures: ['exposures', 'clicks'] }}
        points={[...days.data].reverse().map(({ day, exposures, clicks }) => ({
          key: day,
          label: day.slice(5),
          values: { exposures, clicks },
        }))}
      />
      <Table
        size="small"
        rowKey="day"
        pagination={{ pageSize: 10, hideOnSinglePage: true }}
        dataSource={days.data}
        columns={[
          { title: text(['日期', 'Day']), dataIndex: 'day' },
          ...(
            [
              ['exposures', '曝光', 'Exposures'],
              ['viewers', '曝光人数', 'Viewers'],
              ['clicks', '点击', 'Clicks'],
              ['clickers', '点击人数', 'Clickers'],
            ] as const
          ).map(([key, zh, en]) => ({
            title: text([zh, en]),
            dataIndex: key,
            align: 'right' as const,
            render: (value: number) => thousands(value),
          })),
        ]}
      />
    </>
  );
}

/** How the advert stands above the posts. */
function Preview({ row }: { readonly row: RowData }) {
  const text = useText();
  const file = row.image as FileValue | null;
  return (
    <PhoneFrame title={text(['家人圈', 'Family circle'])}>
      {file && (
        <img
          src={file.url}
          alt={String(row.title)}
          style={{ inlineSize: '100%', aspectRatio: '750 / 320', objectFit: 'cover', borderRadius: 8 }}
        />
      )}
      <p>{String(row.title)}</p>
    </PhoneFrame>
  );
}

const GONE = { label: ['对象已失效', 'Target is gone'] as const, tone: 'error' as const };

/** The object of the class that was chosen. */
const inside = (kind: string) => (values: Readonly<Record<string, unknown>>) =>
  values.jump === 'inner' && values.innerClass === kind;

const slots: ScreenSlots = {
  inputs: inputsWhen(familyAdvert.fields, {
    innerClass: (values) => values.jump === 'inner',
    familyPost: inside('family'),
    chamberPost: inside('chamber'),
    activity: inside('activity'),
    topic: inside('topic'),
    groupPost: inside('group_post'),
    url: (values) => values.jump === 'url',
  }),
  cells: {
    target: (row) => (
      <span>
        {row.dead === true && <StatusTag choice={GONE} />} {String(row.target ?? '–')}
      </span>
    ),
  },
  detailParts: [
    { key: 'days', label: ['每日数据', 'By day'], render: (row) => <Days row={row} /> },
    { key: 'preview', label: ['手机预览', 'Preview'], render: (row) => <Preview row={row} /> },
  ],
};

function FamilyAdvertScreen() {
  return <ScreenOf contract={familyAdvert} slots={slots} />;
}

/** 家人圈广告位. */
export const screen = { contract: familyAdvert, component: FamilyAdvertScreen };

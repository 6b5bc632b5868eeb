import { useState } from 'react';
import { Skeleton, Table } from 'antd';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { call } from '../../../kernel/client/api-client.ts';
import { instantFull } from '../../../kernel/client/format.rules.ts';
import { useText } from '../../../kernel/client/language.ts';
import { AppDrawer } from '../../../kernel/client/parts/app-drawer.tsx';
import { ErrorPanel } from '../../../kernel/client/parts/error-panel.tsx';
import { StatusTag } from '../../../kernel/client/parts/status-tag.tsx';
import { keysOf, rootOf, type RowData } from '../../../kernel/client/wire.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { LEVEL_CHOICES, sensitiveWord } from './sensitive-word.contract.ts';

interface Hit {
  readonly id: string;
  readonly word: string;
  readonly targetType: string;
  readonly targetId: string | null;
  readonly member: string;
  readonly project: string | null;
  readonly action: keyof typeof LEVEL_CHOICES;
  readonly at: string;
}

const TARGETS: Readonly<Record<string, Label>> = { post: ['帖子', 'Post'], comment: ['评论', 'Comment'] };
const LIMIT = 20;

/** Where words were found: of one word in 30 days, as its figure counts them, or of all in 90. */
export function HitsDrawer({ word, onClose }: { readonly word?: RowData; readonly onClose: () => void }) {
  const text = useText();
  return (
    <AppDrawer
      open
      size={860}
      onClose={onClose}
      title={text(
        word
          ? [`「${String(word.word)}」近30天命中`, `Hits of "${String(word.word)}" in 30 days`]
          : ['命中记录（90天）', 'Hits of 90 days'],
      )}
    >
      <HitsTable {...(word ? { word: word.id } : {})} days={word ? 30 : 90} />
    </AppDrawer>
  );
}

/** Hits, newest first, of one word or of all. */
export function HitsTable({ word, days }: { readonly word?: string; readonly days: number }) {
  const text = useText();
  const [page, setPage] = useState(1);
  const query = { ...(word ? { word } : {}), days: String(days), page: String(page), limit: String(LIMIT) };
  const { data, isPending, isError, error, isPlaceholderData, refetch } = useQuery({
    queryKey: [...keysOf.all(sensitiveWord.name), 'hits', query],
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) =>
      call<{ total: number; rows: readonly Hit[] }>('GET', `${rootOf(sensitiveWord)}/hits`, {
        query,
        signal,
        quiet: true,
      }),
  });
  if (isPending) return <Skeleton active />;
  if (isError) return <ErrorPanel error={error} onRetry={() => void refetch()} />;
  return (
    <Table
      className="k-table k-compact"
      size="small"
      rowKey="id"
      loading={isPlaceholderData}
      dataSource={data.rows as Hit[]}
      scroll={{ x: 'max-content' }}
      pagination={{
        current: page,
        pageSize: LIMIT,
        total: data.total,
        onChange: setPage,
        size: 'small',
        showSizeChanger: false,
        hideOnSinglePage: true,
      }}
      locale={{ emptyText: text([`${days}天内没有命中`, `No hit within ${days} days`]) }}
      columns={[
        {
          title: text(['时间', 'At']),
          dataIndex: 'at',
          width: 170,
          render: (value: string) => instantFull(value),
        },
        ...(word ? [] : [{ title: text(['敏感词', 'Word']), dataIndex: 'word', width: 140 }]),
        {
          title: text(['内容', 'Text']),
          dataIndex: 'targetType',
          width: 130,
          render: (value: string, hit: Hit) =>
            `${text(TARGETS[value] ?? [value, value])} ${hit.targetId ? `#${hit.targetId}` : text(['（未发布）', '(refused)'])}`,
        },
        { title: text(['会员', 'Member']), dataIndex: 'member', width: 100 },
        {
          title: text(['小区', 'Project']),
          dataIndex: 'project',
          width: 140,
          render: (value: string | null) => value ?? '–',
        },
        {
          title: text(['处理', 'Action']),
          dataIndex: 'action',
          width: 110,
          render: (value: Hit['action']) => <StatusTag choice={LEVEL_CHOICES[value]} />,
        },
      ]}
    />
  );
}

import './client.css';
import { useState } from 'react';
import { Segmented, Skeleton } from 'antd';
import { useQuery } from '@tanstack/react-query';
import { call } from '../../../kernel/client/api-client.ts';
import { FieldInput } from '../../../kernel/client/form/field-input.tsx';
import { instantShort } from '../../../kernel/client/format.rules.ts';
import { useText } from '../../../kernel/client/language.ts';
import { ErrorPanel } from '../../../kernel/client/parts/error-panel.tsx';
import type { SlotInputProps } from '../../../kernel/client/slots.ts';
import { useView } from '../../../kernel/client/view.ts';
import { keysOf } from '../../../kernel/client/wire.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { commercialClient, type ClientEvent, type ClientToday } from './client.contract.ts';

const BLOCKS: Readonly<Record<ClientToday['blocks'][number]['key'], Label>> = {
  due: ['待联系', 'To be called'],
  unread: ['未读分配', 'Assigned, not opened'],
  ending: ['合同即将到期', 'Contracts that end soon'],
  owed: ['逾期应收', 'Overdue'],
};

/** 今日: who to call, what is new, which contracts end, what is owed; each row opens its client. */
export function TodayBlocks() {
  const text = useText();
  const view = useView();
  const { data, isError, error, refetch } = useQuery({
    queryKey: [...keysOf.all(commercialClient.name), 'today'],
    staleTime: 0,
    queryFn: ({ signal }) =>
      call<ClientToday>('GET', '/api/jinmao/web/client/today', { signal, quiet: true }),
  });
  if (isError && !data) return <ErrorPanel error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton active paragraph={{ rows: 2 }} />;
  return (
    <div className="cl-blocks">
      {data.blocks.map((block) => (
        <section key={block.key} aria-label={text(BLOCKS[block.key])}>
          <h2>
            {text(BLOCKS[block.key])} <span className="k-quiet">{block.count}</span>
            {block.sum !== undefined && block.count > 0 && <span className="cl-late"> ¥{block.sum}</span>}
          </h2>
          <ul>
            {block.rows.map((row) => (
              <li key={row.client}>
                <button
                  type="button"
                  className="k-link"
                  onClick={() => view.open(`/yueshang/details?id=${row.client}`)}
                >
                  {row.title}
                </button>
                <span className="k-quiet k-small k-number">{row.note}</span>
              </li>
            ))}
          </ul>
          {block.count === 0 && <p className="k-quiet k-small">{text(['无', 'None'])}</p>}
        </section>
      ))}
    </div>
  );
}

const KINDS: readonly { readonly key: string; readonly label: Label }[] = [
  { key: 'all', label: ['全部', 'All'] },
  { key: 'follow', label: ['跟进', 'Follow-ups'] },
  { key: 'owner', label: ['归属', 'Owners'] },
  { key: 'contract', label: ['合同', 'Contracts'] },
  { key: 'comment', label: ['评论', 'Comments'] },
  { key: 'change', label: ['变更', 'Changes'] },
];

/** 时间线: all that happened with a client in one stream, by kind. */
export function ClientStream({ id }: { readonly id: string }) {
  const text = useText();
  const [kind, setKind] = useState('all');
  const { data, isError, error, refetch } = useQuery({
    queryKey: [...keysOf.all(commercialClient.name), 'stream', id],
    queryFn: ({ signal }) =>
      call<{ readonly rows: readonly ClientEvent[] }>('GET', '/api/jinmao/web/client/stream', {
        query: { client: id },
        signal,
        quiet: true,
      }),
  });
  if (isError && !data) return <ErrorPanel error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton active />;
  const rows = data.rows.filter((row) => kind === 'all' || row.kind === kind);
  return (
    <>
      <Segmented
        size="small"
        value={kind}
        onChange={setKind}
        options={KINDS.map(({ key, label }) => ({ value: key, label: text(label) }))}
      />
      <ul className="cl-stream">
        {rows.map((row, index) => (
          <li key={`${row.kind}.${row.at}.${index}`}>
            <span className="k-quiet k-small k-number">{instantShort(row.at)}</span>{' '}
            <strong>{text(row.title)}</strong> {row.text} <span className="k-quiet k-small">{row.by}</span>
          </li>
        ))}
      </ul>
      {rows.length === 0 && <p className="k-quiet">{text(['没有记录', 'Nothing yet'])}</p>}
    </>
  );
}

/** An input that asks, when it is left, whether such a client is known. */
export function KnownInput({
  name,
  id,
  value,
  onChange,
  rows,
  disabled,
}: SlotInputProps & { readonly name: 'name' | 'licenceNo' | 'contactPhone' }) {
  const text = useText();
  const [left, setLeft] = useState('');
  const own = rows[0]?.id;
  const { data } = useQuery({
    queryKey: [...keysOf.all(commercialClient.name), 'known', name, left, own],
    enabled: left !== '' && left === String(value ?? '').trim(),
    queryFn: ({ signal }) =>
      call<{ readonly problem: Label | null }>('GET', '/api/jinmao/web/client/known', {
        query: { [name]: left, ...(own ? { id: String(own) } : {}) },
        signal,
        quiet: true,
      }),
  });
  const problem = left === String(value ?? '').trim() ? data?.problem : undefined;
  return (
    <div onBlur={() => setLeft(String(value ?? '').trim())}>
      <FieldInput
        {...(id ? { id } : {})}
        field={commercialClient.fields[name]}
        value={value}
        onChange={(next) => onChange?.(next)}
        disabled={disabled}
      />
      {problem && (
        <span className="cl-known k-small" role="status">
          {text(problem)}
        </span>
      )}
    </div>
  );
}

import { useState, type ReactNode } from 'react';
import { Table, type TableColumnType } from 'antd';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { call } from '../../../kernel/client/api-client.ts';
import { instantFull, instantShort, moneyText } from '../../../kernel/client/format.rules.ts';
import { useText } from '../../../kernel/client/language.ts';
import { ErrorPanel } from '../../../kernel/client/parts/error-panel.tsx';
import { MoneyText } from '../../../kernel/client/parts/money-text.tsx';
import { StatusTag } from '../../../kernel/client/parts/status-tag.tsx';
import { plainText } from '../../../kernel/client/value-text.rules.ts';
import { useView } from '../../../kernel/client/view.ts';
import { keysOf, rootOf, type RowData } from '../../../kernel/client/wire.ts';
import type { FileValue } from '../../../kernel/contract/fields.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { ORDER_STATES } from '../../../domain/trade-money/states.rules.ts';
import { recommendedProduct } from '../recommended-product/recommended-product.contract.ts';
import { product, reviewKinds, reviewStates } from './product.contract.ts';
import { DIFFERENCE_LABELS, type Difference } from './proposal.rules.ts';
import type { SpecWire } from './spec.rules.ts';

const PAGE = 20;

interface PartProps {
  readonly row: RowData;
}

interface SpecRow extends SpecWire {
  readonly id: string;
  readonly code: string;
  readonly stockNow: number;
  readonly reserved: number;
  readonly sold: number;
}

/** Specs with price and what is sold, held and left. */
export function SpecsPart({ row }: PartProps) {
  const text = useText();
  const column = (
    name: keyof SpecRow,
    label: Label,
    render?: (spec: SpecRow) => ReactNode,
  ): TableColumnType<SpecRow> => ({
    key: name,
    title: text(label),
    dataIndex: name,
    ...(render
      ? { align: 'right' as const, className: 'k-number', render: (_: unknown, spec) => render(spec) }
      : {}),
  });
  return (
    <Table<SpecRow>
      size="small"
      rowKey="id"
      pagination={false}
      scroll={{ x: 640 }}
      dataSource={(row.specs as SpecRow[] | undefined) ?? []}
      columns={[
        {
          key: 'name',
          title: text(['规格', 'Spec']),
          render: (_, spec) => (
            <span className="spec-name">
              {spec.imageId && (
                <img src={`/api/file/${spec.imageId}`} alt="" width={32} height={32} loading="lazy" />
              )}
              {spec.name}
            </span>
          ),
        },
        column('price', ['价格', 'Price'], (spec) => <MoneyText value={spec.price} />),
        column('marketPrice', ['市场价', 'Market price'], (spec) => <MoneyText value={spec.marketPrice} />),
        column('stockNow', ['可售', 'Stock'], (spec) => (
          <span
            className={spec.stockNow <= spec.stockAlert ? 'k-problem' : ''}
          >{`${spec.stockNow} ${spec.unit}`}</span>
        )),
        column('reserved', ['占用', 'Held'], (spec) => spec.reserved),
        column('sold', ['销量', 'Sold'], (spec) => spec.sold),
        column('stockAlert', ['预警', 'Alert at'], (spec) => spec.stockAlert),
        column('barcode', ['条码', 'Barcode']),
      ]}
    />
  );
}

/** Places a product is not delivered to: its own and its merchant's. */
export interface AreaPart {
  readonly own: readonly { readonly id: string; readonly title: string }[];
  readonly merchant: readonly { readonly id: string; readonly title: string }[];
}

/** 不配送区域, the product's own before those of its merchant. */
export function AreasPart({ row }: PartProps) {
  const text = useText();
  const areas = row.noDelivery as AreaPart | undefined;
  const lists = [
    [['本商品', 'This product'], areas?.own ?? []],
    [['商户统一', 'The merchant'], areas?.merchant ?? []],
  ] as const;
  if (lists.every(([, places]) => places.length === 0))
    return <p className="k-quiet">{text(['全部地区可配送', 'Delivered everywhere'])}</p>;
  return (
    <dl className="k-facts">
      {lists.map(([label, places]) => (
        <div key={label[1]} className="k-fact k-fact-wide">
          <dt>{text(label)}</dt>
          <dd>{places.map((place) => place.title).join(text(['、', ', '])) || '–'}</dd>
        </div>
      ))}
    </dl>
  );
}

interface Movement {
  readonly id: string;
  readonly spec: string;
  readonly opText: string;
  readonly qty: number;
  readonly before: number;
  readonly after: number;
  readonly source: string;
  readonly reason: string;
  readonly at: string;
  readonly who: string | null;
}

/** Stock movements, newest first. */
export function MovementsPart({ row }: PartProps) {
  const text = useText();
  const [page, setPage] = useState(1);
  const { data, isPending, isError, error, refetch } = useQuery({
    queryKey: [...keysOf.row(product.name, row.id), 'movements', page],
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) =>
      call<{ total: number; rows: Movement[] }>('GET', `${rootOf(product)}/${row.id}/movements`, {
        query: { page, limit: PAGE },
        signal,
      }),
  });
  if (isError) return <ErrorPanel error={error} onRetry={() => void refetch()} />;
  return (
    <Table<Movement>
      size="small"
      rowKey="id"
      loading={isPending}
      scroll={{ x: 720 }}
      dataSource={data?.rows ?? []}
      pagination={{
        current: page,
        pageSize: PAGE,
        total: data?.total ?? 0,
        hideOnSinglePage: true,
        showSizeChanger: false,
        onChange: setPage,
      }}
      columns={[
        {
          key: 'at',
          title: text(['时间', 'At']),
          render: (_, one) => <time title={instantFull(one.at)}>{instantShort(one.at)}</time>,
        },
        { key: 'spec', title: text(['规格', 'Spec']), dataIndex: 'spec' },
        { key: 'op', title: text(['类型', 'Kind']), dataIndex: 'opText' },
        {
          key: 'qty',
          title: text(['数量', 'Qty']),
          align: 'right',
          className: 'k-number',
          render: (_, one) => (one.qty > 0 ? `+${one.qty}` : one.qty),
        },
        {
          key: 'stock',
          title: text(['可售变化', 'Stock']),
          align: 'right',
          className: 'k-number',
          render: (_, one) => `${one.before} → ${one.after}`,
        },
        {
          key: 'source',
          title: text(['来源', 'Source']),
          render: (_, one) => one.source || one.reason || '–',
        },
        {
          key: 'who',
          title: text(['操作人', 'By']),
          render: (_, one) => one.who ?? text(['系统', 'System']),
        },
      ]}
    />
  );
}

/** A review of the history. */
export interface Review {
  readonly id: string;
  readonly kind: keyof typeof reviewKinds;
  readonly state: keyof typeof reviewStates;
  readonly difference: readonly Difference[];
  readonly appliedAt: string;
  readonly reviewedAt: string | null;
  readonly applicant: string | null;
  readonly reviewer: string | null;
  readonly reason: string;
}

/** Reviews of a product with what each of them changes. */
export function ReviewsPart({ row }: PartProps) {
  return <ReviewHistory reviews={(row.reviews as readonly Review[] | undefined) ?? []} />;
}

/** Reviews, newest first, each with its lines. */
export function ReviewHistory({ reviews }: { readonly reviews: readonly Review[] }) {
  const text = useText();
  if (reviews.length === 0) return <div className="k-state">{text(['暂无审核记录', 'No reviews yet'])}</div>;
  return (
    <>
      {reviews.map((review) => (
        <section key={review.id} className="review-card">
          <div className="review-head">
            <strong>{text(reviewKinds[review.kind].label)}</strong>
            <StatusTag choice={reviewStates[review.state]} />
            <span className="k-quiet">
              {review.applicant ?? '–'}{' '}
              <time title={instantFull(review.appliedAt)}>{instantShort(review.appliedAt)}</time>
              {review.reviewedAt && (
                <>
                  {' → '}
                  {review.reviewer ?? '–'}{' '}
                  <time title={instantFull(review.reviewedAt)}>{instantShort(review.reviewedAt)}</time>
                </>
              )}
            </span>
          </div>
          {review.reason && <p className="k-remark">{review.reason}</p>}
          <DifferenceLines lines={review.difference} />
        </section>
      ))}
    </>
  );
}

/** What a review changes, line by line: before, after, and the percent of a price. */
export function DifferenceLines({ lines }: { readonly lines: readonly Difference[] }) {
  const text = useText();
  return (
    <>
      {lines.map((line, index) => (
        <div key={index} className="review-line">
          <span className="k-quiet">
            {text(DIFFERENCE_LABELS[line.field] ?? [line.field, line.field])}
            {line.spec && ` · ${line.spec}`}
          </span>
          <span>
            <del>{shown(line.field, line.before)}</del> → <ins>{shown(line.field, line.after)}</ins>
            {line.percent && <span className="k-quiet"> ({line.percent} %)</span>}
          </span>
        </div>
      ))}
    </>
  );
}

const MONEY = new Set(['price', 'marketPrice', 'specAdded', 'specRemoved']);

/** A value of a review's line in words or pictures. */
export function shown(field: string, value: unknown): ReactNode {
  if (value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0))
    return '–';
  if (field === 'images' || field === 'featured' || field === 'specImage')
    return (
      <span className="review-images">
        {(value as readonly FileValue[]).map((file) => (
          <img key={file.id} src={file.url} alt={file.name} width={48} height={48} loading="lazy" />
        ))}
      </span>
    );
  if (MONEY.has(field)) return moneyText(String(value));
  if (field === 'detailHtml') return plainText(String(value)).slice(0, 300);
  return Array.isArray(value) ? value.join('、') : String(value);
}

interface Recommendation {
  readonly id: string;
  readonly project: string;
  readonly startsAt: string;
  readonly endsAt: string;
  readonly state: string;
  readonly clicks: number;
}

/** Projects whose mall recommends the product, and until when. */
export function RecommendationsPart({ row }: PartProps) {
  const text = useText();
  const rows = (row.recommendations as readonly Recommendation[] | undefined) ?? [];
  return (
    <Table<Recommendation>
      size="small"
      rowKey="id"
      pagination={false}
      scroll={{ x: 560 }}
      dataSource={rows as Recommendation[]}
      locale={{ emptyText: text(['未被推荐', 'Not recommended anywhere']) }}
      columns={[
        { key: 'project', title: text(['项目', 'Project']), dataIndex: 'project' },
        {
          key: 'state',
          title: text(['状态', 'State']),
          render: (_, one) => {
            const state = recommendedProduct.states?.[one.state];
            return state ? <StatusTag choice={state} /> : one.state;
          },
        },
        {
          key: 'period',
          title: text(['时段', 'Period']),
          render: (_, one) => `${instantShort(one.startsAt)} – ${instantShort(one.endsAt)}`,
        },
        {
          key: 'clicks',
          title: text(['点击', 'Clicks']),
          align: 'right',
          className: 'k-number',
          dataIndex: 'clicks',
        },
      ]}
    />
  );
}

interface OrderRow {
  readonly id: string;
  readonly orderId: string;
  readonly code: string;
  readonly contactName: string;
  readonly spec: string;
  readonly qty: number;
  readonly cash: string;
  readonly refunded: number;
  readonly state: string;
  readonly createdAt: string;
}

/** Order lines of a product, newest first; the number opens the order where the staff may see orders. */
export function OrdersPart({ row }: PartProps) {
  const text = useText();
  const view = useView();
  const [page, setPage] = useState(1);
  const { data, isPending, isError, error, refetch } = useQuery({
    queryKey: [...keysOf.row(product.name, row.id), 'orders', page],
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) =>
      call<{ more: boolean; rows: OrderRow[] }>('GET', `${rootOf(product)}/${row.id}/orders`, {
        query: { page, limit: PAGE },
        signal,
      }),
  });
  const orders = view.pathOf('mm_businessOrder_wx');
  if (isError) return <ErrorPanel error={error} onRetry={() => void refetch()} />;
  return (
    <Table<OrderRow>
      size="small"
      rowKey="id"
      loading={isPending}
      scroll={{ x: 720 }}
      dataSource={data?.rows ?? []}
      locale={{ emptyText: text(['暂无订单', 'No orders yet']) }}
      pagination={{
        current: page,
        pageSize: PAGE,
        total: (page - 1) * PAGE + (data?.rows.length ?? 0) + (data?.more ? 1 : 0),
        hideOnSinglePage: true,
        showSizeChanger: false,
        simple: true,
        onChange: setPage,
      }}
      columns={[
        {
          key: 'code',
          title: text(['订单号', 'Order no.']),
          render: (_, one) =>
            orders ? (
              <button
                type="button"
                className="k-link"
                onClick={() => view.open(`${orders}?searchVal=${encodeURIComponent(one.code)}`)}
              >
                {one.code}
              </button>
            ) : (
              one.code
            ),
        },
        {
          key: 'at',
          title: text(['下单时间', 'Ordered']),
          render: (_, one) => <time title={instantFull(one.createdAt)}>{instantShort(one.createdAt)}</time>,
        },
        { key: 'customer', title: text(['客户', 'Customer']), dataIndex: 'contactName' },
        { key: 'spec', title: text(['规格', 'Spec']), dataIndex: 'spec' },
        {
          key: 'qty',
          title: text(['数量', 'Qty']),
          align: 'right',
          className: 'k-number',
          render: (_, one) => (one.refunded > 0 ? `${one.qty} (−${one.refunded})` : one.qty),
        },
        {
          key: 'cash',
          title: text(['实付', 'Paid']),
          align: 'right',
          render: (_, one) => <MoneyText value={one.cash} />,
        },
        {
          key: 'state',
          title: text(['状态', 'Status']),
          render: (_, one) => <OrderState name={one.state} />,
        },
      ]}
    />
  );
}

function OrderState({ name }: { readonly name: string }) {
  const state = ORDER_STATES.find((one) => one.name === name);
  return state ? <StatusTag choice={state} /> : <>{name}</>;
}

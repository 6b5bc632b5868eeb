import { type ReactNode } from 'react';
import { Table, Tag } from 'antd';
import { useText } from '../../../kernel/client/language.ts';
import { MoneyText } from '../../../kernel/client/parts/money-text.tsx';
import { SafeHtml } from '../../../kernel/client/parts/safe-html.tsx';
import type { RowData } from '../../../kernel/client/wire.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { DifferenceLines, ReviewHistory, shown, type Review } from '../product/product-parts.tsx';
import { DIFFERENCE_LABELS, type Difference } from '../product/proposal.rules.ts';
import {
  COMPARED_FIELDS,
  differs,
  type ComparedContent,
  type ComparedSpec,
  type ReviewComparison,
} from './comparison.rules.ts';
import '../product/product.css';
import './product-review.css';

interface PartProps {
  readonly row: RowData;
}

/** What a change is about, line by line, above everything else. */
export function ChangedLines({ row }: PartProps) {
  const text = useText();
  const lines = row.difference as readonly Difference[] | undefined;
  if (!lines || lines.length === 0) return null;
  return (
    <section className="review-changes" aria-label={text(['修改内容', 'What changes'])}>
      <DifferenceLines lines={lines} />
    </section>
  );
}

/** The proposal beside what is on sale; parts that differ are marked. */
export function ComparisonPart({ row }: PartProps) {
  const text = useText();
  const comparison = row.comparison as ReviewComparison | undefined;
  if (!comparison) return null;
  const { live, proposed } = comparison;
  return (
    <div className={live ? 'review-compare' : 'review-compare review-single'}>
      {live && (
        <>
          <span />
          <strong>{text(['在售版本', 'On sale'])}</strong>
          <strong>{text(['待审版本', 'Proposed'])}</strong>
        </>
      )}
      {COMPARED_FIELDS.map((field) => {
        const changed = differs(comparison, field);
        return (
          <div key={field} className={changed ? 'review-row review-changed' : 'review-row'}>
            <span className="k-quiet">
              {text(DIFFERENCE_LABELS[field]!)}
              {changed && <Tag color="warning">{text(['已修改', 'Changed'])}</Tag>}
            </span>
            {live && <div>{value(live, field)}</div>}
            <div>{value(proposed, field)}</div>
          </div>
        );
      })}
    </div>
  );
}

function value(content: ComparedContent, field: (typeof COMPARED_FIELDS)[number]): ReactNode {
  if (field === 'detailHtml') return <SafeHtml html={content.detailHtml} />;
  return shown(field, content[field]);
}

const MARKS: Readonly<Record<ComparedSpec['mark'], readonly [label: Label, color: string] | undefined>> = {
  same: undefined,
  changed: [['已修改', 'Changed'], 'warning'],
  added: [['新增', 'Added'], 'success'],
  removed: [['删除', 'Removed'], 'error'],
};

/** Specs of both versions, prices with the percent they change by. */
export function SpecsComparison({ row }: PartProps) {
  const text = useText();
  const specs = (row.comparison as ReviewComparison | undefined)?.specs ?? [];
  const both = (spec: ComparedSpec, read: (one: NonNullable<ComparedSpec['live']>) => ReactNode) => {
    const [before, after] = [spec.live && read(spec.live), spec.proposed && read(spec.proposed)];
    const moved =
      spec.live && spec.proposed && JSON.stringify(plain(before)) !== JSON.stringify(plain(after));
    return moved ? (
      <>
        <del className="k-quiet">{before}</del> → <strong>{after}</strong>
      </>
    ) : (
      (after ?? before)
    );
  };
  return (
    <Table<ComparedSpec>
      size="small"
      pagination={false}
      scroll={{ x: 560 }}
      rowKey={(spec) => spec.proposed?.name ?? spec.live?.name ?? ''}
      dataSource={specs as ComparedSpec[]}
      columns={[
        {
          key: 'name',
          title: text(['规格', 'Spec']),
          render: (_, spec) => {
            const mark = MARKS[spec.mark];
            return (
              <>
                {both(spec, (one) => one.name)} {mark && <Tag color={mark[1]}>{text(mark[0])}</Tag>}
              </>
            );
          },
        },
        {
          key: 'image',
          title: text(['图片', 'Image']),
          render: (_, spec) => (
            <span className="review-images">
              {[...new Set([spec.live?.imageId, spec.proposed?.imageId])].map(
                (id) =>
                  id && <img key={id} src={`/api/file/${id}`} alt="" width={40} height={40} loading="lazy" />,
              )}
            </span>
          ),
        },
        {
          key: 'price',
          title: text(['价格', 'Price']),
          align: 'right',
          className: 'k-number',
          render: (_, spec) => (
            <>
              {spec.percent !== null && spec.live ? (
                <>
                  <del className="k-quiet">
                    <MoneyText value={spec.live.price} />
                  </del>
                  {' → '}
                  <strong>
                    <MoneyText value={spec.proposed!.price} />
                  </strong>{' '}
                  <span className="k-quiet">({spec.percent} %)</span>
                </>
              ) : (
                <MoneyText value={(spec.proposed ?? spec.live)!.price} />
              )}
            </>
          ),
        },
        {
          key: 'marketPrice',
          title: text(['市场价', 'Market price']),
          align: 'right',
          className: 'k-number',
          render: (_, spec) => both(spec, (one) => one.marketPrice ?? '–'),
        },
        { key: 'unit', title: text(['单位', 'Unit']), render: (_, spec) => both(spec, (one) => one.unit) },
        {
          key: 'barcode',
          title: text(['条码', 'Barcode']),
          render: (_, spec) => both(spec, (one) => one.barcode ?? '–'),
        },
      ]}
    />
  );
}

function plain(node: ReactNode): string {
  return typeof node === 'string' || typeof node === 'number' ? String(node) : '';
}

/** Reviews of the same product before this one. */
export function PreviousPart({ row }: PartProps) {
  return <ReviewHistory reviews={(row.previous as readonly Review[] | undefined) ?? []} />;
}

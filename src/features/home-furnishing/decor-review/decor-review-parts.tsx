import { Alert, Table, Tag } from 'antd';
import { useText } from '../../../kernel/client/language.ts';
import { Icon } from '../../../kernel/client/parts/icon.tsx';
import { SafeHtml } from '../../../kernel/client/parts/safe-html.tsx';
import type { RowData } from '../../../kernel/client/wire.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import type { ComparedField, ComparedPrice, ReviewCheck } from './decor-review.contract.ts';
import './decor-review.css';

/** What to look at first: checks, and the notes a refused review left. */
export function Checks({ row }: { readonly row: RowData }) {
  const text = useText();
  const checks = (row.checks ?? []) as readonly ReviewCheck[];
  const notes = (row.notes ?? []) as readonly { field: string; note: string; label?: Label }[];
  return (
    <>
      {checks.length > 0 && (
        <ul className="decor-checks" aria-label={text(['审核要点', 'Checks'])}>
          {checks.map((check) => (
            <li key={check.key} className={check.ok ? '' : 'k-problem'}>
              <Icon name={check.ok ? 'check' : 'close'} /> {text(check.label)}
              <span className="k-hidden">
                {check.ok ? text(['符合', 'fine']) : text(['不符合', 'not fulfilled'])}
              </span>
              {check.note && <span className="k-quiet"> · {check.note}</span>}
            </li>
          ))}
        </ul>
      )}
      {notes.length > 0 && (
        <Alert
          type="warning"
          showIcon
          title={notes.map((one) => `${one.label ? text(one.label) : one.field}：${one.note}`).join('；')}
        />
      )}
    </>
  );
}

/** The proposal beside what is on sale; fields that differ are marked. */
export function Comparison({ row }: { readonly row: RowData }) {
  const text = useText();
  const fields = (row.comparison ?? []) as readonly ComparedField[];
  const both = fields.some((one) => one.live !== null);
  return (
    <div className={both ? 'decor-compare' : 'decor-compare decor-single'}>
      {both && (
        <>
          <span />
          <strong>{text(['在售版本', 'On sale'])}</strong>
          <strong>{text(['待审版本', 'Proposed'])}</strong>
        </>
      )}
      {fields.map((one) => (
        <div key={one.field} className={one.changed ? 'decor-row decor-changed' : 'decor-row'}>
          <span className="k-quiet">
            {text(one.label)} {one.changed && <Tag color="warning">{text(['已修改', 'Changed'])}</Tag>}
          </span>
          {both && <Value field={one.field} value={one.live ? text(one.live) : ''} />}
          <Value field={one.field} value={text(one.proposed)} />
        </div>
      ))}
    </div>
  );
}

function Value({ field, value }: { readonly field: string; readonly value: string }) {
  if (value === '') return <div className="k-quiet">–</div>;
  if (field === 'detailHtml')
    return (
      <div>
        <SafeHtml html={value} />
      </div>
    );
  if (field === 'images')
    return (
      <div className="decor-pictures">
        {value.split(',').map((id) => (
          <img key={id} src={`/api/file/${id}`} alt="" width={72} height={54} loading="lazy" />
        ))}
      </div>
    );
  return <div className="decor-text">{value}</div>;
}

/** Prices of both versions by house type, with how far they move and what is left above the cost. */
export function Prices({ row }: { readonly row: RowData }) {
  const text = useText();
  const prices = (row.prices ?? []) as readonly ComparedPrice[];
  return (
    <Table<ComparedPrice>
      size="small"
      rowKey="title"
      pagination={false}
      scroll={{ x: 560 }}
      dataSource={prices as ComparedPrice[]}
      columns={[
        { key: 'title', title: text(['户型', 'House type']), dataIndex: 'title' },
        {
          key: 'live',
          title: text(['在售价', 'On sale']),
          align: 'right',
          className: 'k-number',
          render: (_, one) => one.live ?? '–',
        },
        {
          key: 'proposed',
          title: text(['待审价', 'Proposed']),
          align: 'right',
          className: 'k-number',
          render: (_, one) => one.proposed ?? <Tag color="error">{text(['停售', 'Not sold'])}</Tag>,
        },
        {
          key: 'percent',
          title: text(['变动', 'Change']),
          align: 'right',
          className: 'k-number',
          render: (_, one) => (one.percent ? `${one.percent} %` : '–'),
        },
        {
          key: 'margin',
          title: text(['毛利率', 'Margin']),
          align: 'right',
          className: 'k-number',
          render: (_, one) => (one.margin ? `${one.margin} %` : '–'),
        },
      ]}
    />
  );
}

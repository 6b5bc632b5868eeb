import { useState } from 'react';
import { Segmented, Tag } from 'antd';
import type { Label } from '../../../kernel/contract/label.ts';
import { instantFull, moneyText } from '../../../kernel/client/format.rules.ts';
import { useText } from '../../../kernel/client/language.ts';
import { NoteButton } from '../../../kernel/client/parts/note-button.tsx';
import { MoneyText } from '../../../kernel/client/parts/money-text.tsx';
import { StatusTag } from '../../../kernel/client/parts/status-tag.tsx';
import { ResourceTable } from '../../../kernel/client/list/resource-table.tsx';
import { useView } from '../../../kernel/client/view.ts';
import type { RowData } from '../../../kernel/client/wire.ts';
import { orderPathOf } from '../order-path.ts';
import { DISPUTE_ANSWERS, DISPUTE_REASONS, statement, statementLine } from './statement.contract.ts';
import type { RowSums } from '../../../domain/statement/bill-paper.tsx';
import type { BillRow } from './statement-calls.ts';
import './statement.css';

const TERMS: readonly (readonly [name: string, sign: '+' | '−' | '='])[] = [
  ['gross', '+'],
  ['refunds', '+'],
  ['commission', '−'],
  ['channelFee', '−'],
  ['adjustments', '+'],
  ['carryIn', '+'],
  ['cover', '+'],
  ['payable', '='],
];

const isNothing = (value: unknown) =>
  value === undefined || value === null || /^-?0?\.?0*$/.test(String(value));

const isBelow = (value: unknown) => String(value).startsWith('-');

/** How the sum comes about, from what was sold to what is paid. */
export function Equation({ row }: { readonly row: RowData }) {
  const text = useText();
  const shown = TERMS.filter(([name]) => ['gross', 'payable'].includes(name) || !isNothing(row[name]));
  return (
    <section className="st-equation" aria-label={text(['结算金额的构成', 'How the sum comes about'])}>
      {shown.map(([name, sign], index) => (
        <div key={name} className={name === 'payable' ? 'st-term st-sum' : 'st-term'}>
          {index > 0 && <i aria-hidden>{sign === '+' && isBelow(row[name]) ? '−' : sign}</i>}
          <span>{text(statement.fields[name as 'gross'].label)}</span>
          <MoneyText
            value={sign === '+' && index > 0 ? String(row[name]).replace(/^-/, '') : (row[name] as string)}
            strong={name === 'payable'}
          />
        </div>
      ))}
      {!isNothing(row.subsidy) && (
        <p className="k-quiet">
          {text(['其中平台补贴', 'Subsidies of the platform in it'])}{' '}
          <MoneyText value={row.subsidy as string} />
        </p>
      )}
      {!isNothing(row.carryOut) && (
        <p className="k-quiet">
          {text(['其中', 'Of it'])} <MoneyText value={row.carryOut as string} />{' '}
          {text(['结转下期', 'is carried over to the next bill'])}
          {row.noPayment === true && ` · ${text(['本期无需付款', 'nothing is paid this time'])}`}
        </p>
      )}
    </section>
  );
}

const VIEWS = {
  completed: ['已完成', 'Completed'],
  all: ['全部', 'All'],
} as const satisfies Readonly<Record<string, Label>>;

/** The rows of a bill: what was sold, or everything with claw-backs and what was carried over, under its sums. */
export function RowsPart({ row }: { readonly row: BillRow }) {
  const text = useText();
  const view = useView();
  const link = (path: string | undefined, title: string) =>
    path === undefined ? (
      title
    ) : (
      <button type="button" className="k-link" onClick={() => view.open(path)}>
        {title}
      </button>
    );
  const [shown, setShown] = useState<keyof typeof VIEWS>('all');
  return (
    <div className="st-rows">
      <div className="st-rows-head">
        <Segmented
          value={shown}
          options={(['completed', 'all'] as const).map((value) => ({
            value,
            label: `${text(VIEWS[value])} ${row.totals?.[value].rows ?? ''}`,
          }))}
          onChange={setShown}
        />
        {row.totals && <Sums sums={row.totals[shown]} />}
      </div>
      <ResourceTable
        key={shown}
        resource={statementLine}
        filters={{ statement: row.id, ...(shown === 'completed' ? { rowKind: 'sale,freight' } : {}) }}
        columns={statementLine.list.columns.filter(
          (name) =>
            !statementLine.list.hidden!.includes(name) && !(shown === 'completed' && name === 'first'),
        )}
        limit={20}
        search={false}
        slots={{
          cells: {
            net: (line) => <Net line={line} />,
            orderCode: (line) =>
              line.orderCode ? link(orderPathOf(view, line), String(line.orderCode)) : '–',
            first: (line) => {
              const first = line.first as { id: string; title: string } | null;
              return first ? link(`${view.pathOf(statement.menu)}/${first.id}`, first.title) : '–';
            },
          },
        }}
      />
    </div>
  );
}

/** What a row gives; its working with its own numbers stands behind the icon. */
function Net({ line }: { readonly line: RowData }) {
  const amount = (name: string) => moneyText(line[name] as string);
  const rate = line.commissionRate as string | null;
  return (
    <span className="st-net">
      <MoneyText value={line.net as string} strong />
      <NoteButton
        note={
          rate === null
            ? ['由上期账单结转，金额不再计算', 'Carried over from an earlier bill as it was']
            : [
                `应结 ${amount('net')} = 金额 ${amount('cash')} + 平台补贴 ${amount('subsidy')} − 佣金 ${amount('commission')}（${rate} %）− 通道费 ${amount('channelFee')}`,
                `Net ${amount('net')} = cash ${amount('cash')} + subsidy ${amount('subsidy')} − commission ${amount('commission')} (${rate} %) − channel fee ${amount('channelFee')}`,
              ]
        }
      />
    </span>
  );
}

function Sums({ sums }: { readonly sums: RowSums }) {
  const text = useText();
  const amounts: readonly (readonly [Label, string])[] = [
    [['金额', 'Cash'], sums.cash],
    [['平台补贴', 'Subsidy'], sums.subsidy],
    [['佣金', 'Commission'], sums.commission],
    [['通道费', 'Channel fee'], sums.channelFee],
  ];
  return (
    <div className="st-totals">
      <strong>{text([`合计 ${sums.rows} 行`, `${sums.rows} rows`])}</strong>
      <span>{text([`数量 ${sums.qty}`, `Quantity ${sums.qty}`])}</span>
      {amounts.map(([label, value]) => (
        <span key={label[1]}>
          {text(label)} <MoneyText value={value} />
        </span>
      ))}
      <span>
        {text(['应结', 'Net'])} <MoneyText value={sums.net} strong />
      </span>
    </div>
  );
}

/** What the merchant did not agree with, and the answers. */
export function DisputesPart({ row }: { readonly row: BillRow }) {
  const text = useText();
  const disputes = row.disputes ?? [];
  if (disputes.length === 0) return <p className="k-quiet">{text(['没有异议', 'No disputes'])}</p>;
  return (
    <ul className="st-disputes">
      {disputes.map((one) => (
        <li key={one.id}>
          <header>
            <strong>{text([`第 ${one.rowNo} 行`, `Row ${one.rowNo}`])}</strong>
            <span>{one.title}</span>
            <Tag>{text(DISPUTE_REASONS[one.reasonType].label)}</Tag>
            <span className="k-quiet">{text([`第 ${one.round} 轮`, `Round ${one.round}`])}</span>
            {one.withdrawn ? (
              <Tag>{text(['已撤回', 'Withdrawn'])}</Tag>
            ) : one.answer ? (
              <StatusTag choice={DISPUTE_ANSWERS[one.answer]} />
            ) : (
              <Tag color="orange">{text(['待答复', 'Not answered yet'])}</Tag>
            )}
          </header>
          <p>{one.text}</p>
          <p className="k-quiet">
            {text(['账单应结', 'On the bill'])} <MoneyText value={one.net} />
            {one.claimed !== null && (
              <>
                {' · '}
                {text(['主张', 'Claimed'])} <MoneyText value={one.claimed} />
              </>
            )}
            {' · '}
            {one.who} {instantFull(one.at)}
          </p>
          {one.evidence.length > 0 && (
            <p>
              {one.evidence.map((file) => (
                <a key={file.id} className="k-file" href={file.url} target="_blank" rel="noreferrer">
                  {file.name}
                </a>
              ))}
            </p>
          )}
          {one.answer && (
            <blockquote>
              {one.answerText || text(DISPUTE_ANSWERS[one.answer].label)}
              {one.answeredAt && <span className="k-quiet"> {instantFull(one.answeredAt)}</span>}
            </blockquote>
          )}
        </li>
      ))}
    </ul>
  );
}

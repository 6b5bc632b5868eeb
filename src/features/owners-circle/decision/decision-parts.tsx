import { useState } from 'react';
import { Skeleton } from 'antd';
import { useQuery } from '@tanstack/react-query';
import { createPortal } from 'react-dom';
import { NarrowedInput } from '../../../domain/content/narrowed-input.tsx';
import { BALLOT_CHOICES } from '../../../domain/decision/decision.rules.ts';
import { call } from '../../../kernel/client/api-client.ts';
import { instantFull } from '../../../kernel/client/format.rules.ts';
import { useText } from '../../../kernel/client/language.ts';
import { ResourceTable } from '../../../kernel/client/list/resource-table.tsx';
import { ChartPanel } from '../../../kernel/client/report/chart-panel.tsx';
import { AppModal } from '../../../kernel/client/parts/app-modal.tsx';
import type { ActionScreenProps, SlotInputProps } from '../../../kernel/client/slots.ts';
import { keysOf, rootOf, type RowData } from '../../../kernel/client/wire.ts';
import type { RefValue } from '../../../kernel/contract/fields.ts';
import type { Resource } from '../../../kernel/contract/resource.ts';
import { decision, decisionHouse, type DecisionStanding } from './decision.contract.ts';
import './decision.css';

const standingOf = (row: RowData) => row.standing as DecisionStanding | undefined;

/** Turnout and agreement against the rules, by houses and by area. */
export function Bars({ row }: { readonly row: RowData }) {
  const text = useText();
  const standing = standingOf(row);
  if (!standing) return null;
  return (
    <div className="dc-board">
      {standing.bars.flatMap((bar) =>
        (['houses', 'area'] as const).map((by) => {
          const need = by === 'houses' ? bar.needHouses : bar.needArea;
          const line = by === 'houses' ? bar.lineHouses : bar.lineArea;
          return (
            <div key={`${bar.key}-${by}`} className={bar.met ? 'dc-bar dc-met' : 'dc-bar'}>
              <span>
                {text(bar.key === 'quorum' ? ['参与', 'Turnout'] : ['同意', 'Agreement'])}
                {text(by === 'houses' ? ['（户数）', ' (houses)'] : ['（面积）', ' (area)'])}
              </span>
              <div className="dc-track">
                <div className="dc-fill" style={{ width: `${Math.min(100, Number(bar[by]))}%` }} />
                <div className="dc-line" style={{ left: `calc(${line}% - 1px)` }} />
              </div>
              <span>
                {bar[by]}% · {text(['需', 'needs '])}
                {text(need)}
              </span>
            </div>
          );
        }),
      )}
    </div>
  );
}

const TURNOUT = ['累计已投户数', 'Houses voted'] as const;
const VOTED = { voted: { label: TURNOUT, kind: 'integer' as const, formula: TURNOUT } };

/** Turnout by day and of each building; who has not voted opens. */
export function Buildings({ row }: { readonly row: RowData }) {
  const text = useText();
  const standing = standingOf(row);
  const [open, setOpen] = useState<string>();
  return (
    <>
      {standing && standing.days.length > 0 && (
        <ChartPanel
          whole
          report={{ title: TURNOUT, fields: {}, figures: VOTED }}
          spec={{ key: 'days', title: TURNOUT, kind: 'line', measures: ['voted'] }}
          points={standing.days.map(({ day, voted }) => ({
            key: day,
            label: day.slice(5),
            values: { voted },
          }))}
        />
      )}
      <table className="dc-table">
        <thead>
          <tr>
            <th>{text(['楼栋', 'Building'])}</th>
            <th>{text(['房屋', 'Houses'])}</th>
            <th>{text(['已投', 'Voted'])}</th>
            <th>{text(['未投', 'Not voted'])}</th>
            <th>{text(['参与率', 'Turnout'])}</th>
          </tr>
        </thead>
        <tbody>
          {standing?.buildings.map((one) => (
            <tr key={one.name}>
              <td>{one.name}</td>
              <td>{one.houses}</td>
              <td>{one.voted}</td>
              <td>
                {one.voted < one.houses ? (
                  <button type="button" className="k-link" onClick={() => setOpen(one.name)}>
                    {one.houses - one.voted}
                  </button>
                ) : (
                  0
                )}
              </td>
              <td>{((one.voted / one.houses) * 100).toFixed(2)}%</td>
            </tr>
          ))}
        </tbody>
      </table>
      {open !== undefined && (
        <AppModal
          open
          width={860}
          footer={null}
          title={text([`${open}：未投票的房屋`, `${open}: houses that have not voted`])}
          onCancel={() => setOpen(undefined)}
        >
          <ResourceTable
            resource={decisionHouse as unknown as Resource}
            filters={{ decision: row.id, building: open, voted: 'open' }}
            columns={['house', 'area', 'owners']}
            limit={20}
            search={false}
          />
        </AppModal>
      )}
    </>
  );
}

/** A house of the roll of the decision the form was opened on. */
export function RollHouse(props: SlotInputProps) {
  return (
    <NarrowedInput {...props} field={decision.actions!.paper.input!.house!} within={props.rows[0]?.id} />
  );
}

interface Sheet {
  readonly decision: RowData;
  readonly houses: readonly {
    readonly name: string;
    readonly area: string;
    readonly choice: keyof typeof BALLOT_CHOICES | null;
    readonly way: string | null;
  }[];
}

/** The result on paper or as a PDF of the browser. */
export function ResultSheet({ row, close }: ActionScreenProps) {
  const text = useText();
  const { data } = useQuery({
    queryKey: [...keysOf.row(decision.name, row!.id), 'sheet'],
    queryFn: () => call<Sheet>('GET', `${rootOf(decision)}/${row!.id}/sheet`),
  });
  return (
    <AppModal
      open
      width={860}
      title={text(['结果表', 'Result sheet'])}
      okText={text(['打印 / 存为 PDF', 'Print / save as PDF'])}
      okButtonProps={{ disabled: !data }}
      onOk={() => window.print()}
      onCancel={close}
    >
      {data ? (
        <div className="dc-preview">
          <Paper data={data} />
        </div>
      ) : (
        <Skeleton active paragraph={{ rows: 8 }} />
      )}
      {data &&
        createPortal(
          <div className="dc-print">
            <Paper data={data} />
          </div>,
          document.body,
        )}
    </AppModal>
  );
}

function Paper({ data }: { readonly data: Sheet }) {
  const text = useText();
  const { decision: row, houses } = data;
  const standing = standingOf(row)!;
  const { fields } = decision;
  const sides = [
    ['all', ['名册', 'Roll']],
    ['participating', ['参与', 'Participating']],
    ['agree', BALLOT_CHOICES.agree.label],
    ['disagree', BALLOT_CHOICES.disagree.label],
    ['abstain', BALLOT_CHOICES.abstain.label],
  ] as const;
  return (
    <article>
      <h2>{String(row.title)}</h2>
      <p>
        {String(row.code)} · {(row.project as RefValue).title} · {instantFull(String(row.startsAt))} –{' '}
        {instantFull(String(row.endsAt))}
      </p>
      <p>
        {text(fields.result.label)}
        {text(['：', ': '])}
        {text(fields.result.choices![String(row.result)]!.label)}{' '}
        {row.why ? text(fields.why.choices![String(row.why)]!.label) : ''}
      </p>
      <table className="dc-table">
        <thead>
          <tr>
            <th />
            <th>{text(['户数', 'Houses'])}</th>
            <th>{text(['面积 m²', 'Area m²'])}</th>
          </tr>
        </thead>
        <tbody>
          {sides.map(([key, label]) => (
            <tr key={key}>
              <th>{text(label)}</th>
              <td>{standing.sides[key].houses}</td>
              <td>{standing.sides[key].area}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p />
      <Bars row={row} />
      {houses.length > 0 && (
        <table className="dc-table">
          <thead>
            <tr>
              <th>{text(['房屋', 'House'])}</th>
              <th>{text(['面积 m²', 'Area m²'])}</th>
              <th>{text(['意见', 'Choice'])}</th>
            </tr>
          </thead>
          <tbody>
            {houses.map((one) => (
              <tr key={one.name}>
                <td>{one.name}</td>
                <td>{one.area}</td>
                <td>{one.choice ? text(BALLOT_CHOICES[one.choice].label) : text(['未投', 'Not voted'])}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </article>
  );
}

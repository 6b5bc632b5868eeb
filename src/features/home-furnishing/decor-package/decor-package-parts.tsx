import { useState } from 'react';
import { Alert, Button, Checkbox, Form, InputNumber, Select, Table, Tag } from 'antd';
import { useQuery } from '@tanstack/react-query';
import { call } from '../../../kernel/client/api-client.ts';
import { useText } from '../../../kernel/client/language.ts';
import { MoneyText } from '../../../kernel/client/parts/money-text.tsx';
import { RemoteSelect } from '../../../kernel/client/parts/remote-select.tsx';
import { rootOf, type RowData } from '../../../kernel/client/wire.ts';
import type { RefValue } from '../../../kernel/contract/fields.ts';
import { fenFromYuan, yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import { businessTimeText } from '../../../kernel/contract/time.rules.ts';
import { hundredths } from '../../../domain/furnishing/decor-version.rules.ts';
import {
  choiceProblem,
  DUE_EVENTS,
  instalments,
  PRICE_BASES,
  quoteOf,
  roundHalfUp,
  type OptionMode,
  type PriceBasis,
  type PricedOption,
} from '../../../domain/furnishing/price.rules.ts';
import type { Room, RoomKind } from '../../../domain/furnishing/rooms.rules.ts';
import { decorPackage, type FieldNote } from './decor-package.contract.ts';
import './decor-package.css';

type Line = Readonly<Record<string, unknown>>;
const codes = (value: unknown) =>
  String(value ?? '')
    .split(/[,，、 ]+/)
    .filter(Boolean);
const fen = (value: unknown) => fenFromYuan(String(value ?? '')) ?? 0;

/** Fills the prices of the rows below, or moves all of them by some percent. */
export function PriceTools() {
  const text = useText();
  const form = Form.useFormInstance();
  const [percent, setPercent] = useState<number | null>(5);
  const prices = (Form.useWatch('prices', form) ?? []) as readonly Line[];
  const first = prices.find((row) => fenFromYuan(String(row.amount ?? '')) !== undefined);
  const change = (next: readonly Line[]) => form.setFieldValue('prices', next);
  const move = (sign: 1 | -1) =>
    change(
      prices.map((row) => {
        const amount = fenFromYuan(String(row.amount ?? ''));
        if (amount === undefined) return row;
        const moved = roundHalfUp(amount, 10_000 + sign * Math.round((percent ?? 0) * 100), 10_000);
        return { ...row, amount: yuanFromFen(Math.max(1, moved)) };
      }),
    );
  return (
    <div className="decor-tools">
      <Button
        size="small"
        disabled={!first}
        onClick={() =>
          change(
            prices.map((row) =>
              row.amount ? row : { ...row, amount: first!.amount, cost: row.cost ?? first!.cost },
            ),
          )
        }
      >
        {text(['空价按首行填充', 'Fill empty ones from the first'])}
      </Button>
      <InputNumber
        size="small"
        min={0.01}
        max={90}
        value={percent}
        suffix="%"
        aria-label={text(['调价幅度', 'Percent'])}
        onChange={(value) => setPercent(value)}
      />
      <Button size="small" disabled={!percent || prices.length === 0} onClick={() => move(1)}>
        {text(['全部上调', 'Raise all'])}
      </Button>
      <Button size="small" disabled={!percent || prices.length === 0} onClick={() => move(-1)}>
        {text(['全部下调', 'Lower all'])}
      </Button>
    </div>
  );
}

/** Takes the contents of another package in place of what stands here. */
export function ItemTools() {
  const text = useText();
  const form = Form.useFormInstance();
  const [from, setFrom] = useState<RefValue>();
  const [busy, setBusy] = useState(false);
  const copy = async () => {
    setBusy(true);
    try {
      const other = await call<RowData>('GET', `${rootOf(decorPackage)}/${from!.id}`);
      form.setFieldValue('items', other.items);
    } finally {
      setBusy(false);
    }
  };
  return (
    <div className="decor-tools">
      <RemoteSelect
        target={decorPackage.name}
        value={from ? [from.id] : []}
        known={from ? { [from.id]: from.title } : {}}
        label={text(['其他套餐', 'Another package'])}
        placeholder={text(['选择其他套餐', 'Choose another package'])}
        onChange={(_, entries) => setFrom(entries[0])}
      />
      <Button size="small" disabled={!from} loading={busy} onClick={() => void copy()}>
        {text(['用其内容替换', 'Take its contents'])}
      </Button>
    </div>
  );
}

interface TypeAreas {
  readonly id: string;
  readonly title: string;
  readonly built: string;
  readonly inner: string;
  readonly rooms: readonly Room[];
}

/** What a customer would pay: a house type and options, worked out by the engine that quotes use. */
export function PricePreview({ values }: { readonly values: Readonly<Record<string, unknown>> }) {
  const text = useText();
  const prices = ((values.prices ?? []) as readonly Line[]).filter((row) => row.houseType);
  const ids = prices.map((row) => idOf(row.houseType)).filter(Boolean);
  const [type, setType] = useState<string>();
  const [chosen, setChosen] = useState<readonly string[]>();
  const areas = useQuery({
    queryKey: ['decorAreas', ids.join(',')],
    enabled: ids.length > 0,
    queryFn: ({ signal }) =>
      call<readonly TypeAreas[]>('GET', `${rootOf(decorPackage)}/areas?ids=${ids.join(',')}`, { signal }),
  });
  const known = areas.data ?? [];
  const house = known.find((one) => one.id === type) ?? known[0];
  const options = ((values.options ?? []) as readonly Line[])
    .filter((row) => row.code && row.mode)
    .map((row): PricedOption => ({
      code: String(row.code),
      name: String(row.name ?? ''),
      room: (row.room as RoomKind | undefined) ?? null,
      mode: row.mode as OptionMode,
      price: fen(row.price),
      requires: codes(row.requires),
      excludes: codes(row.excludes),
      group: String(row.group ?? ''),
      single: row.single === true,
    }));
  if (!house)
    return (
      <p className="k-quiet">
        {text(['填写户型价格后可在此试算', 'Prices can be tried once a house type has one'])}
      </p>
    );
  const preset = ((values.options ?? []) as readonly Line[])
    .filter((row) => row.preset === true)
    .map((row) => String(row.code));
  const picked = (chosen ?? preset).filter((code) => options.some((one) => one.code === code));
  const quote = quoteOf({
    basis: (values.basis ?? 'built_area') as PriceBasis,
    price: fen(prices.find((row) => idOf(row.houseType) === house.id)?.amount),
    minCharge: fen(values.minCharge),
    areas: house,
    options,
    chosen: picked.map((code) => ({ code })),
  });
  const plan = ((values.plan ?? []) as readonly Line[]).filter((row) => row.share);
  const parts = instalments(
    plan.map((row) => hundredths(String(row.share))),
    quote.total,
  );
  const problem = choiceProblem(options, picked);
  return (
    <div className="decor-preview">
      <div className="decor-tools">
        <Select
          value={house.id}
          aria-label={text(['户型', 'House type'])}
          options={known.map((one) => ({ value: one.id, label: one.title }))}
          onChange={setType}
          popupMatchSelectWidth={false}
        />
        <span className="k-quiet">
          {text([
            `建筑 ${house.built} m² · 套内 ${house.inner} m²`,
            `${house.built} m² built · ${house.inner} m² inner`,
          ])}
        </span>
      </div>
      {options.length > 0 && (
        <Checkbox.Group
          value={picked as string[]}
          options={options.map((one) => ({ value: one.code, label: one.name || one.code }))}
          onChange={(codesNow) => setChosen(codesNow.map(String))}
        />
      )}
      {problem && <Alert type="warning" showIcon title={text(problem)} />}
      <table className="decor-lines">
        <tbody>
          {quote.lines.map((line, index) => (
            <tr key={index}>
              <td>
                {line.kind === 'base'
                  ? text(PRICE_BASES[(values.basis ?? 'built_area') as PriceBasis].label)
                  : line.name || line.code}
              </td>
              <td className="k-number k-quiet">
                {yuanFromFen(line.unitPrice)} × {(line.quantity / 100).toFixed(2)}
              </td>
              <td className="k-number">
                <MoneyText value={yuanFromFen(line.amount)} />
              </td>
            </tr>
          ))}
          <tr className="decor-total">
            <td>{text(['合计', 'Total'])}</td>
            <td />
            <td className="k-number">
              <MoneyText value={yuanFromFen(quote.total)} />
            </td>
          </tr>
          {plan.map((row, index) => (
            <tr key={`p${index}`}>
              <td>{String(row.name ?? '')}</td>
              <td className="k-number k-quiet">
                {String(row.share)} % ·{' '}
                {row.due ? text(DUE_EVENTS[row.due as keyof typeof DUE_EVENTS]!.label) : ''}
              </td>
              <td className="k-number">
                <MoneyText value={yuanFromFen(parts[index] ?? 0)} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function idOf(value: unknown): string {
  return typeof value === 'string' ? value : String((value as RefValue | null)?.id ?? '');
}

/** Above the detail: that something else is on sale than what is written, and what the last review refused. */
export function WhatIsWritten({ row }: { readonly row: RowData }) {
  const text = useText();
  const notes = row.fieldNotes as { reason: string; notes: readonly FieldNote[] } | null | undefined;
  const writing = row.writing as { changed: boolean } | null | undefined;
  if (!notes && !writing?.changed) return null;
  return (
    <div className="decor-told">
      {notes && (
        <Alert
          type="error"
          showIcon
          title={text([`审核驳回：${notes.reason}`, `Rejected: ${notes.reason}`])}
          {...(notes.notes.length > 0
            ? {
                description: (
                  <ul className="decor-notes">
                    {notes.notes.map((one) => (
                      <li key={one.field}>
                        {text(decorPackage.fields[one.field as keyof typeof decorPackage.fields].label)}：
                        {one.note}
                      </li>
                    ))}
                  </ul>
                ),
              }
            : {})}
        />
      )}
      {writing?.changed && (
        <Alert
          type="info"
          showIcon
          title={text([
            `以下为修改稿；在售版本为 V${String(row.versionNo)}「${String(row.liveName)}」`,
            `This is the proposed version; V${String(row.versionNo)} “${String(row.liveName)}” is on sale`,
          ])}
        />
      )}
    </div>
  );
}

interface Version {
  readonly id: string;
  readonly no: number;
  readonly live: boolean;
  readonly effectiveAt: string;
  readonly name: string;
  readonly days: number;
  readonly basis: PriceBasis;
  readonly low: string;
  readonly high: string;
  readonly types: number;
}

/** Versions that were on sale, the newest first, with what moved from one to the next. */
export function Versions({ row }: { readonly row: RowData }) {
  const text = useText();
  const versions = (row.versions ?? []) as readonly Version[];
  if (versions.length === 0) return <p className="k-quiet">{text(['尚未发布过', 'It was never on sale'])}</p>;
  const moved = (index: number, read: (one: Version) => string) => {
    const [now, before] = [read(versions[index]!), versions[index + 1] && read(versions[index + 1]!)];
    return before !== undefined && before !== now ? (
      <>
        <del className="k-quiet">{before}</del> {now}
      </>
    ) : (
      now
    );
  };
  return (
    <Table<Version>
      size="small"
      rowKey="id"
      pagination={false}
      scroll={{ x: 640 }}
      dataSource={versions as Version[]}
      columns={[
        {
          key: 'no',
          title: text(['版本', 'Version']),
          render: (_, one) => (
            <>
              V{one.no} {one.live && <Tag color="success">{text(['最新', 'Newest'])}</Tag>}
            </>
          ),
        },
        {
          key: 'at',
          title: text(['生效时间', 'In force']),
          render: (_, one) => businessTimeText(one.effectiveAt).slice(0, 16),
        },
        {
          key: 'name',
          title: text(['名称', 'Name']),
          render: (_, _one, index) => moved(index, (one) => one.name),
        },
        {
          key: 'basis',
          title: text(['计价方式', 'Basis']),
          render: (_, _one, index) => moved(index, (one) => text(PRICE_BASES[one.basis].label)),
        },
        {
          key: 'price',
          title: text(['价格', 'Price']),
          align: 'right',
          className: 'k-number',
          render: (_, _one, index) =>
            moved(index, (one) => (one.low === one.high ? one.low : `${one.low} – ${one.high}`)),
        },
        {
          key: 'types',
          title: text(['户型数', 'House types']),
          align: 'right',
          render: (_, _one, index) => moved(index, (one) => String(one.types)),
        },
        {
          key: 'days',
          title: text(['工期', 'Days']),
          align: 'right',
          render: (_, _one, index) => moved(index, (one) => String(one.days)),
        },
      ]}
    />
  );
}

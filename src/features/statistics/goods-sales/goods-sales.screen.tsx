import { useState } from 'react';
import { Button } from 'antd';
import { useQuery } from '@tanstack/react-query';
import { call } from '../../../kernel/client/api-client.ts';
import { useLanguageStore, useText } from '../../../kernel/client/language.ts';
import { valueText } from '../../../kernel/client/value-text.rules.ts';
import { ResourceTable } from '../../../kernel/client/list/resource-table.tsx';
import { AppDrawer } from '../../../kernel/client/parts/app-drawer.tsx';
import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import { useView } from '../../../kernel/client/view.ts';
import type { RowData } from '../../../kernel/client/wire.ts';
import { goodsSale, goodsVisit, soldLine, soldRefund } from './goods-sales.contract.ts';
import { ClosedMonths } from './closed-months.tsx';

type Filters = Readonly<Record<string, string>>;
const LISTS = { lines: soldLine, refunds: soldRefund, visits: goodsVisit } as const;
const DRILLED = [
  'views',
  'visitors',
  'carters',
  'buyers',
  'orders',
  'pieces',
  'goods',
  'discount',
  'paid',
  'returned',
  'refund',
  'backRate',
] as const;

/** A figure that opens exactly its rows. */
function Cell(props: {
  readonly row: RowData;
  readonly name: string;
  readonly open: (filters: Filters) => void;
}) {
  const text = useText();
  const language = useLanguageStore((state) => state.language);
  const value = props.row[props.name];
  const filters = (props.row.drill as Readonly<Record<string, Filters>> | undefined)?.[props.name];
  const shown = valueText(goodsSale.fields[props.name]!, value, language);
  if (!filters || Number(value ?? 0) === 0) return <span className="k-number">{shown}</span>;
  return (
    <button
      type="button"
      className="k-link k-number"
      title={text(['查看明细', 'Show the rows'])}
      onClick={() => props.open(filters)}
    >
      {shown}
    </button>
  );
}

/** Rows behind a figure; the head repeats it, counted from the rows. */
function Rows({ filters, close }: { readonly filters: Filters; readonly close: () => void }) {
  const text = useText();
  const view = useView();
  const { as = 'lines', ...query } = filters;
  const list = LISTS[as as keyof typeof LISTS];
  const sums = useQuery({
    queryKey: [list.name, 'sums', query],
    enabled: (list.list.sums ?? []).length > 0,
    queryFn: ({ signal }) =>
      call<Record<string, string | number>>('GET', `/api/jinmao/web/${list.name}/sums`, {
        query,
        signal,
        quiet: true,
      }),
  });
  const head = (list.list.sums ?? []).map(
    (name) =>
      `${text(list.fields[name as keyof typeof list.fields].label)} ${String(sums.data?.[name] ?? '…')}`,
  );
  return (
    <AppDrawer
      open
      size={1_100}
      title={`${text(list.title)} · ${head.join(' · ')}`}
      onClose={close}
      extra={
        <Button
          type="link"
          onClick={() => view.open(`${view.path}?${new URLSearchParams(filters).toString()}`)}
        >
          {text(['作为列表打开', 'Open as a list'])}
        </Button>
      }
    >
      <ResourceTable resource={list} filters={query} page limit={20} />
    </AppDrawer>
  );
}

function GoodsSaleScreen() {
  const view = useView();
  const [filters, setFilters] = useState<Filters>();
  const as = view.query.get('as');
  if (as === 'lines' || as === 'refunds' || as === 'visits') return <ScreenOf contract={LISTS[as]} />;
  return (
    <>
      <ScreenOf
        contract={goodsSale}
        slots={{
          above: <ClosedMonths range={view.query.get('range')} />,
          cells: Object.fromEntries(
            DRILLED.map((name) => [name, (row: RowData) => <Cell row={row} name={name} open={setFilters} />]),
          ),
        }}
      />
      {filters && <Rows filters={filters} close={() => setFilters(undefined)} />}
    </>
  );
}

/** 商品销售统计. */
export const screen = { contract: goodsSale, component: GoodsSaleScreen };

import { useEffect, useEffectEvent } from 'react';
import { lazyPart } from '../../../kernel/client/parts/lazy-part.tsx';
import { TabList } from '../../../kernel/client/parts/tab-list.tsx';
import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import type { ActionScreenProps, ScreenSlots } from '../../../kernel/client/slots.ts';
import { useText } from '../../../kernel/client/language.ts';
import { useView } from '../../../kernel/client/view.ts';
import type { RowData } from '../../../kernel/client/wire.ts';
import { decorReport } from '../decor-report/decor-report.contract.ts';
import { decorOrder } from './decor-order.contract.ts';

const load = () => import('./decor-order-parts.tsx');
const OptionsInput = lazyPart(() => load().then((module) => module.OptionsInput));
const Prices = lazyPart(() => load().then((module) => module.Prices));
const Instalments = lazyPart(() => load().then((module) => module.Instalments));
const Nodes = lazyPart(() => load().then((module) => module.Nodes));
const Records = lazyPart(() => load().then((module) => module.Records));
const Warranty = lazyPart(() => load().then((module) => module.Warranty));
const Refunds = lazyPart(() => load().then((module) => module.Refunds));
const Cases = lazyPart(() => load().then((module) => module.Cases));
const DecorPaper = lazyPart(() => import('./decor-order-paper.tsx').then((module) => module.DecorPaper));
const OrderHead = lazyPart(() => import('./decor-order-head.tsx').then((module) => module.OrderHead));
const CancelPreview = lazyPart(() => load().then((module) => module.CancelPreview));

/** Opens the form of a receipt for what is owed first. */
function Collect({ row, close }: ActionScreenProps) {
  const view = useView();
  const go = useEffectEvent(() => {
    close();
    view.open(`/lifeService/accountsConfirmEdit/0/receivable?receivable=${String(row!.collectId)}`);
  });
  useEffect(() => go(), []);
  return null;
}

/** The planned day of the next node, with a word where it has passed. */
function NextOn({ row }: { readonly row: RowData }) {
  const text = useText();
  if (!row.nextOn) return <>–</>;
  return row.late === true ? (
    <span className="k-danger">
      {String(row.nextOn)} {text(['已延误', 'late'])}
    </span>
  ) : (
    <>{String(row.nextOn)}</>
  );
}

/** Orders, or what they come to. */
function Parts() {
  const text = useText();
  const view = useView();
  return (
    <TabList
      label={text(decorOrder.title)}
      tabs={[
        { key: 'list', label: text(['订单', 'Orders']) },
        { key: 'data', label: text(['数据', 'Figures']) },
      ]}
      active={view.query.get('part') === 'data' ? 'data' : 'list'}
      onChange={(key) => view.setQuery(new URLSearchParams(key === 'data' ? { part: key } : {}))}
    />
  );
}

const slots: ScreenSlots = {
  above: (
    <>
      <Parts />
      <OrderHead />
    </>
  ),
  cells: { nextOn: (row) => <NextOn row={row} /> },
  inputs: { options: (props) => <OptionsInput {...props} /> },
  actionScreens: {
    collect: (props) => <Collect {...props} />,
    print: (props) => <DecorPaper {...props} />,
  },
  dialogAbove: { cancel: (row) => <CancelPreview row={row} /> },
  detailParts: [
    { key: 'prices', label: ['价格明细', 'Price'], render: (row) => <Prices row={row} /> },
    { key: 'instalments', label: ['分期款', 'Instalments'], render: (row) => <Instalments row={row} /> },
    { key: 'nodes', label: ['施工节点', 'Nodes'], render: (row) => <Nodes row={row} /> },
    { key: 'records', label: ['量房、方案与验收', 'Records'], render: (row) => <Records row={row} /> },
    { key: 'warranty', label: ['质保', 'Warranty'], render: (row) => <Warranty row={row} /> },
    { key: 'refunds', label: ['退款', 'Refunds'], render: (row) => <Refunds row={row} /> },
    { key: 'cases', label: ['售后', 'After-sales'], render: (row) => <Cases row={row} /> },
  ],
};

function DecorOrders() {
  const view = useView();
  return view.query.get('part') === 'data' ? (
    <ScreenOf contract={decorReport} slots={{ above: <Parts /> }} />
  ) : (
    <ScreenOf contract={decorOrder} slots={slots} />
  );
}

/** 美居订单, with its figures. */
export const screen = { contract: decorOrder, component: DecorOrders };

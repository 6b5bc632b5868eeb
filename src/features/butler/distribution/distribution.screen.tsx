import { Button } from 'antd';
import { DownloadOutlined } from '@ant-design/icons';
import type { FileValue } from '../../../kernel/contract/fields.ts';
import { call } from '../../../kernel/client/api-client.ts';
import { NOTHING } from '../../../kernel/client/format.rules.ts';
import { useText } from '../../../kernel/client/language.ts';
import { useHeld } from '../../../kernel/client/parts/held.ts';
import { lazyPart } from '../../../kernel/client/parts/lazy-part.tsx';
import { TabList } from '../../../kernel/client/parts/tab-list.tsx';
import { useExport } from '../../../kernel/client/parts/use-export.ts';
import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import type { ScreenSlots, SlotInputProps } from '../../../kernel/client/slots.ts';
import { useView } from '../../../kernel/client/view.ts';
import { rootOf, type RowData } from '../../../kernel/client/wire.ts';
import { butlerIncentive, incentiveBatch, incentiveBatchLine } from './distribution.contract.ts';
import '../butler.css';

const MonthWithPreview = lazyPart(() =>
  import('./batch-preview.tsx').then((module) => module.MonthWithPreview),
);

/** The file of a payment, fetched through the batch. */
function Proof({ row }: { readonly row: RowData }) {
  const file = row.proof as FileValue | null;
  if (!file) return <>{NOTHING}</>;
  const open = async () => {
    const ticket = await call<FileValue>('GET', `${rootOf(incentiveBatch)}/${row.id}/proof`).catch(
      () => undefined,
    );
    if (ticket) window.open(ticket.url, '_blank', 'noopener');
  };
  return (
    <button type="button" className="k-link" onClick={() => void open()}>
      {file.name}
    </button>
  );
}

/** The file for payroll: what each butler of the batch gets. */
function Payroll({ row }: { readonly row: RowData }) {
  const text = useText();
  const held = useHeld(incentiveBatch);
  const exporting = useExport(`${rootOf(incentiveBatchLine)}/export`);
  if (!held('btn_export') || Number(row.butlers) === 0) return null;
  return (
    <p className="bt-payroll">
      <Button
        icon={<DownloadOutlined />}
        loading={exporting.busy}
        disabled={exporting.locked}
        onClick={() => exporting.start({ query: { batch: row.id } })}
      >
        {text(['导出工资发放表', 'Payroll file'])}
      </Button>
    </p>
  );
}

const slots: ScreenSlots = {
  detailAbove: (row) => <Payroll key={row.id} row={row} />,
  cells: { proof: (row) => <Proof row={row} /> },
  inputs: { month: (props: SlotInputProps) => <MonthWithPreview {...props} /> },
};

/** Batches, what each butler gets of them, and the rows they are made of. */
function DistributionScreen() {
  const text = useText();
  const view = useView();
  const as = view.query.get('as');
  const active = as === 'rows' || as === 'lines' ? as : 'batches';
  const strip = (
    <TabList
      label={text(incentiveBatch.title)}
      tabs={[
        { key: 'batches', label: text(['批次', 'Batches']) },
        { key: 'rows', label: text(['待发放与追回', 'Payable and clawbacks']) },
        { key: 'lines', label: text(incentiveBatchLine.title) },
      ]}
      active={active}
      onChange={(key) => view.setQuery(new URLSearchParams(key === 'batches' ? {} : { as: key }))}
    />
  );
  if (active === 'rows') return <ScreenOf key={active} contract={butlerIncentive} slots={{ above: strip }} />;
  if (active === 'lines')
    return <ScreenOf key={active} contract={incentiveBatchLine} slots={{ above: strip }} />;
  return <ScreenOf key={active} contract={incentiveBatch} slots={{ ...slots, above: strip }} />;
}

/** Module of butler_incentiveDistribution. */
export const screen = { contract: incentiveBatch, component: DistributionScreen };

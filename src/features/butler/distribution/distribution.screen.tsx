import type { FileValue } from '../../../kernel/contract/fields.ts';
import { call } from '../../../kernel/client/api-client.ts';
import { NOTHING } from '../../../kernel/client/format.rules.ts';
import { useText } from '../../../kernel/client/language.ts';
import { lazyPart } from '../../../kernel/client/parts/lazy-part.tsx';
import { TabList } from '../../../kernel/client/parts/tab-list.tsx';
import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import type { ScreenSlots, SlotInputProps } from '../../../kernel/client/slots.ts';
import { useView } from '../../../kernel/client/view.ts';
import { rootOf, type RowData } from '../../../kernel/client/wire.ts';
import { butlerIncentive, incentiveBatch } from './distribution.contract.ts';

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

const slots: ScreenSlots = {
  cells: { proof: (row) => <Proof row={row} /> },
  inputs: { month: (props: SlotInputProps) => <MonthWithPreview {...props} /> },
};

/** Batches, and the rows they are made of. */
function DistributionScreen() {
  const text = useText();
  const view = useView();
  const rows = view.query.get('as') === 'rows';
  const strip = (
    <TabList
      label={text(incentiveBatch.title)}
      tabs={[
        { key: 'batches', label: text(['批次', 'Batches']) },
        { key: 'rows', label: text(['待发放与追回', 'Payable and clawbacks']) },
      ]}
      active={rows ? 'rows' : 'batches'}
      onChange={(key) => view.setQuery(new URLSearchParams(key === 'rows' ? { as: 'rows' } : {}))}
    />
  );
  return rows ? (
    <ScreenOf key="rows" contract={butlerIncentive} slots={{ above: strip }} />
  ) : (
    <ScreenOf key="batches" contract={incentiveBatch} slots={{ ...slots, above: strip }} />
  );
}

/** Module of butler_incentiveDistribution. */
export const screen = { contract: incentiveBatch, component: DistributionScreen };

import { lazyPart } from '../../../kernel/client/parts/lazy-part.tsx';
import { useView } from '../../../kernel/client/view.ts';
import type { ScreenSlots } from '../../../kernel/client/slots.ts';
import { ErrorPanel } from '../../../kernel/client/parts/error-panel.tsx';
import { useRow } from '../../../kernel/client/detail/use-row.ts';
import { ScreenWaits } from '../../../kernel/client/screen-of.tsx';
import { receivable } from '../receivable/receivable.contract.ts';
import { SourcedModes } from '../sourced-modes.tsx';
import { ImportButton } from '../../../kernel/client/import/import-button.tsx';
import { RECEIPT_MENU, receipt } from './receipt.contract.ts';

const Allocation = lazyPart(() => import('./allocation.tsx').then((module) => module.Allocation));
const ReceiptPaper = lazyPart(() => import('./receipt-paper.tsx').then((module) => module.ReceiptPaper));

const slots: ScreenSlots = {
  inputs: { allocations: (props) => <Allocation {...props} /> },
  actionScreens: { print: (props) => <ReceiptPaper {...props} /> },
  toolbar: (
    <ImportButton
      element={`${RECEIPT_MENU}:btn_import`}
      label={['导入银行流水', 'Bank file']}
      choice={{
        source: 'bankReceipts',
        resource: receipt.name,
        title: ['银行流水', 'A bank file'],
      }}
    />
  ),
};

/** A new receipt for a receivable: its payer, project and balance stand in the form. */
function ForReceivable({ id }: { readonly id: string }) {
  const row = useRow(receivable, id);
  if (row.isError) return <ErrorPanel error={row.error} onRetry={() => void row.refetch()} />;
  if (!row.data) return <ScreenWaits />;
  const { code, project, member, payerName, balance } = row.data;
  const added: ScreenSlots = {
    ...slots,
    createWith: {
      project,
      ...(member ? { member } : { payerTitle: payerName }),
      amount: balance,
      allocations: [{ receivable: { id, title: code }, amount: balance }],
    },
  };
  return <SourcedModes contract={receipt} slots={slots} added={added} />;
}

function ReceiptScreen() {
  const view = useView();
  const asked = view.params.id === '0' ? view.query.get('receivable') : null;
  return asked ? <ForReceivable key={asked} id={asked} /> : <SourcedModes contract={receipt} slots={slots} />;
}

/** 收款确认, with its edit and detail pages. */
export const screen = { contract: receipt, component: ReceiptScreen };

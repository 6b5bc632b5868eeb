import { useText } from '../../../kernel/client/language.ts';
import { ResourceTable } from '../../../kernel/client/list/resource-table.tsx';
import { AppDrawer } from '../../../kernel/client/parts/app-drawer.tsx';
import { businessDayOf } from '../../../kernel/contract/time.rules.ts';
import type { ScreenSlots } from '../../../kernel/client/slots.ts';
import type { RowData } from '../../../kernel/client/wire.ts';
import { pointsBudget } from './send.contract.ts';

/** Whose a budget is; without a company the platform's. */
function Owner({ row }: { readonly row: RowData }) {
  const text = useText();
  const owner = row.owner as { title: string } | null;
  return <>{owner?.title ?? text(['平台', 'Platform'])}</>;
}

const slots: ScreenSlots = {
  cells: { owner: (row) => <Owner row={row} />, year: (row) => <>{String(row.year)}</> },
  createWith: { year: businessDayOf(new Date()).slice(0, 4) },
};

/** Budgets with what they hold; one opens with its changes. */
export function BudgetDrawer({ close }: { readonly close: () => void }) {
  const text = useText();
  return (
    <AppDrawer open push={false} size={1_100} title={text(['积分预算', 'Points budgets'])} onClose={close}>
      <ResourceTable resource={pointsBudget} page opens search slots={slots} />
    </AppDrawer>
  );
}

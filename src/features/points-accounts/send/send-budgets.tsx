import { useText } from '../../../kernel/client/language.ts';
import { ResourceTable } from '../../../kernel/client/list/resource-table.tsx';
import { AppDrawer } from '../../../kernel/client/parts/app-drawer.tsx';
import { pointsBudget } from './send.contract.ts';

/** Budgets with what they hold; one opens with its changes. */
export function BudgetDrawer({ close }: { readonly close: () => void }) {
  const text = useText();
  return (
    <AppDrawer open size={1_100} title={text(['积分预算', 'Points budgets'])} onClose={close}>
      <ResourceTable resource={pointsBudget} page opens />
    </AppDrawer>
  );
}

import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import type { ScreenSlots } from '../../../kernel/client/slots.ts';
import { useView } from '../../../kernel/client/view.ts';
import type { RowData } from '../../../kernel/client/wire.ts';
import { groupType } from './group-type.contract.ts';

const slots: ScreenSlots = { cells: { groups: (row) => <Groups row={row} /> } };

function GroupTypeScreen() {
  return <ScreenOf contract={groupType} slots={slots} />;
}

/** Group types. */
export const screen = { contract: groupType, component: GroupTypeScreen };

/** The number of groups opens their tab. */
function Groups({ row }: { readonly row: RowData }) {
  const view = useView();
  const groups = view.pathOf('groupManager');
  if (!groups) return <>{String(row.groups)}</>;
  return (
    <button
      type="button"
      className="k-link"
      onClick={() => view.open(`${groups}?type=${encodeURIComponent(String(row.code))}`)}
    >
      {String(row.groups)}
    </button>
  );
}

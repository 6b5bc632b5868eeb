import { useSession } from '../../../kernel/client/session.ts';
import type { ScreenSlots } from '../../../kernel/client/slots.ts';
import { useView } from '../../../kernel/client/view.ts';
import type { RowData } from '../../../kernel/client/wire.ts';
import type { RefValue } from '../../../kernel/contract/fields.ts';

/** Cells of departments: the heads open the users they count. */
export const departmentCells: NonNullable<ScreenSlots['cells']> = {
  actual: (row) => <Heads row={row} />,
};

function Heads({ row }: { readonly row: RowData }) {
  const view = useView();
  const own = useSession((state) => state.info?.tenantId);
  const tenant = (row.tenant as RefValue | null)?.id ?? own;
  const users = view.pathOf(tenant === own ? 'userManager' : 'allUserManager');
  const count = String(row.actual ?? 0);
  if (!users) return <>{count}</>;
  return (
    <button
      type="button"
      className="k-link"
      onClick={() => view.open(`${users}?department=${row.id}&state=normal,disabled`)}
    >
      {count}
    </button>
  );
}

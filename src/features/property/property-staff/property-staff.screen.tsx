import '../../../kernel/client/tree/split-screen.css';
import { useMemo } from 'react';
import { useQuery } from '@tanstack/react-query';
import { call } from '../../../kernel/client/api-client.ts';
import { useText } from '../../../kernel/client/language.ts';
import { ErrorPanel } from '../../../kernel/client/parts/error-panel.tsx';
import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import { useSession } from '../../../kernel/client/session.ts';
import { useView } from '../../../kernel/client/view.ts';
import { keysOf } from '../../../kernel/client/wire.ts';
import { PlaceTree, type PlaceNode } from '../../../kernel/client/tree/place-tree.tsx';
import { propertyStaff } from './property-staff.contract.ts';

interface Group {
  readonly id: string;
  readonly parent: string | null;
  readonly name: string;
  readonly count: number;
}

/** People of the company by group; a click filters with the groups below, a new person goes into the chosen one. */
function PropertyStaffScreen() {
  const text = useText();
  const view = useView();
  const manages = useSession((state) => state.elements['departManager:btn_add'] === true);
  const { data, isError, error, refetch } = useQuery({
    queryKey: [...keysOf.all(propertyStaff.name), 'groups'],
    queryFn: ({ signal }) =>
      call<readonly Group[]>('GET', '/api/jinmao/web/propertyStaff/groups', { signal, quiet: true }),
  });
  const [under] = (view.query.get('department') ?? '').split(',');
  const chosen = data?.find((one) => one.id === under);
  const slots = useMemo(
    () => (chosen ? { createWith: { department: { id: chosen.id, title: chosen.name } } } : {}),
    [chosen],
  );
  return (
    <div className="split-screen">
      <nav aria-label={text(['人员分组', 'Groups'])}>
        {isError && !data ? (
          <ErrorPanel error={error} onRetry={() => void refetch()} />
        ) : (
          <PlaceTree
            key={String(data !== undefined)}
            nodes={nodesOf(data ?? [], null)}
            filter="department"
            label={text(['筛选分组', 'Filter groups'])}
            tools={
              manages && (
                <button
                  type="button"
                  className="k-link k-small"
                  onClick={() => view.open('/adminSys/departManager')}
                >
                  {text(['管理分组', 'Manage'])}
                </button>
              )
            }
          />
        )}
      </nav>
      <div className="split-main">
        <ScreenOf contract={propertyStaff} slots={slots} />
      </div>
    </div>
  );
}

/** 物业人员管理. */
export const screen = { contract: propertyStaff, component: PropertyStaffScreen };

function nodesOf(all: readonly Group[], parent: string | null): PlaceNode[] {
  return all
    .filter((one) => one.parent === parent)
    .map((one) => {
      const children = nodesOf(all, one.id);
      return {
        key: one.id,
        name: one.name,
        count: one.count + children.reduce((sum, child) => sum + Number(child.count ?? 0), 0),
        ids: [one.id, ...children.flatMap((child) => child.ids)],
        children,
      };
    });
}

import '../../../kernel/client/tree/split-screen.css';
import { useMemo } from 'react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useAction } from '../../../kernel/client/action/use-action.tsx';
import { call } from '../../../kernel/client/api-client.ts';
import { tellFault } from '../../../kernel/client/feedback.ts';
import { useText } from '../../../kernel/client/language.ts';
import { ErrorPanel } from '../../../kernel/client/parts/error-panel.tsx';
import { useHeld } from '../../../kernel/client/parts/held.ts';
import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import { useView } from '../../../kernel/client/view.ts';
import { keysOf, rootOf, type RowData } from '../../../kernel/client/wire.ts';
import { PlaceTree, type PlaceNode } from '../../../kernel/client/tree/place-tree.tsx';
import { department } from '../../admin-sys/department/department.contract.ts';
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
            tools={<GroupTools chosen={chosen} />}
          />
        )}
      </nav>
      <div className="split-main">
        <ScreenOf contract={propertyStaff} slots={slots} />
      </div>
    </div>
  );
}

/** Groups are departments: made, renamed and deleted here by whoever may do so there; one with people or groups in it stays. */
function GroupTools({ chosen }: { readonly chosen: Group | undefined }) {
  const text = useText();
  const held = useHeld(department);
  const fresh = useQueryClient();
  const action = useAction(department, {
    onDone: () => void fresh.invalidateQueries({ queryKey: keysOf.all(propertyStaff.name) }),
  });
  const onChosen = (name: 'update' | 'remove', id: string) =>
    void call<RowData>('GET', `${rootOf(department)}/${id}`, { quiet: true }).then(
      (row) => action.run(name, row),
      tellFault,
    );
  return (
    <>
      {held('btn_add') && (
        <button
          type="button"
          className="k-link k-small"
          onClick={() =>
            action.create({
              type: 'function',
              ...(chosen && { parent: { id: chosen.id, title: chosen.name } }),
            })
          }
        >
          {chosen ? text(['新增下级', 'Add below']) : text(['新增分组', 'Add a group'])}
        </button>
      )}
      {chosen && held('btn_edit') && (
        <button type="button" className="k-link k-small" onClick={() => onChosen('update', chosen.id)}>
          {text(['编辑', 'Edit'])}
        </button>
      )}
      {chosen && held('btn_del') && (
        <button type="button" className="k-link k-small" onClick={() => onChosen('remove', chosen.id)}>
          {text(['删除', 'Delete'])}
        </button>
      )}
      {action.element}
    </>
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

import { useState, type ReactNode } from 'react';
import { Button, Skeleton, Tree, type TreeProps } from 'antd';
import { useQueryClient } from '@tanstack/react-query';
import { useAction } from '../../../kernel/client/action/use-action.tsx';
import { DetailActions, DetailTitle } from '../../../kernel/client/detail/detail-body.tsx';
import { DetailFacts } from '../../../kernel/client/detail/detail-facts.tsx';
import { Timeline } from '../../../kernel/client/detail/timeline.tsx';
import { useRow } from '../../../kernel/client/detail/use-row.ts';
import { useText } from '../../../kernel/client/language.ts';
import { ErrorPanel } from '../../../kernel/client/parts/error-panel.tsx';
import { useHeld } from '../../../kernel/client/parts/held.ts';
import { lazyPart } from '../../../kernel/client/parts/lazy-part.tsx';
import { PageTitle } from '../../../kernel/client/parts/page-title.tsx';
import { TabList } from '../../../kernel/client/parts/tab-list.tsx';
import type { ScreenSlots } from '../../../kernel/client/slots.ts';
import { useView } from '../../../kernel/client/view.ts';
import { keysOf } from '../../../kernel/client/wire.ts';
import { department } from './department.contract.ts';
import type { Move } from './move-dialog.tsx';
import { useDepartmentTree, type DepartmentEntry } from './use-department-tree.ts';

const MembersPart = lazyPart(() => import('./members-part.tsx').then((module) => module.MembersPart));
const MoveDialog = lazyPart(() => import('./move-dialog.tsx').then((module) => module.MoveDialog));

/** The tree of departments: drag changes order and parent after a question, a click shows the department at the right. */
export function DepartmentTree({ slots, shape }: { readonly slots: ScreenSlots; readonly shape: ReactNode }) {
  const text = useText();
  const view = useView();
  const client = useQueryClient();
  const held = useHeld(department);
  const tree = useDepartmentTree('department');
  const [move, setMove] = useState<Move>();
  const entries = tree.data ?? [];
  const chosen = view.query.get('detail') ?? entries[0]?.id;
  const under = entries.find((one) => one.id === chosen);
  // A new department starts below the one that is looked at.
  const action = useAction(department, {
    slots: under ? { ...slots, createWith: { parent: { id: under.id, title: under.name } } } : slots,
  });
  const choose = (id: string) => view.setQuery(new URLSearchParams({ detail: id }));
  const drop: NonNullable<TreeProps['onDrop']> = (info) => {
    const moving = entries.find((one) => one.id === info.dragNode.key);
    const target = entries.find((one) => one.id === info.node.key);
    if (!moving || !target) return;
    setMove(
      moveOf(
        entries,
        moving,
        target,
        info.dropToGap,
        info.dropPosition > Number(info.node.pos.split('-').at(-1)),
      ),
    );
  };
  return (
    <div className="split-screen">
      <nav aria-label={text(['部门树', 'Department tree'])}>
        <div className="split-tools">
          {shape}
          <Button
            size="small"
            type="text"
            onClick={() => void client.invalidateQueries({ queryKey: keysOf.all('department') })}
          >
            {text(['刷新', 'Refresh'])}
          </Button>
        </div>
        {tree.isPending ? (
          <Skeleton active />
        ) : tree.isError ? (
          <ErrorPanel error={tree.error} onRetry={() => void tree.refetch()} />
        ) : (
          <Tree
            blockNode
            defaultExpandAll
            draggable={held('btn_edit') ? { icon: false } : false}
            treeData={itemsOf(entries, null)}
            selectedKeys={chosen ? [chosen] : []}
            onSelect={(_keys, info) => choose(String(info.node.key))}
            onDrop={drop}
          />
        )}
      </nav>
      <div className="split-main k-screen">
        <PageTitle title={department.title} purpose={department.purpose}>
          {held('btn_add') && (
            <Button type="primary" onClick={() => action.run('create')}>
              {text(['新增', 'Add'])}
            </Button>
          )}
        </PageTitle>
        {chosen && <DepartmentPanel key={chosen} id={chosen} action={action} />}
        {action.element}
        {move && <MoveDialog move={move} onClose={() => setMove(undefined)} />}
      </div>
    </div>
  );
}

function DepartmentPanel({
  id,
  action,
}: {
  readonly id: string;
  readonly action: ReturnType<typeof useAction>;
}) {
  const text = useText();
  const [tab, setTab] = useState('members');
  const { data: row, isPending, isError, error, refetch } = useRow(department, id);
  if (isPending) return <Skeleton active />;
  if (isError) return <ErrorPanel error={error} onRetry={() => void refetch()} />;
  return (
    <>
      <header className="k-title">
        <DetailTitle resource={department} row={row} />
        <div className="k-title-actions">
          <DetailActions resource={department} row={row} action={action} />
        </div>
      </header>
      <DetailFacts resource={department} row={row} />
      <TabList
        label={text(['部门', 'Department'])}
        active={tab}
        onChange={setTab}
        tabs={[
          { key: 'members', label: text(['成员', 'Members']) },
          { key: 'changes', label: text(['变更', 'Changes']) },
        ]}
      />
      {tab === 'members' ? <MembersPart row={row} /> : <Timeline resource={department} id={id} />}
    </>
  );
}

interface Item {
  key: string;
  title: ReactNode;
  children: Item[];
}

function itemsOf(entries: readonly DepartmentEntry[], parent: string | null): Item[] {
  return entries
    .filter((one) => one.parentId === parent)
    .map((one) => ({
      key: one.id,
      title: (
        <span className={one.enabled ? '' : 'k-quiet'}>
          {one.name}
          <span className="split-count">{one.whole}</span>
        </span>
      ),
      children: itemsOf(entries, one.id),
    }));
}

/** Where a dropped node goes: into the target, or beside it in front of the next sibling. */
function moveOf(
  entries: readonly DepartmentEntry[],
  moving: DepartmentEntry,
  target: DepartmentEntry,
  beside: boolean,
  after: boolean,
): Move {
  if (!beside) return { moving, parent: target, before: undefined };
  const parent = entries.find((one) => one.id === target.parentId);
  if (!after) return { moving, parent, before: target };
  const siblings = entries.filter((one) => one.parentId === target.parentId && one.id !== moving.id);
  return { moving, parent, before: siblings[siblings.findIndex((one) => one.id === target.id) + 1] };
}

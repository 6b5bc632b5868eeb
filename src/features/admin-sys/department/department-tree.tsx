import { useState, type ReactNode } from 'react';
import { Button, Skeleton, Tree, type TreeProps } from 'antd';
import { useQueryClient, type UseQueryResult } from '@tanstack/react-query';
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
import type { Resource } from '../../../kernel/contract/resource.ts';
import { department } from './department.contract.ts';
import type { Move } from './move-dialog.tsx';
import type { DepartmentEntry } from './use-department-tree.ts';

const MembersPart = lazyPart(() => import('./members-part.tsx').then((module) => module.MembersPart));
const MoveDialog = lazyPart(() => import('./move-dialog.tsx').then((module) => module.MoveDialog));

/**
 * Departments as a tree with the chosen one at the right. In the own company dragging changes order and parent after a
 * question; the view over companies shows and edits, but moves nobody.
 */
export function DepartmentTree({
  resource,
  tree,
  slots,
  above,
  shape,
}: {
  readonly resource: Resource;
  readonly tree: UseQueryResult<readonly DepartmentEntry[]>;
  readonly slots: ScreenSlots;
  readonly above?: ReactNode;
  readonly shape: ReactNode;
}) {
  const text = useText();
  const view = useView();
  const client = useQueryClient();
  const held = useHeld(resource);
  const [move, setMove] = useState<Move>();
  const entries = tree.data ?? [];
  const asked = view.query.get('detail');
  const under = entries.find((one) => one.id === asked) ?? entries.find((one) => one.inSight);
  const chosen = under?.id;
  const own = resource.name === department.name;
  // A new department starts below the one that is looked at.
  const action = useAction(resource, {
    slots: own && under ? { ...slots, createWith: { parent: { id: under.id, title: under.name } } } : slots,
  });
  const choose = (id: string) => {
    const query = new URLSearchParams(view.query);
    query.set('detail', id);
    view.setQuery(query);
  };
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
            onClick={() => void client.invalidateQueries({ queryKey: keysOf.all(resource.name) })}
          >
            {text(['刷新', 'Refresh'])}
          </Button>
        </div>
        {tree.isError ? (
          <ErrorPanel error={tree.error} onRetry={() => void tree.refetch()} />
        ) : !tree.data ? (
          <Skeleton active />
        ) : entries.length === 0 ? (
          <p className="k-quiet">{text(['还没有部门', 'No departments yet'])}</p>
        ) : (
          <Tree
            key={entries.map((one) => one.id).join()}
            blockNode
            defaultExpandAll
            draggable={own && held('btn_edit') ? { icon: false } : false}
            treeData={itemsOf(entries, null)}
            selectedKeys={chosen ? [chosen] : []}
            onSelect={(_keys, info) => choose(String(info.node.key))}
            onDrop={drop}
          />
        )}
      </nav>
      <div className="split-main k-screen">
        <PageTitle title={resource.title} purpose={resource.purpose}>
          {slots.toolbar}
          {own && held('btn_add') && (
            <Button type="primary" onClick={() => action.run('create')}>
              {text(['新增', 'Add'])}
            </Button>
          )}
        </PageTitle>
        {above}
        {tree.data && entries.length > 0 && !chosen && (
          <p className="k-quiet">
            {text([
              '您的数据范围内没有部门。部门按其负责人归属：请管理员为您的部门设置负责人，或扩大您的数据范围。',
              'No department is inside your data scope. A department belongs to its leader: ask an administrator to name the leader of yours, or for a wider scope.',
            ])}
          </p>
        )}
        {chosen && (
          <DepartmentPanel key={chosen} resource={resource} id={chosen} slots={slots} action={action} />
        )}
        {action.element}
        {move && <MoveDialog move={move} onClose={() => setMove(undefined)} />}
      </div>
    </div>
  );
}

function DepartmentPanel({
  resource,
  id,
  slots,
  action,
}: {
  readonly resource: Resource;
  readonly id: string;
  readonly slots: ScreenSlots;
  readonly action: ReturnType<typeof useAction>;
}) {
  const text = useText();
  const [tab, setTab] = useState('members');
  const { data: row, isPending, isError, error, refetch } = useRow(resource, id);
  if (isPending) return <Skeleton active />;
  if (isError) return <ErrorPanel error={error} onRetry={() => void refetch()} />;
  return (
    <>
      <header className="k-title">
        <DetailTitle resource={resource} row={row} />
        <div className="k-title-actions">
          <DetailActions resource={resource} row={row} action={action} />
        </div>
      </header>
      <DetailFacts resource={resource} row={row} cells={slots.cells} />
      <TabList
        label={text(['部门', 'Department'])}
        active={tab}
        onChange={setTab}
        tabs={[
          { key: 'members', label: text(['成员', 'Members']) },
          { key: 'changes', label: text(['变更', 'Changes']) },
        ]}
      />
      {tab === 'members' ? (
        <MembersPart resource={resource} row={row} />
      ) : (
        <Timeline resource={resource} id={id} />
      )}
    </>
  );
}

interface Item {
  key: string;
  disabled: boolean;
  title: ReactNode;
  children: Item[];
}

function itemsOf(entries: readonly DepartmentEntry[], parent: string | null): Item[] {
  return entries
    .filter((one) => one.parentId === parent)
    .map((one) => ({
      key: one.id,
      disabled: !one.inSight,
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

import { useEffect, useEffectEvent } from 'react';
import { Button, Select } from 'antd';
import { useQuery } from '@tanstack/react-query';
import { useAction } from '../../../kernel/client/action/use-action.tsx';
import { call } from '../../../kernel/client/api-client.ts';
import { useText } from '../../../kernel/client/language.ts';
import { useHeld } from '../../../kernel/client/parts/held.ts';
import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import type { ActionScreenProps, ScreenSlots, SlotInputProps } from '../../../kernel/client/slots.ts';
import { useView } from '../../../kernel/client/view.ts';
import { keysOf, rootOf } from '../../../kernel/client/wire.ts';
import type { Resource, ResourceSpec, TabSpec } from '../../../kernel/contract/resource.ts';
import { approvalInstance } from './approval-instance.contract.ts';
import { approvalStandin } from './approval-standin.contract.ts';
import { approvalTask, VIAS } from './approval-task.contract.ts';
import {
  CodeLink,
  NodeCell,
  pageOf,
  SummaryCell,
  TimeLeft,
  TitleCell,
  ViaCell,
  WaitingCell,
} from './approval-cells.tsx';

const TABS: readonly TabSpec[] = [
  ...approvalTask.list.tabs!,
  ...approvalInstance.list.tabs!,
  ...approvalStandin.list.tabs!,
];

/** A list as one tab of the centre: every tab stands above it, whichever resource it lists. */
function tabOf(
  contract: object,
  tabs: readonly TabSpec[],
  list: Partial<ResourceSpec['list']>,
  more: object = {},
) {
  const whole = contract as Resource;
  return {
    ...whole,
    title: approvalTask.title,
    ...more,
    list: { ...whole.list, tabs, ...list },
  } as Resource;
}

const COMMON = ['code', 'title', 'type', 'summary', 'project', 'starter', 'node', 'arrivedAt'];
const TASK_LISTS: Readonly<
  Record<string, readonly [columns: readonly string[], filters: readonly string[]]>
> = {
  // How long there is left and for whom one sits in must not lie under the buttons.
  todo: [
    ['code', 'title', 'type', 'summary', 'timeLeft', 'via', 'node', 'starter', 'arrivedAt', 'project'],
    ['type', 'project', 'starter', 'arrivedAt', 'overdue', 'via'],
  ],
  done: [
    [...COMMON, 'result', 'decidedAt', 'state', 'via'],
    ['type', 'project', 'starter', 'state', 'arrivedAt', 'via'],
  ],
  copied: [
    [...COMMON, 'state'],
    ['type', 'project', 'starter', 'state', 'arrivedAt'],
  ],
};

const taskSlots: ScreenSlots = {
  cells: {
    code: (row) => <CodeLink row={row} />,
    title: (row) => <TitleCell row={row} />,
    summary: (row) => <SummaryCell row={row} />,
    node: (row) => <NodeCell value={row.node} />,
    timeLeft: (row) => <TimeLeft minutes={row.timeLeft} />,
    via: (row) => <ViaCell row={row} label={VIAS[row.via as keyof typeof VIAS]?.label ?? ['', '']} />,
  },
  actionScreens: { handle: (props) => <OpenPage {...props} /> },
};

const instanceSlots: ScreenSlots = {
  cells: {
    title: (row) => <TitleCell row={row} />,
    summary: (row) => <SummaryCell row={row} />,
    nodes: (row) => <NodeCell value={row.nodes} />,
    waiting: (row) => <WaitingCell row={row} />,
    timeLeft: (row) => <TimeLeft minutes={row.timeLeft} />,
  },
  inputs: { from: (props) => <WaitingInput {...props} /> },
};

/** What waits for the staff, what it decided, was sent and started, and who sits in for whom. */
function ApprovalCentre() {
  const view = useView();
  const held = useHeld(approvalTask);
  const { data: counts } = useQuery({
    queryKey: keysOf.counts(approvalInstance.name, 'tabs'),
    queryFn: ({ signal }) =>
      call<Readonly<Record<string, number>>>('GET', `${rootOf(approvalInstance)}/counts`, {
        signal,
        quiet: true,
      }),
  });
  const wanted = view.query.get('tab') ?? 'todo';
  // Whoever looks after nobody's approvals has no use for all of them.
  const all =
    held('btn_cancel') || held('btn_reassign') || (counts !== undefined && counts.all! > counts.started!);
  const tabs = TABS.filter((tab) => tab.key !== 'all' || all || wanted === 'all');
  const tab = tabs.some((one) => one.key === wanted) ? wanted : 'todo';
  const toolbar = <SetStandin />;
  if (tab === 'standin') return <ScreenOf key={tab} contract={tabOf(approvalStandin, tabs, {})} />;
  if (tab === 'started' || tab === 'all')
    return (
      <ScreenOf
        key={tab}
        contract={tabOf(approvalInstance, tabs, {})}
        slots={{ ...instanceSlots, toolbar }}
      />
    );
  const [columns, filters] = TASK_LISTS[tab]!;
  // Only what waits can be decided in bulk.
  const more = tab === 'todo' ? {} : { actions: {} };
  return (
    <ScreenOf
      key={tab}
      contract={tabOf(
        approvalTask,
        tabs,
        { columns, filters, hidden: [], link: 'approval', ...EMPTY[tab] },
        more,
      )}
      slots={{ ...taskSlots, toolbar }}
    />
  );
}

const EMPTY: Readonly<Record<string, Partial<ResourceSpec['list']>>> = {
  done: { empty: ['您还没有处理过审批', 'You have decided nothing yet'], sort: '-decidedAt' },
  copied: { empty: ['没有抄送给您的审批', 'Nothing was copied to you'] },
};

/** Approvals of every business type. */
export const screen = { contract: approvalTask, component: ApprovalCentre };

function SetStandin() {
  const text = useText();
  const held = useHeld(approvalStandin);
  const action = useAction(approvalStandin, {});
  if (!held('btn_standin')) return null;
  return (
    <>
      <Button size="small" onClick={() => action.run('create')}>
        {text(['设置代理', 'Set a stand-in'])}
      </Button>
      {action.element}
    </>
  );
}

/** Goes to the page of the approval the row is about. */
function OpenPage({ row, close }: ActionScreenProps) {
  const view = useView();
  const id = row?.approval;
  const go = useEffectEvent(() => {
    close();
    view.open(pageOf(id));
  });
  // Opening the page is all there is to do.
  useEffect(() => go(), [id]);
  return null;
}

/** One of those the approval waits for. */
function WaitingInput({ id, value, onChange, rows, disabled }: SlotInputProps) {
  const text = useText();
  const people = (rows[0]?.waiting ?? []) as readonly { readonly id: string; readonly name: string }[];
  const only = people.length === 1 ? people[0]!.id : undefined;
  const chooseOnly = useEffectEvent(() => {
    if (only !== undefined && !value) onChange?.({ id: only, title: people[0]!.name });
  });
  // The only one there is needs no choosing.
  useEffect(() => chooseOnly(), [only]);
  const chosen = typeof value === 'object' && value !== null ? (value as { id: string }).id : value;
  return (
    <Select
      {...(id ? { id } : {})}
      aria-label={text(['当前审批人', 'Waits for'])}
      disabled={disabled}
      value={(chosen as string | undefined) ?? null}
      onChange={(next) => {
        const one = people.find((person) => person.id === next);
        onChange?.(one && { id: one.id, title: one.name });
      }}
      options={people.map((one) => ({ value: one.id, label: one.name }))}
    />
  );
}

import { lazyPart } from '../../../kernel/client/parts/lazy-part.tsx';
import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import type { ScreenSlots, SlotInputProps } from '../../../kernel/client/slots.ts';
import { butlerTask } from './operate.contract.ts';

const TaskDays = lazyPart(() => import('./task-days.tsx').then((module) => module.TaskDays));
const AudienceProjects = lazyPart(() =>
  import('../audience-projects.tsx').then((module) => module.AudienceProjects),
);

const slots: ScreenSlots = {
  inputs: { projects: (props: SlotInputProps) => <AudienceProjects {...props} /> },
  detailParts: [
    { key: 'days', label: ['每日进度', 'By day'], render: (row) => <TaskDays key={row.id} row={row} /> },
  ],
};

/** Tasks: the default list with the curve of each. */
function OperateScreen() {
  return <ScreenOf contract={butlerTask} slots={slots} />;
}

/** Module of butler_operate. */
export const screen = { contract: butlerTask, component: OperateScreen };

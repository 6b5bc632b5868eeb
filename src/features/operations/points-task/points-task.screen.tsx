import { partsOfSaid } from '../../../domain/coupon/said-twice.rules.ts';
import { useText } from '../../../kernel/client/language.ts';
import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import type { ScreenSlots } from '../../../kernel/client/slots.ts';
import { pointsTask } from './points-task.contract.ts';

/** A text in the reader's language. */
function Said({ value }: { readonly value: unknown }) {
  const text = useText();
  return <>{text(partsOfSaid(value))}</>;
}

/** Times; −1 is as often as one likes. */
function Times({ value }: { readonly value: unknown }) {
  const text = useText();
  return (
    <span className="k-number">{Number(value) === -1 ? text(['不限', 'No limit']) : String(value)}</span>
  );
}

const slots: ScreenSlots = {
  cells: {
    name: (row) => <Said value={row.name} />,
    proof: (row) => <Said value={row.proof} />,
    dayTimes: (row) => <Times value={row.dayTimes} />,
    totalTimes: (row) => <Times value={row.totalTimes} />,
  },
};

function PointsTaskScreen() {
  return <ScreenOf contract={pointsTask} slots={slots} />;
}

/** 任务积分. */
export const screen = { contract: pointsTask, component: PointsTaskScreen };

import './user-live.css';
import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import type { RowData } from '../../../kernel/client/wire.ts';
import { userLive } from './user-live.contract.ts';

/** A share as a field of the heat table: the more came back, the stronger its colour. */
const heat = (name: string) => (row: RowData) => {
  const value = row[name] as string | null;
  if (value === null || value === undefined) return <span className="k-quiet">—</span>;
  return (
    <span className="ul-heat" style={{ '--ul-share': `${Math.min(40, Number(value) * 0.5)}%` } as object}>
      {value}%
    </span>
  );
};

const slots = { cells: { day1: heat('day1'), day7: heat('day7'), day30: heat('day30') } };

function UserLiveScreen() {
  return <ScreenOf contract={userLive} slots={slots} />;
}

/** Active users. */
export const screen = { contract: userLive, component: UserLiveScreen };

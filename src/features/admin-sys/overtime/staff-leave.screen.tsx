import '../layout/split-screen.css';
import { leaveRecord } from './leave-record.contract.ts';
import { overtimeInputs } from './overtime-inputs.tsx';
import { StaffRecords } from './staff-records.tsx';

const slots = { inputs: overtimeInputs };

function StaffLeaveScreen() {
  return <StaffRecords resource={leaveRecord} slots={slots} />;
}

/** Time off and every other balance line of one staff. */
export const screen = { contract: leaveRecord, component: StaffLeaveScreen };

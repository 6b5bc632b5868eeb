import '../../../kernel/client/tree/split-screen.css';
import { leaveRecord } from './leave-record.contract.ts';
import { overtimeInputs } from './overtime-inputs.tsx';
import { ofOneStaff, StaffRecords } from './staff-records.tsx';

const ownRecords = ofOneStaff(leaveRecord, ['调休明细', 'Time-off detail']);
const slots = { inputs: overtimeInputs };

function StaffLeaveScreen() {
  return <StaffRecords resource={ownRecords} slots={slots} />;
}

/** Time off and every other balance line of one staff. */
export const screen = { contract: ownRecords, component: StaffLeaveScreen };

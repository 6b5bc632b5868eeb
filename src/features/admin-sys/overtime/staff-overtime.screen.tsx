import '../../../kernel/client/tree/split-screen.css';
import { Button } from 'antd';
import { call } from '../../../kernel/client/api-client.ts';
import type { ScreenSlots } from '../../../kernel/client/slots.ts';
import type { FileValue } from '../../../kernel/contract/fields.ts';
import { overtimeInputs } from './overtime-inputs.tsx';
import { overtimeRecord } from './overtime-record.contract.ts';
import { ofOneStaff, StaffRecords } from './staff-records.tsx';

const ownRecords = ofOneStaff(overtimeRecord, ['加班明细', 'Overtime detail']);

const slots: ScreenSlots = {
  inputs: overtimeInputs,
  cells: {
    attachment: (row) => {
      const file = row.attachment as FileValue | null;
      if (!file) return '–';
      // The address with its ticket is asked for at the click: only then somebody may need to open a colleague's file.
      const open = async () => {
        const ticket = await call<FileValue>('GET', `/api/admin/overtimeRecord/${row.id}/attachment`).catch(
          () => undefined,
        );
        if (ticket) window.open(ticket.url, '_blank', 'noopener');
      };
      return (
        <Button type="link" size="small" onClick={() => void open()}>
          {file.name}
        </Button>
      );
    },
  },
};

function StaffOvertimeScreen() {
  return <StaffRecords resource={ownRecords} slots={slots} />;
}

/** Overtime of one staff. */
export const screen = { contract: ownRecords, component: StaffOvertimeScreen };

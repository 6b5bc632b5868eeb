import { useText } from '../../../kernel/client/language.ts';
import { AppModal } from '../../../kernel/client/parts/app-modal.tsx';
import { ResourceTable } from '../../../kernel/client/list/resource-table.tsx';
import type { ActionScreenProps } from '../../../kernel/client/slots.ts';
import { interestGroupMember, interestGroupPoints } from './interest-group.contract.ts';

/** Members of a group: who applies, leads and left, with what is done about them. */
export function Members({ row, close }: ActionScreenProps) {
  const text = useText();
  return (
    <AppModal
      open
      width={980}
      footer={null}
      title={text([`${String(row!.name)}：成员`, `${String(row!.name)}: members`])}
      onCancel={close}
    >
      <ResourceTable
        resource={interestGroupMember}
        filters={{ group: row!.id }}
        columns={['name', 'phone', 'role', 'state', 'posts', 'joinedAt', 'reason']}
        limit={20}
        search
      />
    </AppModal>
  );
}

/** What a group earned, and why it earned less. */
export function PointsLog({ row, close }: ActionScreenProps) {
  const text = useText();
  return (
    <AppModal
      open
      width={920}
      footer={null}
      title={text([`${String(row!.name)}：积分记录`, `${String(row!.name)}: points log`])}
      onCancel={close}
    >
      <ResourceTable
        resource={interestGroupPoints}
        filters={{ group: row!.id }}
        columns={['at', 'event', 'points', 'rule', 'member', 'subject', 'cut']}
        limit={20}
        search
      />
    </AppModal>
  );
}

import { useQuery } from '@tanstack/react-query';
import { Button } from 'antd';
import { commentSlots } from '../../../domain/content/emoji/emojied.tsx';
import { call } from '../../../kernel/client/api-client.ts';
import { useText } from '../../../kernel/client/language.ts';
import { ResourceTable } from '../../../kernel/client/list/resource-table.tsx';
import { AppModal } from '../../../kernel/client/parts/app-modal.tsx';
import { useHeld } from '../../../kernel/client/parts/held.ts';
import { useExport } from '../../../kernel/client/parts/use-export.ts';
import type { ActionScreenProps } from '../../../kernel/client/slots.ts';
import { words } from '../../../kernel/client/texts.ts';
import { keysOf, rootOf, type RowData } from '../../../kernel/client/wire.ts';
import { activity, activityComment, activitySignup } from './activity.contract.ts';
import './activity.css';

/** Who signed up for an activity, waits and came, with what is done about them. */
export function Signups({ row, close }: ActionScreenProps) {
  const text = useText();
  // The figures follow what is done in the list below.
  const { data: now = row!, refetch } = useQuery({
    queryKey: [...keysOf.row(activity.name, row!.id), 'figures'],
    queryFn: () => call<RowData>('GET', `${rootOf(activity)}/${row!.id}`),
  });
  const held = useHeld(activitySignup);
  const exporting = useExport(`${rootOf(activitySignup)}/export`);
  return (
    <AppModal
      open
      width={1120}
      footer={null}
      title={text([`${String(row!.title)}：报名名单`, `${String(row!.title)}: sign-ups`])}
      onCancel={close}
    >
      <div className="ac-signups">
        <span>
          {text(['已报名', 'Signed up'])} {String(now.signed)}
          {Number(now.personLimit) > 0 ? ` / ${String(now.personLimit)}` : ''} · {text(['候补', 'Waiting'])}{' '}
          {String(now.waiting)} · {text(['已签到', 'Checked in'])} {String(now.came)}
        </span>
        {held('btn_export') && (
          <Button
            loading={exporting.busy}
            disabled={exporting.locked}
            onClick={() => exporting.start({ query: { activity: row!.id } })}
          >
            {text(words.export)}
          </Button>
        )}
      </div>
      <ResourceTable
        resource={activitySignup}
        filters={{ activity: row!.id }}
        columns={[
          'name',
          'phone',
          'house',
          'seats',
          'state',
          'checkIn',
          'appliedAt',
          'paid',
          'refunded',
          'answers',
          'checkedInAt',
          'checkInWay',
        ]}
        limit={20}
        search
        onDone={() => void refetch()}
      />
    </AppModal>
  );
}

/** Comments under an activity, with what moderators do about them. */
export function Comments({ row, close }: ActionScreenProps) {
  const text = useText();
  return (
    <AppModal
      open
      width={980}
      footer={null}
      title={text([`${String(row!.title)}：评论`, `${String(row!.title)}: comments`])}
      onCancel={close}
    >
      <ResourceTable
        resource={activityComment}
        slots={commentSlots}
        filters={{ activity: row!.id }}
        columns={['author', 'phone', 'content', 'state', 'shown', 'publishedAt']}
        limit={20}
        search
      />
    </AppModal>
  );
}

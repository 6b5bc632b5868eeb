import { useEffect, useEffectEvent } from 'react';
import { useText } from '../../../kernel/client/language.ts';
import { ResourceTable } from '../../../kernel/client/list/resource-table.tsx';
import { lazyPart } from '../../../kernel/client/parts/lazy-part.tsx';
import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import type { ActionScreenProps, DetailPart, ScreenSlots } from '../../../kernel/client/slots.ts';
import { useView } from '../../../kernel/client/view.ts';
import type { RowData } from '../../../kernel/client/wire.ts';
import { pointsLot, pointsStatement } from '../../points-accounts/account/account.contract.ts';
import { useRanges } from './member-calls.ts';
import { MEMBER_LISTS, pointsMember, type MemberListName } from './points-member.contract.ts';
import './points-member.css';

const SignInPart = lazyPart(() => import('./member-parts.tsx').then((module) => module.SignInPart));
const TaskPart = lazyPart(() => import('./member-parts.tsx').then((module) => module.TaskPart));
const GradePart = lazyPart(() => import('./member-parts.tsx').then((module) => module.GradePart));
const RecordsPart = lazyPart(() => import('./member-parts.tsx').then((module) => module.RecordsPart));
const CouponDialog = lazyPart(() => import('./member-dialogs.tsx').then((module) => module.CouponDialog));
const EventDialog = lazyPart(() => import('./event-dialog.tsx').then((module) => module.EventDialog));

/** The ranges of points the product offers in searches. */
function Ranges() {
  const text = useText();
  const view = useView();
  const { data } = useRanges();
  if (!data || data.length === 0) return null;
  const now = view.query.get('available');
  return (
    <div className="pm-ranges" role="group" aria-label={text(['可用积分范围', 'Ranges of available points'])}>
      <span className="k-quiet">{text(['可用积分', 'Available'])}</span>
      {data.map(({ start, end }) => {
        const value = `${start}~${end === -1 ? '' : end}`;
        return (
          <button
            key={value}
            type="button"
            className="k-link"
            aria-pressed={now === value}
            onClick={() => {
              const query = new URLSearchParams(view.query);
              if (now === value) query.delete('available');
              else query.set('available', value);
              query.delete('page');
              view.setQuery(query);
            }}
          >
            {end === -1 ? `${start}+` : `${start}–${end}`}
          </button>
        );
      })}
    </div>
  );
}

/** Opens a new batch of points for the chosen members. */
function SendScreen({ rows, close }: ActionScreenProps) {
  const view = useView();
  const path = view.pathOf('pointsSend');
  const ids = rows.map((row) => row.id).join(',');
  const leave = useEffectEvent(() => {
    close();
    if (path) view.open(`${path}/add/0?audience=chosen&chosen=${ids}`);
  });
  useEffect(() => leave(), []);
  return null;
}

function PointsPart({ row }: { readonly row: RowData }) {
  const text = useText();
  return (
    <>
      <ResourceTable
        search
        resource={pointsStatement}
        filters={{ account: row.id }}
        columns={['at', 'kind', 'amount', 'balance', 'businessNo', 'rule', 'remark']}
        limit={20}
      />
      <h3>{text(pointsLot.title)}</h3>
      <ResourceTable
        resource={pointsLot}
        filters={{ account: row.id }}
        columns={['number', 'source', 'amount', 'remaining', 'grantedAt', 'expiresAt', 'lotState']}
        limit={20}
      />
    </>
  );
}

const ALWAYS: readonly DetailPart[] = [
  { key: 'signIn', label: ['签到', 'Sign-in'], render: (row) => <SignInPart row={row} /> },
  { key: 'tasks', label: ['任务', 'Tasks'], render: (row) => <TaskPart row={row} /> },
  { key: 'growth', label: ['成长', 'Grade'], render: (row) => <GradePart row={row} /> },
];
const RECORDS: readonly {
  key: string;
  label: readonly [string, string];
  names: readonly MemberListName[];
}[] = [
  { key: 'coupons', label: ['优惠券', 'Coupons'], names: ['coupon'] },
  { key: 'orders', label: ['订单', 'Orders'], names: ['order', 'redemption'] },
  { key: 'afterSales', label: ['售后', 'After-sales'], names: ['afterSale'] },
  { key: 'houses', label: ['房屋', 'Houses'], names: ['house'] },
  {
    key: 'posts',
    label: ['内容', 'Posts'],
    names: ['family', 'chamber', 'group', 'familyComment', 'chamberComment'],
  },
  { key: 'moderation', label: ['处罚', 'Moderation'], names: ['penalty', 'case'] },
];

/** Points users; a tab of a member stands for those alone who hold the screen it comes from. */
function PointsMemberScreen() {
  const view = useView();
  const parts: DetailPart[] = [...ALWAYS];
  if (view.pathOf('pointsAccount'))
    parts.unshift({ key: 'points', label: ['积分', 'Points'], render: (row) => <PointsPart row={row} /> });
  for (const { key, label, names } of RECORDS) {
    const held = names.filter((name) => view.pathOf(MEMBER_LISTS[name].menu));
    if (held.length > 0) parts.push({ key, label, render: (row) => <RecordsPart row={row} names={held} /> });
  }
  const slots: ScreenSlots = {
    detailParts: parts,
    actionScreens: {
      event: (props) => <EventDialog {...props} />,
      coupon: (props) => <CouponDialog {...props} />,
      send: (props) => <SendScreen {...props} />,
    },
    ...(!view.params.id && { above: <Ranges /> }),
  };
  return <ScreenOf contract={pointsMember} slots={slots} />;
}

/** 积分用户. */
export const screen = { contract: pointsMember, component: PointsMemberScreen };

import { useEffect, useEffectEvent } from 'react';
import { useQuery } from '@tanstack/react-query';
import { call } from '../../../kernel/client/api-client.ts';
import { instantFull, NOTHING } from '../../../kernel/client/format.rules.ts';
import { StatusTag } from '../../../kernel/client/parts/status-tag.tsx';
import { ScreenOf, ScreenWaits } from '../../../kernel/client/screen-of.tsx';
import type { ActionScreenProps, ScreenSlots } from '../../../kernel/client/slots.ts';
import { useView } from '../../../kernel/client/view.ts';
import type { RowData } from '../../../kernel/client/wire.ts';
import type { Resource } from '../../../kernel/contract/resource.ts';
import { GROUP_STATUSES } from '../../../domain/group-buy/group-buy.rules.ts';
import { TimeLeft } from '../../../kernel/client/parts/time-left.tsx';
import { groupMaking, groupProduct, teamRecord } from './group-making.contract.ts';

/** Leaves for a page of the activity. */
function PageOf({ rows, close, page }: ActionScreenProps & { readonly page: string }) {
  const view = useView();
  const leave = useEffectEvent(() => {
    close();
    view.open(`/marketing/${page}/${rows[0]!.id}`);
  });
  useEffect(() => leave(), []);
  return null;
}

const slots: ScreenSlots = {
  actionScreens: {
    products: (props) => <PageOf {...props} page="mk_productList" />,
    members: (props) => <PageOf {...props} page="mk_memberRecord" />,
  },
};

const teamSlots: ScreenSlots = {
  cells: {
    deadline: (row) =>
      row.state === 'forming' ? (
        <TimeLeft until={row.deadline as string} />
      ) : row.deadline ? (
        instantFull(row.deadline as string)
      ) : (
        NOTHING
      ),
  },
};

/** What the activity of a page is. */
function Head({ id }: { readonly id: string }) {
  const view = useView();
  const { data } = useQuery({
    queryKey: ['groupMaking', 'head', id],
    // Who holds the page without the list of activities sees the rows alone.
    enabled: view.pathOf(groupMaking.menu) !== undefined,
    queryFn: ({ signal }) =>
      call<RowData>('GET', `/api/jinmao/web/groupMaking/${id}`, { signal, quiet: true }),
  });
  if (!data) return null;
  return (
    <p className="k-quiet">
      {String(data.code)} {String(data.name)}{' '}
      <StatusTag choice={GROUP_STATUSES[data.status as keyof typeof GROUP_STATUSES]} />{' '}
      {instantFull(data.startsAt as string)} – {instantFull(data.endsAt as string)}
    </p>
  );
}

/** One list of one activity: the address names it, the filter follows. */
function OfActivity({
  contract,
  slots: own = {},
}: {
  readonly contract: Resource;
  readonly slots?: ScreenSlots;
}) {
  const view = useView();
  const { id } = view.params;
  const isAsked = id === undefined || view.query.get('activity') === id;
  const ask = useEffectEvent(() => {
    if (!isAsked) view.setQuery(new URLSearchParams({ activity: id }));
  });
  useEffect(() => ask(), [id, isAsked]);
  if (!isAsked) return <ScreenWaits />;
  return <ScreenOf contract={contract} slots={{ ...own, ...(id && { above: <Head id={id} /> }) }} />;
}

/** 拼团活动. */
export const screen = {
  contract: groupMaking,
  component: () => <ScreenOf contract={groupMaking} slots={slots} />,
};

/** 拼团商品 of one activity. */
export const products = {
  contract: groupProduct,
  component: () => <OfActivity contract={groupProduct as unknown as Resource} />,
};

/** 拼团记录 of one activity. */
export const members = {
  contract: teamRecord,
  component: () => <OfActivity contract={teamRecord as unknown as Resource} slots={teamSlots} />,
};

import './client.css';
import { useEffect, useEffectEvent } from 'react';
import { Segmented } from 'antd';
import { FormPage } from '../../../kernel/client/form/form-page.tsx';
import { instantFull, instantShort } from '../../../kernel/client/format.rules.ts';
import { useText } from '../../../kernel/client/language.ts';
import { lazyPart } from '../../../kernel/client/parts/lazy-part.tsx';
import { PageTitle } from '../../../kernel/client/parts/page-title.tsx';
import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import type { ActionScreenProps, ScreenSlots } from '../../../kernel/client/slots.ts';
import { useView } from '../../../kernel/client/view.ts';
import type { RowData } from '../../../kernel/client/wire.ts';
import { businessDayOf, daysBetween } from '../../../kernel/contract/time.rules.ts';
import { LIMITS } from '../../../domain/commercial-client/client.rules.ts';
import { clientBin, clientRule, commercialClient } from './client.contract.ts';

/** Drafts a contract with a client. */
function Draft({ row, close }: ActionScreenProps) {
  const view = useView();
  const go = useEffectEvent(() => {
    close();
    view.open(`/publicResource/pr_contractCreart/add/0?clientId=${row!.id}`);
  });
  useEffect(() => go(), []);
  return null;
}

const ClientSpaces = lazyPart(() => import('./client-spaces.tsx').then((module) => module.ClientSpaces));
const Stream = lazyPart(() => import('./client-desk.tsx').then((module) => module.ClientStream));
const Today = lazyPart(() => import('./client-desk.tsx').then((module) => module.TodayBlocks));
const Known = lazyPart(() => import('./client-desk.tsx').then((module) => module.KnownInput));
const Board = lazyPart(() => import('./client-board.tsx').then((module) => module.ClientBoard));

/** Days from today to a business day. */
const daysTo = (day: string) => {
  const today = businessDayOf(new Date());
  return day >= today ? daysBetween(today, day) - 1 : 1 - daysBetween(day, today);
};

function LastFollow({ row }: { readonly row: RowData }) {
  const text = useText();
  const at = row.lastFollowAt as string | null;
  if (!at) return <>—</>;
  const days = -daysTo(businessDayOf(new Date(at)));
  return (
    <span title={instantFull(at)}>
      {days === 0 ? text(['今天', 'today']) : text([`${days} 天前`, `${days} days ago`])}
    </span>
  );
}

function NextFollow({ row }: { readonly row: RowData }) {
  const at = row.nextFollowAt as string | null;
  if (!at) return <>—</>;
  const late = businessDayOf(new Date(at)) < businessDayOf(new Date());
  return (
    <span className={late ? 'cl-late' : undefined} title={instantFull(at)}>
      {instantShort(at)}
    </span>
  );
}

function PoolDays({ row }: { readonly row: RowData }) {
  const text = useText();
  const day = row.poolOn as string | null;
  if (!day) return <>—</>;
  const days = Math.max(0, daysTo(day));
  return (
    <span className={days <= LIMITS.warnDays ? 'cl-soon' : undefined} title={day}>
      {text([`${days} 天`, `${days} days`])}
    </span>
  );
}

const slots: ScreenSlots = {
  actionScreens: { contract: (props) => <Draft {...props} /> },
  cells: {
    lastFollowAt: (row) => <LastFollow row={row} />,
    nextFollowAt: (row) => <NextFollow row={row} />,
    poolOn: (row) => <PoolDays row={row} />,
  },
  inputs: {
    name: (props) => <Known name="name" {...props} />,
    licenceNo: (props) => <Known name="licenceNo" {...props} />,
    contactPhone: (props) => <Known name="contactPhone" {...props} />,
  },
  detailParts: [
    {
      key: 'spaces',
      label: ['匹配铺位', 'Matching spaces'],
      render: (row) => <ClientSpaces id={row.id} />,
    },
    { key: 'stream', label: ['时间线', 'All events'], render: (row) => <Stream id={row.id} /> },
  ],
};

const isList = (as: string) => as === 'table' || as === 'board';

/** 商业客户: table, board of stages or recycle list; one page adds and, with an id, edits; the detail. */
function Clients() {
  const text = useText();
  const view = useView();
  const id = view.query.get('id') ?? undefined;
  if (view.menu === 'addCustomer')
    return <FormPage key={id ?? ''} resource={commercialClient} slots={slots} id={id} />;
  if (view.menu !== 'customerList') return <ScreenOf contract={commercialClient} slots={slots} />;
  const as = view.query.get('as') ?? 'table';
  const show = (next: string) => {
    const query = new URLSearchParams(isList(next) && isList(as) ? view.query : {});
    if (next === 'table') query.delete('as');
    else query.set('as', next);
    view.setQuery(query);
  };
  const strip = (
    <div className="cl-switch">
      <Segmented
        size="small"
        value={as}
        onChange={show}
        options={[
          { value: 'table', label: text(['表格', 'Table']) },
          { value: 'board', label: text(['漏斗看板', 'Board']) },
          { value: 'bin', label: text(clientBin.title) },
          { value: 'rules', label: text(clientRule.title) },
        ]}
      />
    </div>
  );
  if (as === 'rules') return <ScreenOf key="rules" contract={clientRule} slots={{ above: strip }} />;
  if (as === 'bin') return <ScreenOf key="bin" contract={clientBin} slots={{ above: strip }} />;
  if (as === 'board')
    return (
      <div className="k-screen">
        <PageTitle title={commercialClient.title} />
        {strip}
        <Board slots={slots} />
      </div>
    );
  const today = (view.query.get('tab') ?? 'today') === 'today';
  return (
    <ScreenOf
      key="table"
      contract={commercialClient}
      slots={{
        ...slots,
        above: (
          <>
            {strip}
            {today && <Today />}
          </>
        ),
      }}
    />
  );
}

/** 商业客户. */
export const screen = { contract: commercialClient, component: Clients };

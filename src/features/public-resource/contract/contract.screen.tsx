import { useContext, useEffect, useEffectEvent, useMemo } from 'react';
import { Button, Skeleton } from 'antd';
import { useQuery } from '@tanstack/react-query';
import { endOfRenewal } from '../../../domain/contract/plan.rules.ts';
import { call } from '../../../kernel/client/api-client.ts';
import { useAction } from '../../../kernel/client/action/use-action.tsx';
import { DetailPage } from '../../../kernel/client/detail/detail-page.tsx';
import { useRow } from '../../../kernel/client/detail/use-row.ts';
import { FormPage } from '../../../kernel/client/form/form-page.tsx';
import { useText } from '../../../kernel/client/language.ts';
import { ErrorPanel } from '../../../kernel/client/parts/error-panel.tsx';
import { useHeld } from '../../../kernel/client/parts/held.ts';
import { lazyPart } from '../../../kernel/client/parts/lazy-part.tsx';
import { TabList } from '../../../kernel/client/parts/tab-list.tsx';
import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import type { ActionScreenProps, ScreenSlots } from '../../../kernel/client/slots.ts';
import { useView, ViewContext } from '../../../kernel/client/view.ts';
import { keysOf, rootOf, type RowData } from '../../../kernel/client/wire.ts';
import type { Resource, TabSpec } from '../../../kernel/contract/resource.ts';
import { businessDayOf } from '../../../kernel/contract/time.rules.ts';
import { contract, contractMine, contractPayment, contractRun, LEDGER } from './contract.contract.ts';
import { contractTemplate } from '../contract-template/contract-template.contract.ts';
import { placesOn } from './places.rules.ts';

const parts = () => import('./contract-parts.tsx');
const PlanPreview = lazyPart(() => parts().then((module) => module.PlanPreview));
const ChangePreview = lazyPart(() => parts().then((module) => module.ChangePreview));
const NewPositions = lazyPart(() => parts().then((module) => module.NewPositions));
const StateSums = lazyPart(() => import('./state-sums.tsx').then((module) => module.StateSums));
const PaymentsPart = lazyPart(() => parts().then((module) => module.PaymentsPart));
const PlacesPart = lazyPart(() => parts().then((module) => module.PlacesPart));
const HistoryPart = lazyPart(() => parts().then((module) => module.HistoryPart));
const FollowPart = lazyPart(() => parts().then((module) => module.FollowPart));
const StateStrip = lazyPart(() => parts().then((module) => module.StateStrip));
const Paper = lazyPart(() => parts().then((module) => module.Paper));
const AuditBar = lazyPart(() => import('./audit-bar.tsx').then((module) => module.AuditBar));

/** Opens a path of the product for a row and leaves. */
function Go({ to, close }: { readonly to: string; readonly close: () => void }) {
  const view = useView();
  const go = useEffectEvent(() => {
    close();
    view.open(to);
  });
  useEffect(() => go(), []);
  return null;
}

function Print({ row, close }: ActionScreenProps) {
  return <Go to={`/publicResource/pr_contractSee/print/${row!.id}`} close={close} />;
}

/** How many positions, with their codes on hover. */
function Places({ row }: { readonly row: RowData }) {
  return (
    <span className="k-number" title={String(row.places ?? '')}>
      {String(row.placeCount)}
    </span>
  );
}

const slots: ScreenSlots = {
  cells: { placeCount: (row) => <Places row={row} /> },
  inputs: {
    preview: (props) => <PlanPreview values={props.values} />,
    changePreview: (props) => <ChangePreview {...props} />,
    newPositions: (props) => <NewPositions {...props} />,
  },
  actionScreens: { print: (props) => <Print {...props} /> },
  dialogWith: {
    // What stands is changed, not typed again; rows of lists do not bring their positions, the input reads them.
    changePositions: (row) =>
      row.positions === undefined ? {} : { newPositions: placesOn(row.positions, businessDayOf(new Date())) },
    changeParty: (row) =>
      Object.fromEntries(
        (['client', 'merchant', 'partyName', 'licenceNo', 'contact', 'contactPhone'] as const).map((name) => [
          name,
          row[name] ?? undefined,
        ]),
      ),
    renew: (row) => ({ endsOn: endOfRenewal(String(row.startsOn), String(row.endsOn)) }),
  },
  detailAbove: (row) => <StateStrip row={row} />,
  detailParts: [
    { key: 'payments', label: ['收付计划', 'Payments'], render: (row) => <PaymentsPart row={row} /> },
    { key: 'places', label: ['点位', 'Positions'], render: (row) => <PlacesPart row={row} /> },
    { key: 'history', label: ['变更与审批', 'Changes'], render: (row) => <HistoryPart row={row} /> },
    { key: 'follow', label: ['提醒与续签', 'Reminders'], render: (row) => <FollowPart row={row} /> },
  ],
};

/** The ledger; who keeps what contracts are printed with has that list beside it. */
function Ledger() {
  const text = useText();
  const view = useView();
  const mayKeep = useHeld(contractTemplate)('btn_template');
  if (!mayKeep || view.menu !== LEDGER) return <ScreenOf contract={contract} slots={slots} />;
  const templates = view.query.get('as') === 'templates';
  const strip = (
    <TabList
      label={text(contract.title)}
      tabs={[
        { key: 'contracts', label: text(['合同', 'Contracts']) },
        { key: 'templates', label: text(contractTemplate.title) },
      ]}
      active={templates ? 'templates' : 'contracts'}
      onChange={(key) => view.setQuery(new URLSearchParams(key === 'templates' ? { as: 'templates' } : {}))}
    />
  );
  return templates ? (
    <ScreenOf key="templates" contract={contractTemplate} slots={{ above: strip }} />
  ) : (
    <ScreenOf key="contracts" contract={contract} slots={{ ...slots, above: strip }} />
  );
}

/** 合同台账. */
export const ledgerScreen = { contract, component: Ledger };

/** The list of own contracts; `…/pr_contractCreart/:type/:id` adds, edits and copies one. */
function Mine() {
  const view = useContext(ViewContext)!;
  const { type, id } = view.params;
  const place = useMemo(() => {
    // The form takes what it copies, and what it is prefilled with, from its address.
    const query = new URLSearchParams(view.query);
    if (type === 'copy' && id) query.set('copy', id);
    // Rows of lines come by other ways than a query: see `placesIn`.
    query.delete('positions');
    query.delete('places');
    for (const [given, field] of Object.entries(GIVEN)) {
      const value = query.get(given);
      if (value !== null && !query.has(field)) query.set(field, value);
    }
    return { ...view, query };
  }, [view, type, id]);
  if (type === undefined) return <ScreenOf contract={contractMine} slots={slots} />;
  const positions = placesIn(view.query);
  const first = positions.length > 0 ? { ...slots, createWith: { positions } } : slots;
  return (
    <ViewContext value={place}>
      {(type === 'renew' || type === 'change') && id ? (
        <Begin key={`${type} ${id}`} type={type} id={id} />
      ) : type === 'edit' && id ? (
        <FormPage key={id} resource={contractMine} slots={slots} id={id} />
      ) : (
        <FormPage key={`${type} ${id}`} resource={contractMine} slots={first} id={undefined} />
      )}
    </ViewContext>
  );
}

/** What each kind of change is called as an action. */
const CHANGE_ACTIONS: Readonly<Record<string, string>> = {
  party: 'changeParty',
  term: 'changeTerm',
  price: 'changePrice',
  position: 'changePositions',
  terminate: 'terminate',
};

/** `…/renew/:id` and `…/change/:id?kind=`: the contract, with the dialog of what is to be done with it. */
function Begin({ type, id }: { readonly type: string; readonly id: string }) {
  const view = useView();
  const { data: row } = useRow(contractMine, id);
  const action = useAction(contractMine, { slots });
  const name =
    type === 'renew' ? 'renew' : (CHANGE_ACTIONS[view.query.get('kind') ?? 'term'] ?? 'changeTerm');
  const begin = useEffectEvent(() => {
    if (row?.actions.includes(name)) action.run(name, row);
  });
  const ready = row !== undefined;
  useEffect(() => {
    if (ready) begin();
  }, [ready]);
  return (
    <>
      <DetailPage resource={contractMine as Resource} slots={slots} id={id} />
      {action.element}
    </>
  );
}

/** Positions the availability board hands over: ids, and with them codes, days and list prices. */
function placesIn(query: URLSearchParams): readonly Readonly<Record<string, unknown>>[] {
  const given = query.get('places');
  const ids = (query.get('positions') ?? '').split(',').filter(Boolean);
  if (given === null) return ids.map((id) => ({ place: { id, title: id } }));
  try {
    return (JSON.parse(given) as readonly Readonly<Record<string, string>>[]).map((one) => ({
      place: { id: String(one.id), title: String(one.code) },
      fromOn: one.from,
      toOn: one.to,
      price: one.price,
    }));
  } catch {
    return [];
  }
}

/** What the availability board hands over, by the field of the form. */
const GIVEN = { from: 'startsOn', to: 'endsOn', clientId: 'client' } as const;

/** 我的合同, with its form page. */
export const mineScreen = { contract: contractMine, component: Mine };

/** `…/pr_contractSee/:type/:id`: one contract, from whichever list the staff holds; `audit` with what may be decided about it. */
function See() {
  const view = useView();
  const { type, id = '' } = view.params;
  const resource = (view.pathOf(LEDGER) ? contract : contractMine) as Resource;
  const change = view.query.get('change');
  // An approval of a change knows the change; the contract is found by it.
  const found = useQuery({
    queryKey: [...keysOf.all(resource.name), 'ofChange', change],
    enabled: change !== null,
    queryFn: ({ signal }) =>
      call<{ rows: readonly RowData[] }>('GET', `${rootOf(resource)}/page`, {
        query: { changeId: change!, limit: '1' },
        signal,
        quiet: true,
      }),
  });
  if (change !== null && found.isError)
    return <ErrorPanel error={found.error} onRetry={() => void found.refetch()} />;
  if (change !== null && !found.data) return <Skeleton active paragraph={{ rows: 6 }} />;
  const shown = change === null ? id : (found.data!.rows[0]?.id ?? id);
  if (type === 'print') return <PrintPage resource={resource} id={shown} />;
  if (type !== 'audit') return <DetailPage key={shown} resource={resource} slots={slots} id={shown} />;
  // The bar decides; the same two buttons do not stand in the title once more.
  const actions = Object.fromEntries(
    Object.entries(resource.actions ?? {}).filter(([name]) => name !== 'approve' && name !== 'reject'),
  );
  return (
    <div className="contract-audit">
      <DetailPage key={shown} resource={{ ...resource, actions }} slots={slots} id={shown} />
      <AuditBar resource={resource} id={shown} />
    </div>
  );
}

function PrintPage({ resource, id }: { readonly resource: Resource; readonly id: string }) {
  const text = useText();
  const { data: row, isError, error, refetch } = useRow(resource, id);
  return (
    <div className="k-screen">
      <header className="k-title">
        <h1>{text(['合同打印', 'Print a contract'])}</h1>
        <div className="k-title-actions">
          <Button type="primary" disabled={!row} onClick={() => window.print()}>
            {text(['打印', 'Print'])}
          </Button>
        </div>
      </header>
      {isError ? <ErrorPanel error={error} onRetry={() => void refetch()} /> : row && <Paper row={row} />}
    </div>
  );
}

/** 合同详情. */
export const seeScreen = { contract, component: See };

const RUN_TABS: readonly TabSpec[] = [
  contractRun.list.tabs![0]!,
  { key: 'lines', label: ['收付计划', 'Payment lines'] },
  contractRun.list.tabs![1]!,
];

function Receipt({ row, close }: ActionScreenProps) {
  return (
    <Go
      to={`/lifeService/accountsConfirmEdit/0/contract?receivable=${String(row!.receivableId)}`}
      close={close}
    />
  );
}

function Dun({ row, close }: ActionScreenProps) {
  return (
    <Go
      to={`/lifeService/accountsReceivable?searchVal=${encodeURIComponent(String(row!.receivable))}`}
      close={close}
    />
  );
}

const lineSlots: ScreenSlots = {
  actionScreens: {
    receipt: (props) => <Receipt {...props} />,
    dun: (props) => <Dun {...props} />,
  },
};

/** Contracts in execution, their lines, and those about to end: every tab stands above each list. */
function Run() {
  const view = useView();
  const tab = view.query.get('tab') ?? 'running';
  const shown = (resource: object): Resource => {
    const whole = resource as Resource;
    return { ...whole, title: contractRun.title, list: { ...whole.list, tabs: RUN_TABS } };
  };
  return tab === 'lines' ? (
    <ScreenOf key="lines" contract={shown(contractPayment)} slots={{ ...lineSlots, above: <StateSums /> }} />
  ) : (
    <ScreenOf key="contracts" contract={shown(contractRun)} slots={slots} />
  );
}

/** 合同执行. */
export const runScreen = { contract: contractRun, component: Run };

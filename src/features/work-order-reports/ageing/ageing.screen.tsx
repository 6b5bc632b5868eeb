import { useState } from 'react';
import { Button } from 'antd';
import { call, newIdempotencyKey } from '../../../kernel/client/api-client.ts';
import { message, tellFault } from '../../../kernel/client/feedback.ts';
import { thousands } from '../../../kernel/client/format.rules.ts';
import { useText } from '../../../kernel/client/language.ts';
import { ResourceTable } from '../../../kernel/client/list/resource-table.tsx';
import { AppDrawer } from '../../../kernel/client/parts/app-drawer.tsx';
import { AppModal } from '../../../kernel/client/parts/app-modal.tsx';
import { useSubmitGuard } from '../../../kernel/client/parts/use-guard.ts';
import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import type { ActionScreenProps, ScreenSlots } from '../../../kernel/client/slots.ts';
import { useView } from '../../../kernel/client/view.ts';
import type { RowData } from '../../../kernel/client/wire.ts';
import { fill } from '../../../kernel/contract/label.ts';
import { ageing, ageingOrder, BUCKET_COLUMNS, MINUTE_COLUMNS } from './ageing.contract.ts';

const COUNTED = [...BUCKET_COLUMNS, 'notReached', 'total'] as const;
type Drill = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** Reminds the handlers of the chosen orders, each as the desk would. */
function UrgeDialog({ rows, close, done }: ActionScreenProps) {
  const text = useText();
  const guard = useSubmitGuard();
  const urge = async () => {
    let sent = 0;
    for (const row of rows)
      await call('POST', `/api/jinmao/web/workOrder/${row.id}/urge`, {
        body: { version: row.version },
        idempotencyKey: newIdempotencyKey(),
        quiet: true,
      }).then(
        () => (sent += 1),
        () => undefined,
      );
    if (sent === rows.length) message.success(text([`已催 ${sent} 条`, `${sent} urged`]), 3);
    else
      message.warning(
        text([
          `已催 ${sent} 条，${rows.length - sent} 条近期已催过或无权操作`,
          `${sent} urged, ${rows.length - sent} were urged lately or are not yours`,
        ]),
        6,
      );
    done();
  };
  return (
    <AppModal
      open
      title={text(['催单', 'Urge'])}
      onCancel={close}
      onOk={() => void guard.run(() => urge().catch(tellFault))}
      confirmLoading={guard.busy}
    >
      {text(
        fill(
          [
            '通知 {n} 条工单的处理人及其负责人尽快处理？',
            'Tell the handlers of {n} {n|order|orders} and their leaders to hurry?',
          ],
          { n: rows.length },
        ),
      )}
    </AppModal>
  );
}

/** A figure with its share of the row, which opens its orders. */
function Cell({
  row,
  name,
  open,
}: {
  readonly row: RowData;
  readonly name: string;
  readonly open: (filters: Readonly<Record<string, string>>) => void;
}) {
  const text = useText();
  const n = Number(row[name] ?? 0);
  if (n === 0) return <span className="k-number">0</span>;
  const total = Number(row.total);
  const share = name === 'total' || total === 0 ? '' : ` (${((100 * n) / total).toFixed(1)}%)`;
  const filters = (row.drill as Drill | undefined)?.[name];
  if (!filters) return <span className="k-number">{thousands(n)}</span>;
  return (
    <button
      type="button"
      className="k-link k-number"
      title={text(['查看对应工单', 'Show its orders'])}
      onClick={() => open(filters)}
    >
      {`${thousands(n)}${share}`}
    </button>
  );
}

const listSlots = (view: ReturnType<typeof useView>): ScreenSlots => ({
  cells: {
    code: (row) => {
      const path = view.pathOf('cs_orderDetail');
      return path ? (
        <button type="button" className="k-link" onClick={() => view.open(`${path}?id=${row.id}&objType=1`)}>
          {String(row.code)}
        </button>
      ) : (
        String(row.code)
      );
    },
  },
  actionScreens: { urge: (props) => <UrgeDialog {...props} /> },
});

/** Columns of the orders behind a figure, with the one it was counted by. */
function columnsOf(filters: Readonly<Record<string, string>>): readonly string[] {
  const [, type = '1', business] = /^([1-4])(b?)/.exec(filters.aging ?? '') ?? [];
  const measure = MINUTE_COLUMNS[Number(type) as keyof typeof MINUTE_COLUMNS];
  return [
    'code',
    'type',
    'title',
    'handlerName',
    measure[business ? 'business' : 'clock'],
    'state',
    'createdAt',
    'acceptedAt',
    'startedAt',
    'finishedAt',
    'project',
  ];
}

function AgeingScreen() {
  const text = useText();
  const view = useView();
  const [filters, setFilters] = useState<Readonly<Record<string, string>>>();
  if (view.query.get('as') === 'orders') return <ScreenOf contract={ageingOrder} slots={listSlots(view)} />;
  const link = (chosen: Readonly<Record<string, string>>) =>
    `${view.path}?${new URLSearchParams({ as: 'orders', ...chosen }).toString()}`;
  return (
    <>
      <ScreenOf
        contract={ageing}
        slots={{
          cells: Object.fromEntries(
            COUNTED.map((name) => [
              name,
              (row: RowData) => <Cell row={row} name={name} open={(chosen) => setFilters(chosen)} />,
            ]),
          ),
        }}
      />
      {filters && (
        <AppDrawer
          open
          size={1_100}
          title={text(ageingOrder.title)}
          onClose={() => setFilters(undefined)}
          extra={
            <Button type="link" onClick={() => view.open(link(filters))}>
              {text(['作为列表打开', 'Open as a list'])}
            </Button>
          }
        >
          <ResourceTable
            key={filters.aging ?? ''}
            resource={ageingOrder}
            filters={filters}
            columns={columnsOf(filters)}
            page
            slots={listSlots(view)}
            limit={20}
          />
        </AppDrawer>
      )}
    </>
  );
}

/** 时效统计. */
export const screen = { contract: ageing, component: AgeingScreen };

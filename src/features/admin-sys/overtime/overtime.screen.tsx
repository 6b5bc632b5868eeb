import '../../../kernel/client/tree/split-screen.css';
import { lazy, Suspense, useState, type ReactNode } from 'react';
import { Badge, Button } from 'antd';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useAction } from '../../../kernel/client/action/use-action.tsx';
import { call } from '../../../kernel/client/api-client.ts';
import { useText } from '../../../kernel/client/language.ts';
import { useHeld } from '../../../kernel/client/parts/held.ts';
import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import type { ScreenSlots } from '../../../kernel/client/slots.ts';
import { useView } from '../../../kernel/client/view.ts';
import type { RowData } from '../../../kernel/client/wire.ts';
import { ImportButton } from '../../../kernel/client/import/import-button.tsx';
import { leaveRecord } from './leave-record.contract.ts';
import { overtime } from './overtime.contract.ts';
import { overtimeRecord } from './overtime-record.contract.ts';
import { overtimeInputs } from './overtime-inputs.tsx';

const ApprovalsDrawer = lazy(() =>
  import('../../../domain/approval/approvals-drawer.tsx').then((module) => ({
    default: module.ApprovalsDrawer,
  })),
);
const MonthlyDialog = lazy(() =>
  import('./monthly-dialog.tsx').then((module) => ({ default: module.MonthlyDialog })),
);

const HOURS = ['overtime', 'compensable', 'used', 'expired', 'pending', 'balance'] as const;

const cells: NonNullable<ScreenSlots['cells']> = {
  ...Object.fromEntries(HOURS.map((name) => [name, (row: RowData) => hours(row[name])])),
  name: (row) => (
    <DetailLink route="workOvertime" row={row}>
      {String(row.name)}
    </DetailLink>
  ),
  used: (row) => (
    <DetailLink route="leaveTimeDetail" row={row}>
      {hours(row.used)}
    </DetailLink>
  ),
};
const slots: ScreenSlots = { above: <OvertimeButtons />, cells };
const inputSlots: ScreenSlots = { inputs: overtimeInputs };

/** Overtime and time off of every staff. */
function OvertimeScreen() {
  return <ScreenOf contract={overtime} slots={slots} />;
}

/** Overtime and time off. */
export const screen = { contract: overtime, component: OvertimeScreen };

function hours(value: unknown): string {
  return Number(value ?? 0).toFixed(1);
}

function DetailLink({
  route,
  row,
  children,
}: {
  readonly route: string;
  readonly row: RowData;
  readonly children: ReactNode;
}) {
  const view = useView();
  const path = `/adminSys/${route}/${encodeURIComponent(String(row.staffNo))}/${encodeURIComponent(String(row.name))}`;
  return (
    <button type="button" className="k-link" onClick={() => view.open(path)}>
      {children}
    </button>
  );
}

/** What can be recorded, decided and looked at from the summary. */
function OvertimeButtons() {
  const text = useText();
  const view = useView();
  const client = useQueryClient();
  const held = useHeld(overtime);
  const [chart, setChart] = useState(false);
  const fresh = () => void client.invalidateQueries({ queryKey: ['report', overtime.name] });
  const work = useAction(overtimeRecord, { slots: inputSlots, onDone: fresh });
  const leave = useAction(leaveRecord, { slots: inputSlots, onDone: fresh });
  const { data: mine } = useQuery({
    queryKey: ['approval', 'mine'],
    queryFn: ({ signal }) =>
      call<readonly unknown[]>('GET', '/api/admin/approval/mine', { signal, quiet: true }),
  });
  const approvals = view.query.get('approvals') === '1';
  const showApprovals = (open: boolean) => {
    const query = new URLSearchParams(view.query);
    if (open) query.set('approvals', '1');
    else query.delete('approvals');
    view.setQuery(query);
  };
  return (
    <div className="screen-buttons">
      {held('btn_addOvertime') && (
        <Button type="primary" onClick={() => work.run('addOvertime')}>
          {text(['登记加班', 'Record overtime'])}
        </Button>
      )}
      {held('btn_addLeave') && (
        <Button onClick={() => leave.run('addLeave')}>{text(['登记调休', 'Record time off'])}</Button>
      )}
      {held('btn_adjust') && (
        <Button onClick={() => leave.run('adjust')}>{text(['调整余额', 'Adjust balance'])}</Button>
      )}
      <Badge count={mine?.length ?? 0} size="small">
        <Button onClick={() => showApprovals(true)}>{text(['待我审批', 'To approve'])}</Button>
      </Badge>
      <Button onClick={() => setChart(true)}>{text(['按月图表', 'Monthly chart'])}</Button>
      <ImportButton
        element="workOvertimeManager:btn_import"
        choice={{ source: 'overtimeRecord', resource: 'overtimeRecord', title: ['加班记录', 'Overtime'] }}
      />
      <Suspense>
        {approvals && <ApprovalsDrawer onClose={() => showApprovals(false)} onDecided={fresh} />}
        {chart && <MonthlyDialog onClose={() => setChart(false)} />}
      </Suspense>
      {work.element}
      {leave.element}
    </div>
  );
}

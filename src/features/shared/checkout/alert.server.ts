import type { Label } from '../../../kernel/contract/label.ts';
import { run, type Executor } from '../../../kernel/server/database.ts';
import type { AlertKindCode } from '../notification/notice-kinds.rules.ts';
import { notify } from '../notification/notify.server.ts';

/** Something the mall operators must look at. */
export interface StaffAlert {
  readonly kind: AlertKindCode;
  readonly title: Label;
  readonly body: Label;
}

/** Menu whose holders among the platform's staff get alerts of orders and payments. */
const ALERT_MENU = 'mm_businessOrder_wx';

/** Tells every platform staff who holds the goods-order screen, in the caller's transaction. */
export async function alertStaff(tx: Executor, alert: StaffAlert): Promise<void> {
  const staff = await run<{ id: number }>(
    tx,
    `SELECT DISTINCT s.id FROM staff s JOIN tenant t ON t.id = s.tenant_id AND t.kind = 3
       JOIN group_member m ON m.staff_id = s.id AND (m.expires_at IS NULL OR m.expires_at > now())
       JOIN menu_grant g ON g.group_id = m.group_id AND g.menu_code = $1
      WHERE s.state = 'normal'`,
    [ALERT_MENU],
  );
  await notify(tx, {
    staffIds: staff.map((row) => row.id),
    kind: alert.kind,
    level: 'alert',
    title: alert.title,
    body: alert.body,
    menu: ALERT_MENU,
  });
}

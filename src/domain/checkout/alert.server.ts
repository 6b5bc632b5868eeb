import type { Label } from '../../kernel/contract/label.ts';
import { run, runOne, type Executor } from '../../kernel/server/database.ts';
import type { AlertKindCode } from '../notification/notice-kinds.rules.ts';
import { PLATFORM_ADMIN_GROUP } from '../permission/effective-permissions.server.ts';
import { notify } from '../notification/notify.server.ts';
import { ORDER_MENU, paymentSight, tradeSight } from './order-sights.server.ts';

/** Something the mall operators must look at. */
export interface StaffAlert {
  readonly kind: AlertKindCode;
  readonly title: Label;
  readonly body: Label;
  /** The payment it is about, by number or id; without one it is about everything. */
  readonly checkoutCode?: string;
  readonly paymentId?: number;
}

/**
 * Tells the platform staff who see what it is about, in the caller's transaction: holders of the goods-order screen with all
 * of its rows (by a group, one it inherits from, or the one of their department; platform administrators hold
 * everything). Which of them work where it is, the sight of the payment says; what is of no payment, or of an unknown one,
 * is for those whom no project narrows.
 */
export async function alertStaff(tx: Executor, alert: StaffAlert): Promise<void> {
  const payment = await runOne<{ id: number }>(
    tx,
    'SELECT id FROM payment WHERE checkout_code = $1 OR id = $2 LIMIT 1',
    [alert.checkoutCode ?? null, alert.paymentId ?? null],
  );
  const staff = await run<{ id: number }>(
    tx,
    `WITH RECURSIVE giving AS (
       SELECT p.id, p.department_id FROM permission_group p
        WHERE p.enabled AND ((p.built_in AND p.code = $2)
              OR EXISTS (SELECT FROM menu_grant g WHERE g.group_id = p.id AND g.menu_code = $1 AND g.data_scope = 'all'))
       UNION
       SELECT h.id, h.department_id FROM permission_group h JOIN giving g ON g.id = h.parent_id AND h.inherit AND h.enabled)
     SELECT s.id FROM staff s JOIN tenant t ON t.id = s.tenant_id AND t.kind = 3
      WHERE s.state = 'normal'
        AND EXISTS (SELECT FROM giving p
                     WHERE p.department_id = s.department_id
                        OR EXISTS (SELECT FROM group_member m WHERE m.group_id = p.id AND m.staff_id = s.id
                                      AND (m.expires_at IS NULL OR m.expires_at > now())))`,
    [ORDER_MENU, PLATFORM_ADMIN_GROUP],
  );
  await notify(tx, {
    staffIds: staff.map((row) => row.id),
    kind: alert.kind,
    level: 'alert',
    title: alert.title,
    body: alert.body,
    rows: payment ? { sight: paymentSight, ids: [payment.id] } : { sight: tradeSight, ids: [1] },
  });
}

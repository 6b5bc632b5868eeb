import type { Caller } from '../../kernel/server/people/caller.ts';
import type { Tx } from '../../kernel/server/database.ts';
import { runOne } from '../../kernel/server/database.ts';
import { writeTimeline } from '../../kernel/server/audit/audit.ts';
import { nextCode } from '../../kernel/server/resource/codes.ts';
import { ruleBroken } from '../../kernel/server/http/errors.ts';
import { addEffect } from '../../kernel/server/tasks/outbox.ts';
import { startClocks } from './sla-clock.server.ts';
import { writeEvent } from './work-order-event.server.ts';

/** A repair or a complaint as the property company takes it in. */
export interface NewWorkOrder {
  readonly projectId: number;
  readonly houseId?: number | null;
  readonly memberId?: number | null;
  /** 1 owner's app, 2 staff app, 3 CRM, 4 web. */
  readonly source: 1 | 2 | 3 | 4;
  readonly onBehalf?: boolean;
  readonly title: string;
  readonly description: string;
  readonly imageIds?: readonly string[];
  readonly contactName: string;
  readonly contactPhone: string;
  readonly address?: string;
  readonly expectedAt?: Date | null;
  /** Default: a repair. */
  readonly class?: 'repair' | 'complaint';
  readonly urgency?: 'normal' | 'urgent' | 'emergency';
  readonly categoryId?: number | null;
  /** Public area, where no house is named, with its building if it has one. */
  readonly area?: string;
  readonly buildingId?: number | null;
  readonly videoId?: string | null;
  /** Of a complaint: who neither sees nor handles it. */
  readonly complainedStaffId?: number | null;
}

/** Effect that gives a new order to somebody by the dispatch rules. Payload `{ orderId }`. */
export const DISPATCH_EFFECT = 'wo.dispatch';

/**
 * Writes a work order in state 待系统受理 with its first event and timeline line, in the caller's transaction. It belongs to
 * the company that runs the project. Its clocks run from now, the dispatch rule acts after COMMIT. Throws 30101 when no company runs it. Returns id and code. Source: group 06, cs_workOrder.
 */
export async function createWorkOrder(
  tx: Tx,
  order: NewWorkOrder,
  caller?: Caller,
): Promise<{ readonly id: number; readonly code: string }> {
  const code = await nextCode(tx, 'WO');
  const row = await runOne<{ id: number }>(
    tx,
    `INSERT INTO work_order (code, type, source, on_behalf, tenant_id, project_id, house_id, member_id, title, description, image_ids,
       contact_name, contact_phone, address, expected_at, created_by, updated_by, class, urgency, category_id, area, building_id, video_id,
       complained_staff_id, behalf_name, behalf_phone)
     SELECT $1, 'complaint_repair', $2, $3, c.tenant_id, $4, $5, $6, $7, $8, $9::uuid[], $10, $11, $12, $13, $14, $14, $15, $16, $17, $18,
            coalesce($19, (SELECT u.building_id FROM house h JOIN building_unit u ON u.id = h.unit_id WHERE h.id = $5)), $20, $21,
            CASE WHEN $3 THEN $22 ELSE '' END, CASE WHEN $3 THEN coalesce((SELECT s.phone FROM staff s WHERE s.id = $14), '') ELSE '' END
       FROM (${companyOf('$4::bigint')}) c RETURNING id`,
    [
      code,
      order.source,
      order.onBehalf ?? false,
      order.projectId,
      order.houseId ?? null,
      order.memberId ?? null,
      order.title,
      order.description,
      order.imageIds ?? [],
      order.contactName,
      order.contactPhone,
      order.address ?? '',
      order.expectedAt ?? null,
      caller?.staffId || null,
      order.class ?? 'repair',
      order.urgency ?? 'normal',
      order.categoryId ?? null,
      order.area ?? '',
      order.buildingId ?? null,
      order.videoId ?? null,
      order.complainedStaffId ?? null,
      caller?.name ?? '',
    ],
  );
  if (!row) throw ruleBroken(['该项目没有物业公司', 'No company runs this project']);
  await writeEvent(
    tx,
    row.id,
    'create',
    order.description,
    { name: caller?.name ?? order.contactName, staffId: caller?.staffId ?? 0 },
    order.imageIds ?? [],
  );
  await writeTimeline(tx, {
    entity: 'workOrder',
    entityId: row.id,
    ...(caller ? { caller } : {}),
    action: 'create',
    label: ['创建', 'Created'],
    to: 'pending_system',
  });
  await startClocks(tx, row.id);
  await addEffect(tx, DISPATCH_EFFECT, { orderId: row.id }, { key: `${DISPATCH_EFFECT}:${row.id}` });
  return { id: row.id, code };
}

/** SQL of one row `(tenant_id)`: the company that runs a project, the one created first where several do. */
export const companyOf = (project: string): string =>
  `SELECT tp.tenant_id FROM tenant_project tp JOIN tenant c ON c.id = tp.tenant_id AND c.kind = 1 WHERE tp.project_id = ${project} ORDER BY tp.tenant_id LIMIT 1`;

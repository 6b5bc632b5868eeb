import type { Caller } from '../../kernel/server/people/caller.ts';
import type { Tx } from '../../kernel/server/database.ts';
import { run, runOne } from '../../kernel/server/database.ts';
import { writeTimeline } from '../../kernel/server/audit/audit.ts';
import { nextCode } from '../../kernel/server/resource/codes.ts';
import { ruleBroken } from '../../kernel/server/http/errors.ts';

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
}

/**
 * Writes a work order in state 待系统受理 with its first event and timeline line, in the caller's transaction. It belongs to
 * the company that runs the project. Throws 30101 when no company runs it. Returns id and code. Source: group 06, cs_workOrder.
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
       contact_name, contact_phone, address, expected_at, created_by, updated_by)
     SELECT $1, 'complaint_repair', $2, $3, c.tenant_id, $4, $5, $6, $7, $8, $9::uuid[], $10, $11, $12, $13, $14, $14
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
      caller?.staffId ?? null,
    ],
  );
  if (!row) throw ruleBroken(['该项目没有物业公司', 'No company runs this project']);
  await run(
    tx,
    `INSERT INTO work_order_event (order_id, who, staff_id, action, content) VALUES ($1, $2, $3, 'create', $4)`,
    [row.id, caller?.name ?? order.contactName, caller?.staffId ?? null, order.description],
  );
  await writeTimeline(tx, {
    entity: 'workOrder',
    entityId: row.id,
    ...(caller ? { caller } : {}),
    action: 'create',
    label: ['创建', 'Created'],
    to: 'pending_system',
  });
  return { id: row.id, code };
}

/** SQL of one row `(tenant_id)`: the company that runs a project, the one created first where several do. */
export const companyOf = (project: string): string =>
  `SELECT tp.tenant_id FROM tenant_project tp JOIN tenant c ON c.id = tp.tenant_id AND c.kind = 1 WHERE tp.project_id = ${project} ORDER BY tp.tenant_id LIMIT 1`;

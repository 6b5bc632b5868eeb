import { run, runOne, type Tx } from '../../kernel/server/database.ts';
import { invalid, ruleBroken } from '../../kernel/server/http/errors.ts';
import { metresBetween, MOST_METRES, signedIn, type PlanResult } from './work-plan.rules.ts';

/** Proof of having been there. */
export interface Presence {
  readonly pointId: number;
  /** What the QR of the point says. */
  readonly code?: string;
  /** `longitude,latitude` in degrees. */
  readonly position?: string;
  readonly imageIds: readonly string[];
  readonly staffId: number;
}

/**
 * Signs in at a point of a planned order, once, in the way its plan asks for. Throws 422 with what is missing and 30101 when it was
 * signed in before or too far away. The caller holds the order's lock. Returns the point's name and how it went.
 */
export async function checkIn(
  tx: Tx,
  orderId: number,
  presence: Presence,
  now = new Date(),
): Promise<{ readonly name: string; readonly state: Exclude<PlanResult, 'absent'>; readonly left: number }> {
  const task = await runOne<{
    id: number;
    name: string;
    sign_in: 'qr' | 'position' | 'photo';
    photo_required: boolean;
    window_from: Date;
    window_to: Date;
    checked_at: Date | null;
    token: string;
    longitude: number | null;
    latitude: number | null;
  }>(
    tx,
    `SELECT k.*, n.name, n.token, n.longitude::float8 AS longitude, n.latitude::float8 AS latitude FROM work_plan_task k JOIN work_point n ON n.id = k.point_id
      WHERE k.order_id = $1 AND k.point_id = $2 FOR UPDATE OF k`,
    [orderId, presence.pointId],
  );
  if (!task) throw invalid({ point: ['不是该工单的点位', 'It is not a point of this order'] });
  if (task.checked_at) throw ruleBroken(['该点位已签到', 'This point was signed in at already']);
  if (task.sign_in === 'qr' && (presence.code ?? '').trim().toUpperCase() !== task.token)
    throw invalid({ code: ['二维码与点位不符', 'The QR is not that of the point'] });
  let distance: number | null = null;
  if (task.sign_in === 'position') {
    const [longitude, latitude] = (presence.position ?? '').split(',').map(Number);
    if (!presence.position || !Number.isFinite(longitude) || !Number.isFinite(latitude))
      throw invalid({ position: ['请获取当前位置', 'Take the position first'] });
    if (task.longitude === null || task.latitude === null)
      throw ruleBroken(['点位未设置坐标', 'The point has no position']);
    distance = metresBetween(
      { longitude: longitude!, latitude: latitude! },
      { longitude: task.longitude, latitude: task.latitude },
    );
    if (distance > MOST_METRES)
      throw ruleBroken([
        `距点位${distance}米，须在${MOST_METRES}米内签到`,
        `${distance} m away; sign in within ${MOST_METRES} m`,
      ]);
  }
  if (task.photo_required && presence.imageIds.length === 0)
    throw invalid({ photos: ['请上传现场照片', 'A photo is needed'] });
  const state = signedIn(now, task.window_from, task.window_to);
  await run(
    tx,
    'UPDATE work_plan_task SET checked_at = $2, checked_by = $3, distance = $4, image_ids = $5::uuid[], state = $6 WHERE id = $1',
    [task.id, now, presence.staffId, distance, presence.imageIds, state],
  );
  const { left } = (await runOne<{ left: number }>(
    tx,
    'SELECT count(*)::integer AS left FROM work_plan_task WHERE order_id = $1 AND checked_at IS NULL',
    [orderId],
  ))!;
  return { name: task.name, state, left };
}

/** How an order went by its points: the worst of them. Throws 30101 while points are left. */
export async function resultOf(tx: Tx, orderId: number): Promise<PlanResult> {
  const rows = await run<{ state: PlanResult | null; n: number }>(
    tx,
    'SELECT state, count(*)::integer AS n FROM work_plan_task WHERE order_id = $1 GROUP BY 1',
    [orderId],
  );
  const left = rows.find((row) => row.state === null)?.n ?? 0;
  if (left > 0) throw ruleBroken([`还有${left}个点位未签到`, `${left} points have not been signed in at`]);
  return (['late', 'early'] as const).find((state) => rows.some((row) => row.state === state)) ?? 'on_time';
}

/** Points nobody came to. */
export async function markAbsent(tx: Tx, orderId: number): Promise<void> {
  await run(tx, `UPDATE work_plan_task SET state = 'absent' WHERE order_id = $1 AND checked_at IS NULL`, [
    orderId,
  ]);
}

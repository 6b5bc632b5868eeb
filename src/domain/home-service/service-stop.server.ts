import type { Label } from '../../kernel/contract/label.ts';
import { businessTimeText } from '../../kernel/contract/time.rules.ts';
import { run } from '../../kernel/server/database.ts';
import { invalid, ruleBroken } from '../../kernel/server/http/errors.ts';
import { chooseAgain } from './appointment/visit-attachment.server.ts';
import { lockVisit, type Acting } from './appointment/visit-record.server.ts';

/** A time in which a service is not offered, in one project or all. */
export interface Stop {
  readonly productId: number;
  readonly projectId: number | null;
  readonly from: string;
  readonly to: string;
  readonly reason: string;
  /** What becomes of the visits booked meanwhile; asked for only where there are some. */
  readonly moved?: 'choose_again' | 'stay' | undefined;
}

/**
 * Stops a service for a time. Over booked visits it is saved only with a choice about them: without one 30101 lists them.
 * Returns how many there are. Source: group 07, capacity rule 7; Must show 10.
 */
export async function stopService(acting: Acting, stop: Stop): Promise<number> {
  const { tx, caller } = acting;
  if (Date.parse(stop.to) <= Date.parse(stop.from))
    throw invalid({ endsAt: ['结束须晚于开始', 'The end must be after the beginning'] });
  const visits = await run<BookedVisit & { readonly id: number }>(
    tx,
    `SELECT a.id, a.code, a.starts_at FROM appointment a WHERE a.product_id = $1 AND a.state IN ('held', 'to_accept', 'assigned')
        AND a.period && tstzrange($2::timestamptz, $3::timestamptz) AND ($4::bigint IS NULL OR a.project_id = $4) ORDER BY a.order_id, a.id`,
    [stop.productId, stop.from, stop.to, stop.projectId],
  );
  if (visits.length > 0 && !stop.moved) throw bookedMeanwhile(visits, 'moved');
  await run(
    tx,
    `INSERT INTO service_stop (product_id, project_id, period, reason, created_by)
     VALUES ($1, $2, tstzrange($3::timestamptz, $4::timestamptz), $5, $6)`,
    [stop.productId, stop.projectId, stop.from, stop.to, stop.reason, caller?.staffId ?? null],
  );
  if (stop.moved === 'choose_again')
    for (const { id } of visits) {
      const { visit } = await lockVisit(tx, id);
      if (['held', 'to_accept', 'assigned'].includes(visit.state))
        await chooseAgain(acting, visit, [`停约：${stop.reason}`, `Stopped: ${stop.reason}`]);
    }
  return visits.length;
}

interface BookedVisit {
  readonly code: string;
  readonly starts_at: Date;
}

/** 30101 that lists what is booked, at a field where one has to be chosen. */
export function bookedMeanwhile(visits: readonly BookedVisit[], field?: string): Error {
  const names = visits
    .slice(0, 10)
    .map((visit) => `${visit.code} ${businessTimeText(visit.starts_at).slice(5, 16)}`);
  const label: Label = [
    `期间已有 ${visits.length} 个预约：${names.join('、')}`,
    `${visits.length} visits are booked: ${names.join(', ')}`,
  ];
  const choose: Label = [`${label[0]}，请选择如何处理`, `${label[1]}. Say what becomes of them`];
  return ruleBroken(label, {
    ...(field ? { fields: { [field]: choose } } : {}),
    appointments: visits.map((visit) => visit.code),
  });
}

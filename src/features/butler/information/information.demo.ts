import { takeHandoverBack, transferHouses } from '../../../domain/property-staff/housekeeper.server.ts';
import { run } from '../../../kernel/server/database.ts';
import { defineDemo } from '../../../kernel/server/demo.ts';
import { butlerHandover } from './information.contract.ts';

const DAY = 86_400_000;

/** Handovers in their states: in force, to come, cancelled. */
export const demo = defineDemo({
  key: 'butlerHandovers',
  after: ['butlerResults'],
  run: async ({ tx, tell, now, as }) => {
    const author = as('mall1');
    const day = (shift: number) =>
      new Date(now.getTime() + 8 * 3_600_000 + shift * DAY).toISOString().slice(0, 10);
    // Units that a butler has today, with a colleague of the same company who may take them.
    const units = await run<{ unit: number; butler: number; other: number; houses: number[] }>(
      tx,
      `SELECT u.id AS unit, x.housekeeper_id AS butler, array_agg(h.id ORDER BY h.id) AS houses,
              (SELECT o.id FROM housekeeper o JOIN staff os ON os.id = o.staff_id WHERE os.tenant_id = s.tenant_id AND o.left_at IS NULL AND o.id <> x.housekeeper_id
                ORDER BY (o.id * 7919 + u.id) % 101, o.id LIMIT 1) AS other
         FROM building_unit u JOIN house h ON h.unit_id = u.id JOIN housekeeper_house x ON x.house_id = h.id AND x.kind = 'main' AND x.days @> $1::date AND upper_inf(x.days)
         JOIN housekeeper k ON k.id = x.housekeeper_id JOIN staff s ON s.id = k.staff_id
        WHERE lower(x.days) < $1::date GROUP BY u.id, x.housekeeper_id, s.tenant_id HAVING count(*) > 2 ORDER BY (u.id * 31) % 97, u.id LIMIT 6`,
      [day(0)],
    );
    const { actions } = butlerHandover;
    for (const [index, one] of units.filter((row) => row.other !== null).entries()) {
      const date = day([0, 7, 14, 3, 21, 0][index] ?? 5);
      const made = new Date(now.getTime() - (index + 1) * 0.7 * DAY);
      await transferHouses(tx, {
        fromId: one.butler,
        toId: index === 4 ? null : one.other,
        houseIds: one.houses,
        date,
        reason: index === 4 ? '空缺' : '移交',
        note: ['片区调整', '新管家到岗', '轮岗', '住户建议', '待招聘', '片区调整'][index] ?? '',
        by: author.staffId,
      });
      const rows = await run<{ id: number }>(
        tx,
        `UPDATE housekeeper_handover SET created_at = $1, updated_at = $1, state = CASE WHEN starts_on > $2::date THEN 'planned' ELSE 'done' END
          WHERE id = (SELECT max(id) FROM housekeeper_handover) RETURNING id`,
        [made, day(0)],
      );
      await tell({
        entity: butlerHandover.name,
        entityId: rows[0]!.id,
        at: made,
        caller: author,
        action: 'create',
        label: ['交接', 'Handed over'],
        to: date > day(0) ? 'planned' : 'done',
      });
      if (index === 3) {
        await takeHandoverBack(tx, rows[0]!.id, author.staffId);
        await run(tx, `UPDATE housekeeper_handover SET state = 'cancelled' WHERE id = $1`, [rows[0]!.id]);
        await tell({
          entity: butlerHandover.name,
          entityId: rows[0]!.id,
          at: new Date(made.getTime() + 0.4 * DAY),
          caller: author,
          action: 'cancel',
          label: actions!.cancel.label,
          from: 'planned',
          to: 'cancelled',
        });
      }
    }
  },
});

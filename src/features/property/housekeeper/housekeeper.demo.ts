import { run } from '../../../kernel/server/database.ts';
import { defineDemo } from '../../../kernel/server/demo.ts';
import {
  assignHouses,
  followStandIn,
  transferHouses,
} from '../../../domain/property-staff/housekeeper.server.ts';
import { housekeeper } from './housekeeper.contract.ts';

const DAY = 86_400_000;
const WORDS = [
  '您好，我是您的专属管家，报修、访客、装修都可以找我。',
  '七年物业服务经验，熟悉本楼每一户。',
  '有事请随时联系我，夜间由值班前台代接。',
];

/** Housekeepers of every company with the buildings of its projects; some nobody has yet, one on a stand-in, one handed over. */
export const demo = defineDemo({
  key: 'housekeepers',
  after: ['propertyStaff'],
  run: async ({ tx, insert, tell, now, system }) => {
    const staff = await run<{ id: number; tenant_id: number; phone: string | null }>(
      tx,
      `SELECT id, tenant_id, phone FROM (SELECT s.id, s.tenant_id, s.phone, row_number() OVER (PARTITION BY s.tenant_id ORDER BY s.id DESC) AS n
         FROM staff s JOIN tenant n ON n.id = s.tenant_id WHERE n.kind = 1 AND s.state = 'normal' AND NOT s.is_housekeeper AND NOT EXISTS (SELECT FROM housekeeper k WHERE k.staff_id = s.id)) x WHERE n <= 4 ORDER BY tenant_id, n`,
    );
    if (staff.length === 0) return;
    const at = (index: number) => new Date(now.getTime() - (300 - index * 11) * DAY);
    const day = (shift: number) =>
      new Date(now.getTime() + 8 * 3_600_000 + shift * DAY).toISOString().slice(0, 10);
    await run(tx, 'UPDATE staff SET is_housekeeper = true WHERE id = ANY($1::bigint[])', [
      staff.map((one) => one.id),
    ]);
    const ids = await insert(
      'housekeeper',
      staff.map((one, index) => ({
        staff_id: one.id,
        contact_phone: one.phone ?? '',
        introduction: WORDS[index % WORDS.length],
        service_hours: index % 2 === 0 ? '每日 09:00–18:00' : '周二至周日 08:30–17:30',
        created_at: at(index),
        updated_at: at(index),
      })),
    );
    for (const [index, id] of ids.entries())
      await tell({
        entity: housekeeper.name,
        entityId: id,
        at: at(index),
        caller: system,
        action: 'create',
        label: ['新增', 'Added'],
      });
    const buildings = await run<{ id: number; tenant: number }>(
      tx,
      `SELECT b.id, (SELECT min(t.tenant_id) FROM tenant_project t JOIN tenant c ON c.id = t.tenant_id AND c.kind = 1 WHERE t.project_id = b.project_id) AS tenant
         FROM building b WHERE NOT EXISTS (SELECT FROM housekeeper_building a WHERE a.building_id = b.id) AND EXISTS (SELECT FROM building_unit u JOIN house h ON h.unit_id = u.id WHERE u.building_id = b.id) ORDER BY b.id`,
    );
    const given = new Map<number, number>();
    for (const [index, building] of buildings.entries()) {
      const own = staff.flatMap((one, n) => (one.tenant_id === building.tenant ? [ids[n]!] : []));
      // Every sixth building waits for somebody.
      if (own.length === 0 || index % 6 === 5) continue;
      const keeper = own[index % own.length]!;
      await assignHouses(tx, {
        housekeeperId: keeper,
        buildingId: building.id,
        kind: 'main',
        from: day(-200 + index),
      });
      given.set(keeper, building.id);
    }
    // The first company: one handed a building over to a colleague today, another is stood in for.
    const own = staff.flatMap((one, n) => (one.tenant_id === staff[0]!.tenant_id ? [ids[n]!] : []));
    const [first, second, third] = own;
    if (first !== undefined && second !== undefined && given.has(first)) {
      const houses = await run<{ id: number }>(
        tx,
        'SELECT h.id FROM house h JOIN building_unit u ON u.id = h.unit_id WHERE u.building_id = $1 ORDER BY h.id',
        [given.get(first)],
      );
      await transferHouses(tx, {
        fromId: first,
        toId: second,
        houseIds: houses.map((one) => one.id),
        date: day(0),
        reason: '移交',
        note: '片区调整',
      });
    }
    if (third !== undefined && second !== undefined) {
      await run(
        tx,
        'UPDATE housekeeper SET stand_in_id = $2, stand_in_from = $3, stand_in_to = $4 WHERE id = $1',
        [third, second, day(-2), day(9)],
      );
      await followStandIn(tx, third);
    }
  },
});

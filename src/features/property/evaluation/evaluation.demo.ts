import { rate } from '../../../domain/evaluation/rate.server.ts';
import type { Grade } from '../../../domain/evaluation/evaluation.rules.ts';
import { assignHouses } from '../../../domain/property-staff/housekeeper.server.ts';
import { businessDayOf } from '../../../kernel/contract/time.rules.ts';
import { run, runOne } from '../../../kernel/server/database.ts';
import { defineDemo } from '../../../kernel/server/demo.ts';
import { evaluation } from './evaluation.contract.ts';

const DAY = 86_400_000;
const MONTHS = 6;

const SAID: Readonly<
  Record<'housekeeper' | 'property', Readonly<Record<Grade, readonly (readonly [string, string])[]>>>
> = {
  housekeeper: {
    satisfied: [
      ['服务态度', '管家上门很热情，老人也照顾得到'],
      ['响应速度', '微信几分钟就回，事情当天办完'],
      ['专业能力', ''],
      ['主动服务', '台风前提前提醒收衣服，点赞'],
    ],
    fair: [
      ['响应速度', '回复有点慢，一般要等到第二天'],
      ['沟通不畅', ''],
    ],
    unsatisfied: [
      ['响应速度', '打了三次电话都没人接'],
      ['承诺未兑现', '答应周末来看漏水，一直没有来'],
    ],
  },
  property: {
    satisfied: [
      ['环境卫生', '楼道每天都很干净'],
      ['秩序维护', '夜班保安认真负责'],
      ['绿化养护', ''],
    ],
    fair: [
      ['停车管理', '晚上回来常常找不到车位'],
      ['公共设施', '健身器材有两件坏了'],
    ],
    unsatisfied: [
      ['公共设施', '电梯这个月坏了两次'],
      ['环境卫生', '垃圾房周末没人清运，味道很大'],
    ],
  },
};
const CALLED = [
  '已致电业主致歉，次日上门处理完毕',
  '已约业主面谈，说明原因并调整值班安排',
  '已整改，业主表示认可',
];

/** Half a year of ratings; houses without a housekeeper are given to colleagues of the company first. */
export const demo = defineDemo({
  key: 'evaluations',
  after: ['workOrders'],
  run: async ({ tx, tell, random, now, as }) => {
    const desk = as('mall1');
    const start = new Date(now.getTime() - 300 * DAY);
    const buildings = await run<{ id: number; staff: number[] }>(
      tx,
      `SELECT b.id, ARRAY(SELECT s.id FROM staff s JOIN tenant_project tp ON tp.tenant_id = s.tenant_id AND tp.project_id = b.project_id JOIN tenant c ON c.id = s.tenant_id AND c.kind = 1
                WHERE s.state = 'normal' AND (s.all_projects OR EXISTS (SELECT FROM staff_project x WHERE x.staff_id = s.id AND x.project_id = b.project_id)) ORDER BY s.id LIMIT 4) AS staff
         FROM building b WHERE NOT EXISTS (SELECT FROM housekeeper_building a WHERE a.building_id = b.id) ORDER BY b.id LIMIT 24`,
    );
    for (const [index, building] of buildings.entries()) {
      const staffId = building.staff[index % Math.max(1, building.staff.length)];
      if (!staffId) continue;
      await run(tx, 'UPDATE staff SET is_housekeeper = true WHERE id = $1', [staffId]);
      await run(
        tx,
        `INSERT INTO housekeeper (staff_id, contact_phone, introduction, service_hours)
         SELECT id, coalesce(phone, ''), '从业多年，熟悉小区每一栋楼', '每日 08:30–18:00' FROM staff WHERE id = $1 ON CONFLICT DO NOTHING`,
        [staffId],
      );
      const { id } = (await runOne<{ id: number }>(tx, 'SELECT id FROM housekeeper WHERE staff_id = $1', [
        staffId,
      ]))!;
      await assignHouses(tx, {
        housekeeperId: id,
        buildingId: building.id,
        kind: 'main',
        from: businessDayOf(start),
        reason: '年度分区',
        staffId: desk.staffId,
      });
    }
    const homes = await run<{ id: number; house: number }>(
      tx,
      `SELECT hh.id, hh.house_id AS house FROM household hh WHERE hh.status = 'normal'
          AND EXISTS (SELECT FROM housekeeper_house k WHERE k.house_id = hh.house_id AND k.kind = 'main' AND k.days @> $1::date)
        ORDER BY hh.id LIMIT 60`,
      [businessDayOf(now)],
    );
    for (const [index, home] of homes.entries())
      for (const target of ['housekeeper', 'property'] as const)
        for (let month = 0; month < MONTHS; month++) {
          if ((index + month * 3 + (target === 'property' ? 1 : 0)) % 5 !== 0) continue;
          const at = new Date(now.getTime() - (month * 30 + (index % 26)) * DAY - (index % 9) * 3_700_000);
          const grade = random.weighted<Grade>(['satisfied', 'fair', 'unsatisfied'], (one) =>
            one === 'satisfied' ? 13 - month : one === 'fair' ? 3 : 2,
          );
          const [reason, content] = random.pick(SAID[target][grade]);
          // The same member may hold several houses of one housekeeper: the first rating of the month stands.
          const taken = await runOne(
            tx,
            `SELECT FROM evaluation e JOIN household hh ON hh.id = $1 WHERE e.target = $2 AND (e.household_id = hh.id OR ($2 = 'housekeeper' AND e.member_id = hh.member_id))
                AND e.rated_month = date_trunc('month', $3::timestamptz AT TIME ZONE 'Asia/Shanghai')::date`,
            [home.id, target, at],
          );
          if (taken) continue;
          const id = await rate(tx, { target, householdId: home.id, grade, reasons: [reason], content, at });
          if (grade !== 'unsatisfied' || now.getTime() - at.getTime() < 3 * DAY || random.chance(0.08))
            continue;
          const called = new Date(at.getTime() + (4 + random.int(0, 40)) * 3_600_000);
          const result = random.pick(CALLED);
          await run(
            tx,
            `UPDATE evaluation SET state = 'followed', result = $2, followed_by = $3, followed_at = $4, version = 2, updated_at = $4 WHERE id = $1`,
            [id, result, desk.staffId, called],
          );
          await tell({
            entity: 'evaluation',
            entityId: id,
            caller: desk,
            action: 'follow',
            label: evaluation.actions!.follow.label,
            from: 'to_follow',
            to: 'followed',
            remark: result,
            at: called,
          });
        }
  },
});

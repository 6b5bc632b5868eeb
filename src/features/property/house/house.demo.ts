import { run } from '../../../kernel/server/database.ts';
import { defineDemo } from '../../../kernel/server/demo.ts';
import { household } from './house.contract.ts';

const DAY = 86_400_000;

interface Sample {
  readonly name: string;
  readonly phone: string;
  readonly identity: 'owner' | 'family' | 'tenant';
  readonly status: 'reviewing' | 'refused' | 'normal' | 'deleted';
  /** Days before now. */
  readonly applied: number;
  readonly remark?: string;
  readonly reason?: string;
}

const SAMPLES: readonly Sample[] = [
  {
    name: '孟晓岚',
    phone: '13917620011',
    identity: 'tenant',
    status: 'reviewing',
    applied: 0.2,
    remark: '租约至明年 6 月',
  },
  { name: '梁家辉', phone: '13917620012', identity: 'family', status: 'reviewing', applied: 0.9 },
  {
    name: '童欣',
    phone: '13917620013',
    identity: 'tenant',
    status: 'reviewing',
    applied: 2.6,
    remark: '合租次卧',
  },
  { name: '邵明远', phone: '13917620014', identity: 'family', status: 'reviewing', applied: 3.4 },
  {
    name: '毕海涛',
    phone: '13917620015',
    identity: 'tenant',
    status: 'refused',
    applied: 9,
    reason: '业主电话确认未出租，请核对房号',
  },
  {
    name: '尹菲',
    phone: '13917620016',
    identity: 'family',
    status: 'refused',
    applied: 17,
    reason: '证件与姓名不符',
  },
  {
    name: '卓一凡',
    phone: '13917620017',
    identity: 'tenant',
    status: 'deleted',
    applied: 210,
    reason: '租约到期，已搬离',
  },
  {
    name: '侯静',
    phone: '13917620018',
    identity: 'family',
    status: 'normal',
    applied: 24,
    remark: '业主配偶',
  },
];

/** Types of houses by their area, and people who wait, were refused or have moved out. */
export const demo = defineDemo({
  key: 'houses',
  after: ['houseCustody', 'charging'],
  run: async ({ tx, insert, tell, now, as }) => {
    await run(
      tx,
      `UPDATE house SET house_type = CASE WHEN built_area < 60 THEN '一室一厅' WHEN built_area < 95 THEN '两室两厅' WHEN built_area < 125 THEN '三室两厅' ELSE '四室两厅' END
        WHERE house_type = ''`,
    );
    const houses = await run<{ id: number; project: number; code: string }>(
      tx,
      `SELECT h.id, h.project_id AS project, p.code FROM house h JOIN project p ON p.id = h.project_id
        WHERE EXISTS (SELECT FROM household x WHERE x.house_id = h.id AND x.status = 'normal' AND x.identity = 'owner') ORDER BY h.id`,
    );
    if (houses.length < 40) return;
    const actions = household.actions!;
    for (const [index, sample] of SAMPLES.entries()) {
      const house = houses[((index + 1) * Math.floor(houses.length / (SAMPLES.length + 2))) % houses.length]!;
      const desk = as(house.code.startsWith('HZ') ? 'centre2.service' : 'centre1.service');
      const at = new Date(now.getTime() - sample.applied * DAY);
      const decided = new Date(at.getTime() + 0.4 * DAY);
      const [member] = await insert('member', [
        {
          name: sample.name,
          nickname: sample.name,
          phone: sample.phone,
          sex: index % 2,
          project_id: house.project,
          registered_at: at,
        },
      ]);
      const bound = sample.status === 'normal' || sample.status === 'deleted';
      const [id] = await insert('household', [
        {
          member_id: member!,
          house_id: house.id,
          identity: sample.identity,
          status: sample.status,
          applied_at: at,
          bound_at: bound ? decided : null,
          consent: bound,
          remark: sample.remark ?? '',
          created_by: desk.staffId,
          updated_at: sample.status === 'reviewing' ? at : decided,
          updated_by: desk.staffId,
        },
      ]);
      const told = { entity: household.name, entityId: id! };
      await tell({
        ...told,
        caller: desk,
        action: 'create',
        label: actions.create.event ?? actions.create.label,
        to: sample.status === 'normal' ? 'normal' : 'reviewing',
        remark: sample.status === 'normal' ? '业主已同意' : '待审核',
        at,
      });
      if (sample.status === 'refused')
        await tell({
          ...told,
          caller: desk,
          action: 'refuse',
          label: actions.refuse.label,
          from: 'reviewing',
          to: 'refused',
          remark: sample.reason!,
          at: decided,
        });
      if (sample.status === 'deleted') {
        await tell({
          ...told,
          caller: desk,
          action: 'pass',
          label: actions.pass.event ?? actions.pass.label,
          from: 'reviewing',
          to: 'normal',
          at: decided,
        });
        await tell({
          ...told,
          caller: desk,
          action: 'unbind',
          label: actions.unbind.label,
          from: 'normal',
          to: 'deleted',
          remark: sample.reason!,
          at: new Date(now.getTime() - 6 * DAY),
        });
      }
    }
  },
});

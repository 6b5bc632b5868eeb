import { plainName, type Stage } from '../../../domain/commercial-client/client.rules.ts';
import { run } from '../../../kernel/server/database.ts';
import { defineDemo } from '../../../kernel/server/demo.ts';
import { businessPerson } from '../business-person/business-person.contract.ts';
import { commercialClient } from './client.contract.ts';

const DAY = 86_400_000;

interface Model {
  readonly name: string;
  readonly brand: string;
  readonly industry: string;
  readonly level: 'A' | 'B' | 'C' | 'D';
  readonly state: Stage | 'lost';
  /** Number of the owner; absent: the pool. */
  readonly owner?: number;
  readonly age: number;
  readonly contact: string;
  readonly area: readonly [number, number];
  readonly follows: readonly (readonly [daysAgo: number, kind: string, content: string])[];
  readonly next?: number;
  readonly locked?: boolean;
}

const MODELS: readonly Model[] = [
  {
    name: '杭州沈家小馆餐饮有限公司',
    brand: '沈家小馆',
    industry: 'catering',
    level: 'A',
    state: 'negotiating',
    owner: 0,
    age: 40,
    contact: '沈国良',
    area: [120, 180],
    follows: [
      [38, 'phone', '来电咨询一层临街铺位，关注排烟与停车'],
      [30, 'viewing', '现场看铺 A-102，满意位置，希望免租两个月'],
      [6, 'meeting', '商谈租金与递增方式，下周给答复'],
    ],
    next: 1,
    locked: true,
  },
  {
    name: '早启托育管理有限公司',
    brand: '早启',
    industry: 'education',
    level: 'B',
    state: 'viewing',
    owner: 0,
    age: 21,
    contact: '林晓燕',
    area: [200, 300],
    follows: [
      [20, 'wechat', '加微信发送项目资料与楼层平面图'],
      [9, 'viewing', '看二层整层，需确认消防条件'],
    ],
    next: -1,
  },
  {
    name: '康宁口腔诊所有限公司',
    brand: '康宁口腔',
    industry: 'health',
    level: 'B',
    state: 'contacted',
    owner: 1,
    age: 13,
    contact: '周敏',
    area: [90, 120],
    follows: [[12, 'visit', '上门拜访，介绍社区人口与客群']],
    next: 3,
  },
  {
    name: '邻里超市连锁有限公司',
    brand: '邻里超市',
    industry: 'retail',
    level: 'A',
    state: 'lead',
    owner: 1,
    age: 2,
    contact: '陈卫东',
    area: [300, 500],
    follows: [],
  },
  {
    name: '光影文化传媒有限公司',
    brand: '光影',
    industry: 'media',
    level: 'C',
    state: 'lost',
    owner: 0,
    age: 60,
    contact: '何静',
    area: [10, 20],
    follows: [[50, 'phone', '咨询电梯广告位，预算不足暂缓']],
  },
  {
    name: '轻氧健身服务有限公司',
    brand: '轻氧健身',
    industry: 'living',
    level: 'C',
    state: 'contacted',
    age: 45,
    contact: '吴磊',
    area: [260, 400],
    follows: [[44, 'phone', '电话沟通选址需求，暂无明确时间']],
  },
  {
    name: '小满花店',
    brand: '小满',
    industry: 'retail',
    level: 'D',
    state: 'lead',
    age: 33,
    contact: '许文',
    area: [15, 30],
    follows: [],
  },
];

/** Business people with their clients in every stage, and a pool. */
export const demo = defineDemo({
  key: 'commercial-clients',
  run: async ({ tx, insert, tell, now, base, as }) => {
    const people = [as('mall1'), as('mall2'), as('finance1')];
    const at = (days: number) => new Date(now.getTime() - days * DAY);
    const [leader] = people.slice(2);
    for (const [index, one] of people.entries()) {
      const made = at(120 - index);
      const [id] = await insert('business_person', [
        {
          staff_id: one.staffId,
          leader_id: index < 2 ? leader!.staffId : null,
          industries: ['餐饮、零售', '教育、医疗', ''][index],
          max_clients: [60, 40, 20][index],
          created_at: made,
          created_by: leader!.staffId,
          updated_at: made,
          updated_by: leader!.staffId,
        },
      ]);
      await insert(
        'business_person_project',
        base.projects.slice(0, 4).map((project) => ({ person_id: id, project_id: project.id })),
      );
      await tell({
        entity: 'businessPerson',
        entityId: id!,
        caller: leader!,
        action: 'create',
        label: businessPerson.actions!.create!.label,
        to: 'active',
        at: made,
      });
    }
    const values = await run<{ id: number; root: string; val: string }>(
      tx,
      `SELECT v.id, r.code AS root, v.val FROM biz_dict v JOIN biz_dict r ON r.id = v.root_id
        WHERE r.code IN ('client_industry', 'client_source', 'client_lost_reason') AND v.parent_id IS NOT NULL ORDER BY v.view_sort, v.id`,
    );
    const value = (root: string, val?: string) =>
      values.find((one) => one.root === root && (val === undefined || one.val === val))!.id;
    for (const [index, model] of MODELS.entries()) {
      const owner = model.owner === undefined ? undefined : people[model.owner]!;
      const first = owner ?? people[0]!;
      const made = at(model.age);
      const pooled = at(Math.max(1, model.age - 20));
      const last = model.follows.at(-1);
      const [id] = await insert('client', [
        {
          code: `CLD${String(index + 1).padStart(5, '0')}`,
          name: model.name,
          plain_name: plainName(model.name),
          brand: model.brand,
          industry_id: value('client_industry', model.industry),
          source_id: value('client_source', ['visit', 'call', 'referral', 'online'][index % 4]),
          level: model.level,
          area_min: model.area[0] * 100,
          area_max: model.area[1] * 100,
          state: model.state,
          stage_since: last ? at(last[0]) : made,
          owner_id: owner?.staffId ?? null,
          assigned_at: owner ? made : null,
          opened: model.follows.length > 0,
          pool_since: owner ? null : pooled,
          pool_reason: owner ? '' : '长期未跟进或未签约',
          locked: model.locked ?? false,
          last_follow_at: last ? at(last[0]) : null,
          next_follow_at: model.next === undefined ? null : new Date(now.getTime() + model.next * DAY),
          lost_reason_id: model.state === 'lost' ? value('client_lost_reason', 'budget') : null,
          created_at: made,
          created_by: first.staffId,
          updated_at: last ? at(last[0]) : made,
          updated_by: first.staffId,
        },
      ]);
      await insert(
        'client_project',
        base.projects
          .slice(index % 3, (index % 3) + 2)
          .map((project) => ({ client_id: id, project_id: project.id })),
      );
      await insert('client_contact', [
        {
          client_id: id,
          name: model.contact,
          phone: `1385710${String(1_000 + index)}`,
          position: index % 2 === 0 ? '总经理' : '拓展经理',
          main: true,
          decides: index % 2 === 0,
          created_at: made,
          created_by: first.staffId,
        },
      ]);
      const told = { entity: 'client', entityId: id!, caller: first };
      const { create, autoPool, lose } = commercialClient.actions!;
      await tell({ ...told, action: 'create', label: create!.label, to: 'lead', at: made });
      await insert('client_assignment', [
        { client_id: id, to_staff: first.staffId, kind: 'create', at: made, by_staff: first.staffId },
      ]);
      for (const [days, kind, content] of model.follows)
        await insert('follow_up', [
          {
            client_id: id,
            kind,
            at: at(days),
            content,
            created_at: at(days),
            created_by: first.staffId,
            updated_at: at(days),
            updated_by: first.staffId,
          },
        ]);
      if (!owner) {
        await insert('client_assignment', [
          {
            client_id: id,
            from_staff: first.staffId,
            kind: 'auto_pool',
            reason: '长期未跟进或未签约',
            at: pooled,
          },
        ]);
        await tell({
          ...told,
          caller: undefined,
          action: 'autoPool',
          label: autoPool!.label,
          at: pooled,
        });
      }
      if (model.state === 'lost')
        await tell({
          ...told,
          action: 'lose',
          label: lose!.label,
          from: 'contacted',
          to: 'lost',
          remark: '预算不足',
          at: at(48),
        });
    }
    await insert(
      'client_member',
      await run<{ client_id: number; staff_id: number }>(
        tx,
        `SELECT id AS client_id, $1::bigint AS staff_id FROM client WHERE code = 'CLD00001'`,
        [people[1]!.staffId],
      ).then((rows) => rows.map((row) => ({ ...row, access: 'write' }))),
    );
  },
});

import { addDays, businessDayOf, startOfBusinessDay } from '../../../kernel/contract/time.rules.ts';
import { run, runOne } from '../../../kernel/server/database.ts';
import { defineDemo, type DemoContext } from '../../../kernel/server/demo.ts';
import {
  decideApproval,
  handInAgain,
  submitApproval,
  withdrawApproval,
} from '../../../domain/approval/approve.server.ts';
import { holdersOf } from '../../../domain/approval/approvers.server.ts';
import { lockInstance } from '../../../domain/approval/flow.server.ts';
import type { AskNode, ProcessNode } from '../../../domain/approval/process.rules.ts';
import { addSign, returnTask, transferTask } from '../../../domain/approval/task-commands.server.ts';
import { dayTypesOf } from '../../../domain/business-calendar/day-type.server.ts';

const DAY = 86_400_000;
const HOUR = 3_600_000;
const RIGHT = 'workOvertimeManager:btn_approve';

const CASES = [
  '小区消防联动测试值守',
  '业主大会现场支持',
  '停车系统升级值守',
  '电梯年检配合',
  '暴雨抢险值班',
  '春季绿化养护督导',
  '财务系统切换核对',
  '供水泵房抢修',
] as const;

/** Overtime that went through a countersigned process: rounds, refusals, a stand-in, what waits and what is late. */
export const demo = defineDemo({
  key: 'approvalCentre',
  run: async (context) => {
    const { tx, base, now } = context;
    const people = [...base.staff.values()].filter((one) => one.departmentId !== null);
    const platform = people.filter((one) => one.tenantId === base.platformId);
    const [starter, ...others] = platform.filter((one) => one.account !== 'admin');
    if (!starter || others.length < 2) return;
    const asked = others.slice(0, 4);
    await letDecide(context, [starter.id, ...asked.map((one) => one.id)]);
    const holders = await holdersOf(tx, base.platformId, RIGHT, [starter.id], starter.id);
    const signers = asked.map((one) => one.id).filter((id) => holders.includes(id));
    if (signers.length < 2) return;
    const lived = await livedWith(context, starter, signers);
    const ago = (days: number, hour = 10) =>
      new Date(
        startOfBusinessDay(businessDayOf(new Date(now.getTime() - days * DAY))).getTime() + hour * HOUR,
      );
    const [first, ...rest] = lived.signers;

    const passed = await lived.submit(0, ago(22, 9));
    await lived.back(passed, first!, '请补充值守记录', ago(22, 14));
    await lived.again(passed, ago(21, 9));
    await lived.decide(passed, first!, true, '记录已核对', ago(21, 11));
    for (const one of rest) await lived.decide(passed, one, true, '', ago(20, 10));

    const refused = await lived.submit(1, ago(18, 10));
    await lived.decide(refused, first!, true, '情况属实', ago(18, 15));
    for (const one of rest)
      await lived.decide(refused, one, false, '当天已安排轮休，不应计加班', ago(17, 10));

    const signing = await lived.submit(2, ago(2, 9));
    await lived.decide(signing, first!, true, '同意', ago(2, 11));
    if (rest.length > 2) await lived.decide(signing, rest[0]!, true, '', ago(1, 10));

    await lived.submit(3, ago(6, 10));

    if (rest.length > 0) {
      await lived.standin(first!, rest[0]!, -15, -8);
      const stood = await lived.submit(4, ago(12, 10));
      await lived.decide(stood, rest[0]!, true, '代为审批，情况属实', ago(12, 16));
    }

    const returned = await lived.submit(5, ago(4, 9));
    await lived.back(returned, first!, '加班起止时间与门禁记录不符，请核对', ago(4, 16));

    const withdrawn = await lived.submit(6, ago(9, 9));
    await lived.withdraw(withdrawn, ago(9, 10));

    const handed = await lived.submit(7, ago(3, 9));
    if (rest.length > 1) {
      await lived.hand(handed, first!, rest[1]!, '本周出差，请代为把关', ago(3, 11));
      await lived.add(handed, rest[1]!, rest[0]!, '请确认抢修时长', ago(3, 14));
    }
    await lived.end();
    await lived.standin(starter.id, first!, 20, 34);
  },
});

/** A group of those who decide about overtime and have the approval centre. */
async function letDecide({ tx, base }: DemoContext, staffIds: readonly number[]): Promise<void> {
  const { id } = (await runOne<{ id: number }>(
    tx,
    `INSERT INTO permission_group (type_id, tenant_id, code, name) SELECT id, $1, 'demo_approvers', '审批人员' FROM group_type WHERE code = 'role' RETURNING id`,
    [base.platformId],
  ))!;
  await run(
    tx,
    `INSERT INTO menu_grant (group_id, menu_code, data_scope) SELECT $1, code, 'all' FROM menu WHERE code IN ('workOvertimeManager', 'pr_auditManagement')`,
    [id],
  );
  await run(
    tx,
    `INSERT INTO element_grant (group_id, element_code) SELECT $1, code FROM element WHERE code = ANY($2::text[])`,
    [
      id,
      [
        RIGHT,
        ...['handle', 'batchApprove', 'urge', 'withdraw', 'standin', 'export'].map(
          (verb) => `pr_auditManagement:btn_${verb}`,
        ),
      ],
    ],
  );
  await run(tx, 'INSERT INTO group_member (group_id, staff_id) SELECT $1, unnest($2::bigint[])', [
    id,
    staffIds,
  ]);
}

interface Lived {
  readonly signers: readonly number[];
  submit(index: number, at: Date): Promise<number>;
  decide(instance: number, staffId: number, approved: boolean, opinion: string, at: Date): Promise<void>;
  back(instance: number, staffId: number, opinion: string, at: Date): Promise<void>;
  again(instance: number, at: Date): Promise<void>;
  withdraw(instance: number, at: Date): Promise<void>;
  hand(instance: number, from: number, to: number, reason: string, at: Date): Promise<void>;
  add(instance: number, who: number, added: number, opinion: string, at: Date): Promise<void>;
  standin(staffId: number, standinId: number, from: number, to: number): Promise<void>;
  /** The process of these approvals is not used any more; what runs stays on it. */
  end(): Promise<void>;
}

/** The engine's own commands at moments of the past, over a process of some time ago. */
async function livedWith(
  context: DemoContext,
  starter: { readonly id: number; readonly account: string; readonly tenantId: number },
  signers: readonly number[],
): Promise<Lived> {
  const { tx, platform, base, now, facts } = context;
  const accounts = new Map([...base.staff.values()].map((one) => [one.id, one.account]));
  const by = (staffId: number, at: Date) => ({ caller: context.as(accounts.get(staffId)!), facts, at });
  const { id: processId } = (await runOne<{ id: number }>(
    tx,
    `INSERT INTO approval_process (biz_type, name_zh, name_en, tenant_id, scope_kind, state, nodes, admin_id, withdraw_policy, published_at, published_by, created_by)
     VALUES ('overtime', '加班会签（试行）', 'Overtime, countersigned (trial)', $1, 'tenant', 'published', $2::jsonb, $3, 'before_end', $4, $3, $3) RETURNING id`,
    [starter.tenantId, JSON.stringify(nodesFor(signers)), signers[0], new Date(now.getTime() - 40 * DAY)],
  ))!;
  await run(tx, 'UPDATE approval_process SET family_id = id WHERE id = $1', [processId]);
  const place = `tenant:${starter.tenantId}`;
  const before = await run<{ process_id: number }>(
    tx,
    `DELETE FROM approval_process_place WHERE biz_type = 'overtime' AND place = $1 RETURNING process_id`,
    [place],
  );
  await run(tx, `INSERT INTO approval_process_place VALUES ('overtime', $1, $2)`, [place, processId]);
  const days = await restDays(context, starter.id);
  const objectOf = async (instance: number) =>
    (await runOne<{ id: number }>(tx, 'SELECT biz_id AS id FROM approval_instance WHERE id = $1', [
      instance,
    ]))!.id;
  const taskOf = async (instance: number, staffId: number) =>
    (
      await runOne<{ id: number }>(
        tx,
        `SELECT id FROM approval_task WHERE instance_id = $1 AND assignee_id = $2 AND state = 'pending' AND kind <> 'copy' ORDER BY id LIMIT 1`,
        [instance, staffId],
      )
    )?.id;
  return {
    signers,
    submit: async (index, at) => {
      const reason = CASES[index]!;
      const day = days[index]!;
      const startsAt = new Date(startOfBusinessDay(day).getTime() + 13 * HOUR);
      const [id] = await context.insert('overtime_record', [
        {
          tenant_id: starter.tenantId,
          staff_id: starter.id,
          day,
          starts_at: startsAt,
          ends_at: new Date(startsAt.getTime() + 3 * HOUR),
          day_type: 'rest_day',
          minutes: 180,
          rate: 100,
          credited: 180,
          compensation: 'time_off',
          reason,
          created_by: starter.id,
          updated_by: starter.id,
          created_at: at,
          updated_at: at,
        },
      ]);
      return submitApproval(
        tx,
        platform,
        {
          kind: 'overtime',
          bizId: id!,
          tenantId: starter.tenantId,
          title: [`加班 ${day} 13:00-16:00`, `Overtime ${day} 13:00–16:00`],
          summary: [
            { label: ['时长', 'Hours'], value: ['3.0', '3.0'] },
            { label: ['事由', 'Reason'], value: [reason, reason] },
          ],
          starterId: starter.id,
          at,
        },
        by(starter.id, at),
      );
    },
    decide: async (instance, staffId, approved, opinion, at) => {
      const taskId = await taskOf(instance, staffId);
      if (taskId === undefined) return;
      const bizId = await objectOf(instance);
      await decideApproval(tx, platform, {
        kind: 'overtime',
        bizId,
        taskId,
        ...by(staffId, at),
        approved,
        opinion,
      });
      await run(tx, 'UPDATE overtime_record SET decided_at = $2 WHERE id = $1 AND decided_at IS NOT NULL', [
        bizId,
        at,
      ]);
    },
    back: async (instance, staffId, opinion, at) => {
      const taskId = await taskOf(instance, staffId);
      if (taskId !== undefined)
        await returnTask(tx, platform, { ...by(staffId, at), taskId, to: 'starter', opinion });
    },
    again: async (instance, at) =>
      handInAgain(tx, platform, (await lockInstance(tx, instance))!, by(starter.id, at)),
    withdraw: async (instance, at) =>
      withdrawApproval(tx, platform, {
        kind: 'overtime',
        bizId: await objectOf(instance),
        ...by(starter.id, at),
      }),
    hand: async (instance, from, to, reason, at) => {
      const taskId = await taskOf(instance, from);
      if (taskId !== undefined) await transferTask(tx, platform, { ...by(from, at), taskId, to, reason });
    },
    add: async (instance, who, added, opinion, at) => {
      const taskId = await taskOf(instance, who);
      if (taskId !== undefined)
        await addSign(tx, platform, { ...by(who, at), taskId, where: 'before', staffIds: [added], opinion });
    },
    standin: async (staffId, standinId, from, to) => {
      const today = businessDayOf(now);
      await context.insert('approval_standin', [
        {
          staff_id: staffId,
          standin_id: standinId,
          from_day: addDays(today, from),
          to_day: addDays(today, to),
          reason: from < 0 ? '外出培训' : '年休假',
          created_by: staffId,
          updated_by: staffId,
          created_at: new Date(now.getTime() + (Math.min(from, 0) - 1) * DAY),
        },
      ]);
    },
    end: async () => {
      await run(tx, 'DELETE FROM approval_process_place WHERE process_id = $1', [processId]);
      await run(tx, `UPDATE approval_process SET state = 'stopped' WHERE id = $1`, [processId]);
      for (const row of before)
        await run(tx, `INSERT INTO approval_process_place VALUES ('overtime', $1, $2)`, [
          place,
          row.process_id,
        ]);
    },
  };
}

function nodesFor(signers: readonly number[]): readonly ProcessNode[] {
  const [first, ...rest] = signers;
  const ask = (key: string, name: string, ids: readonly number[], more: Partial<AskNode>): AskNode => ({
    key,
    type: 'approve',
    name,
    candidates: [{ kind: 'staff', ids }],
    mode: 'any',
    starterRule: 'skip',
    nobody: 'admin',
    onRefuse: 'end',
    resubmit: 'all',
    allowed: ['transfer', 'addSign', 'return'],
    batch: true,
    opinionRequired: false,
    hidden: [],
    limit: { hours: 8, action: 'remind', every: 4, most: 2 },
    ...more,
  });
  return [
    ask('review', '主管审核', [first!], {}),
    {
      key: 'copy',
      type: 'copy',
      name: '抄送考勤',
      candidates: [{ kind: 'staff', ids: [rest.at(-1) ?? first!] }],
    },
    ask('countersign', '部门会签', rest.length > 0 ? rest : [first!], {
      mode: 'ratio',
      ratio: 60,
      batch: false,
    }),
  ];
}

/** Rest days of the past without overtime of somebody, the latest first. */
async function restDays({ tx, now }: DemoContext, staffId: number): Promise<readonly string[]> {
  const today = businessDayOf(now);
  const days = Array.from({ length: 200 }, (_, at) => addDays(today, -24 - at));
  const types = await dayTypesOf(tx, days);
  const taken = await run<{ day: string }>(tx, 'SELECT day::text FROM overtime_record WHERE staff_id = $1', [
    staffId,
  ]);
  return days.filter((day) => types.get(day) === 'rest_day' && !taken.some((row) => row.day === day));
}

import { run } from '../../../kernel/server/database.ts';
import { defineDemo, type DemoContext } from '../../../kernel/server/demo.ts';
import type { AskNode, ProcessNode } from '../../../domain/approval/process.rules.ts';
import { approvalProcess } from './approval-process.contract.ts';

const DAY = 86_400_000;
const HOUR = 3_600_000;

const node = (key: string, name: string, values: Partial<AskNode>): AskNode => ({
  key,
  type: 'approve',
  name,
  candidates: [],
  mode: 'any',
  starterRule: 'head',
  nobody: 'admin',
  onRefuse: 'end',
  resubmit: 'all',
  allowed: ['transfer', 'addSign', 'return'],
  batch: true,
  opinionRequired: false,
  hidden: [],
  ...values,
});

const leader = node('leader', '直属上级审批', {
  candidates: [{ kind: 'leader', levels: 1 }],
  limit: { hours: 8, action: 'remind', every: 4, most: 2 },
});

/** Time off of a company: its leader alone at first; since the second version long ones need personnel and management. */
function leaveNodes(company: number, personnel: number): readonly ProcessNode[] {
  return [
    leader,
    {
      key: 'hours',
      type: 'exclusive',
      name: '按时长',
      branches: [
        {
          key: 'long',
          name: '超过 4 小时',
          condition: [[{ field: 'hours', operator: 'gt', value: 4 }]],
          nodes: [
            node('joint', '人力与公司会签', {
              candidates: [{ kind: 'staff', ids: [company, personnel] }],
              mode: 'ratio',
              ratio: 50,
              starterRule: 'skip',
              batch: false,
              limit: { hours: 16, action: 'leader' },
            }),
          ],
        },
        { key: 'short', name: '其他情况', otherwise: true, nodes: [] },
      ],
    },
    { key: 'file', type: 'copy', name: '抄送人力备案', candidates: [{ kind: 'staff', ids: [personnel] }] },
  ];
}

/** Overtime on holidays is paid and therefore looked at twice: not decided on yet. */
const overtimeNodes = (personnel: number): readonly ProcessNode[] => [
  leader,
  {
    key: 'holiday',
    type: 'exclusive',
    name: '是否计加班费',
    branches: [
      {
        key: 'paid',
        name: '法定假日或计薪',
        condition: [
          [{ field: 'dayType', operator: 'eq', value: 'holiday' }],
          [
            { field: 'compensation', operator: 'eq', value: 'pay' },
            { field: 'hours', operator: 'ge', value: 2 },
          ],
        ],
        nodes: [
          node('personnel', '人力复核', {
            candidates: [{ kind: 'staff', ids: [personnel] }],
            opinionRequired: true,
          }),
        ],
      },
      { key: 'off', name: '其他情况', otherwise: true, nodes: [] },
    ],
  },
];

const payeeNodes = (finance: number, risk: number, wait: boolean): readonly ProcessNode[] => [
  node('finance', '财务审核', {
    candidates: [{ kind: 'staff', ids: [finance] }],
    batch: false,
    opinionRequired: true,
  }),
  ...(wait
    ? [{ key: 'calm', type: 'delay', name: '冷静期', hours: 24 } as const]
    : [node('risk', '风控复核', { candidates: [{ kind: 'staff', ids: [risk] }], batch: false })]),
];

export const demo = defineDemo({ key: 'approvalProcess', run: fill });

async function fill(demo: DemoContext): Promise<void> {
  const { base, now } = demo;
  const who = (account: string) => base.staff.get(account)!.id;
  const tenantId = base.tenants.get('C000001')!;
  const [company, personnel] = [who('company1'), who('hr1')];
  const ago = (days: number) => new Date(now.getTime() - days * DAY);
  const summary = { summary_fields: ['hours', 'day'], withdraw_policy: 'before_first_decision' };

  const add = async (
    account: string,
    at: Date,
    values: Readonly<Record<string, unknown>>,
    nodes: readonly ProcessNode[],
  ) => {
    const [id] = await demo.insert('approval_process', [
      {
        ...values,
        nodes,
        created_by: who(account),
        updated_by: who(account),
        created_at: at,
        updated_at: at,
      },
    ]);
    await demo.tell({
      entity: approvalProcess.name,
      entityId: id!,
      caller: demo.as(account),
      action: 'create',
      label: ['新建', 'New'],
      to: 'draft',
      at,
    });
    return id!;
  };
  const told = (
    account: string,
    id: number,
    action: string,
    label: readonly [string, string],
    from: string,
    to: string,
    at: Date,
  ) =>
    demo.tell({
      entity: approvalProcess.name,
      entityId: id,
      caller: demo.as(account),
      action,
      label,
      from,
      to,
      at,
    });
  const issue = async (account: string, id: number, at: Date) => {
    await run(
      demo.tx,
      `UPDATE approval_process SET state = 'published', published_at = $2, published_by = $3, updated_at = $2 WHERE id = $1`,
      [id, at, who(account)],
    );
    await told(account, id, 'publish', ['发布', 'Publish'], 'draft', 'published', at);
  };
  const end = async (account: string, id: number, at: Date, by: number | null) => {
    await run(
      demo.tx,
      `UPDATE approval_process SET state = 'stopped', superseded_by = $2, updated_at = $3 WHERE id = $1`,
      [id, by, at],
    );
    await told(
      account,
      id,
      by ? 'supersede' : 'stop',
      by ? ['被新版本取代', 'Replaced by a newer version'] : ['停用', 'Stop'],
      'published',
      'stopped',
      at,
    );
  };

  const leave = {
    biz_type: 'leave',
    name_zh: '和邻物业调休审批',
    name_en: 'Time off of Helin Property',
    scope_kind: 'tenant',
    tenant_id: tenantId,
    admin_id: company,
    title_zh: '{title}（{hours} 小时）',
    title_en: '{title} ({hours} h)',
    ...summary,
  };
  const first = await add('hr1', ago(200), { ...leave, title_zh: '', title_en: '' }, [leader]);
  await issue('company1', first, ago(198));
  const second = await add(
    'hr1',
    ago(42),
    { ...leave, family_id: first, process_version: 2 },
    leaveNodes(company, personnel),
  );
  await end('company1', first, ago(40), second);
  await issue('company1', second, ago(40));
  await run(
    demo.tx,
    `INSERT INTO approval_process_place (biz_type, place, process_id) VALUES ('leave', $1, $2)`,
    [`tenant:${tenantId}`, second],
  );

  await add(
    'hr1',
    ago(6),
    {
      biz_type: 'overtime',
      name_zh: '和邻物业加班审批',
      name_en: 'Overtime of Helin Property',
      scope_kind: 'tenant',
      tenant_id: tenantId,
      admin_id: company,
      ...summary,
    },
    overtimeNodes(personnel),
  );

  const payee = {
    biz_type: 'payee_account',
    name_zh: '收款账户双人复核',
    name_en: 'Payee accounts, checked twice',
    scope_kind: 'platform',
    admin_id: who('finance1'),
    summary_fields: ['kind', 'channel'],
    withdraw_policy: 'before_end',
    repeat_policy: 'never',
  };
  const stopped = await add('finance1', ago(160), payee, payeeNodes(who('finance2'), who('audit1'), false));
  await issue('finance1', stopped, ago(158));
  await end('finance1', stopped, ago(75), null);
  await add(
    'finance2',
    ago(3),
    { ...payee, family_id: stopped, process_version: 2 },
    payeeNodes(who('finance2'), who('audit1'), true),
  );
  await live(demo, tenantId, { first, second, since: ago(40) });
}

interface LeaveRow {
  readonly id: number;
  readonly staff_id: number;
  readonly day: string;
  readonly minutes: number;
  readonly reason: string;
  readonly decided_by: number;
  readonly created_at: Date;
}

/** The approvals by which time off of the company was granted: the leader decided within a day. */
async function live(
  demo: DemoContext,
  tenantId: number,
  versions: { readonly first: number; readonly second: number; readonly since: Date },
): Promise<void> {
  const leaves = await run<LeaveRow>(
    demo.tx,
    `SELECT id, staff_id, day::text, minutes, reason, decided_by, created_at FROM leave_record l
      WHERE tenant_id = $1 AND kind = 'leave' AND state = 'approved' AND decided_by IS NOT NULL AND minutes <= 240
        AND NOT EXISTS (SELECT FROM approval_instance i WHERE i.biz_type = 'leave' AND i.biz_id = l.id) ORDER BY id LIMIT 12`,
    [tenantId],
  );
  for (const [index, row] of leaves.entries()) {
    const isNew = row.created_at >= versions.since;
    const arrived = row.created_at;
    const decided = new Date(arrived.getTime() + demo.random.int(1, 20) * HOUR);
    const [instance] = await demo.insert('approval_instance', [
      {
        code: `AP${row.day.replaceAll('-', '')}8${String(index + 1).padStart(5, '0')}`,
        process_id: isNew ? versions.second : versions.first,
        biz_type: 'leave',
        biz_id: row.id,
        tenant_id: tenantId,
        title_zh: `调休 ${row.day}`,
        title_en: `Time off ${row.day}`,
        starter_id: row.staff_id,
        subject_id: row.staff_id,
        state: 'passed',
        facts: {
          hours: row.minutes / 60,
          day: row.day,
          reason: row.reason,
          staff: row.staff_id,
        },
        started_at: arrived,
        ended_at: decided,
      },
    ]);
    await demo.insert('approval_task', [
      {
        instance_id: instance,
        node: 'leader',
        first_assignee_id: row.decided_by,
        assignee_id: row.decided_by,
        state: 'approved',
        decided_by: row.decided_by,
        decided_at: decided,
        arrived_at: arrived,
        due_at: new Date(arrived.getTime() + 26 * HOUR),
      },
    ]);
    await passed(demo, { instance: instance!, arrived, decided }, isNew);
  }
}

/** What became of the nodes; the table has no id of its own. */
async function passed(
  demo: DemoContext,
  one: { readonly instance: number; readonly arrived: Date; readonly decided: Date },
  isNew: boolean,
): Promise<void> {
  await run(
    demo.tx,
    `INSERT INTO approval_node_run (instance_id, round, node, state, step, branches, seats, need, arrived_at, ended_at)
     SELECT $1, 1, n.node, 'passed', n.step, CASE WHEN n.node = 'hours' THEN '{short}'::text[] ELSE '{}' END, n.seats, n.seats, $2, $3
       FROM (VALUES ('leader', 1, 1), ('hours', 2, 0), ('file', 3, 0)) AS n (node, step, seats) WHERE n.node = 'leader' OR $4`,
    [one.instance, one.arrived, one.decided, isNew],
  );
}

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { run, runOne } from '../../../kernel/server/database.ts';
import { BUSINESS_TYPES } from '../../../domain/approval/business-types.rules.ts';
import { chooseProcess } from '../../../domain/approval/choose-process.server.ts';
import { grantMenu } from '../../../testing/grant-menu.ts';
import { middleOf, shareOf } from './figures.rules.ts';
import { amountBranch, askNode, openProcessBench, type ProcessBench } from './process-fixture.ts';

let bench: ProcessBench;
beforeAll(async () => {
  bench = await openProcessBench();
}, 180_000);
afterAll(() => bench?.close());
const db = () => bench.product.platform.database.db;
beforeEach(async () => {
  for (const table of ['approval_task', 'approval_node_run', 'approval_instance', 'approval_process'])
    await run(db(), `DELETE FROM ${table}`);
});

const call = (method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: object) =>
  bench.call(bench.admin, method, path, body);
const publish = (row: { id: string }) => call('POST', `/${row.id}/publish`, {});
/** A business type of the register whose group is not there yet. */
const undeclared = (): string => {
  const declared = bench.product.platform.registrations.flatMap((one) => one.approvals ?? []);
  return Object.keys(BUSINESS_TYPES).find((type) => !declared.some((one) => one.kind === type))!;
};
const rows = (table: string) =>
  run<{ n: number }>(db(), `SELECT count(*)::int AS n FROM ${table}`).then((all) => all[0]!.n);

describe('the trial run', () => {
  const tables = [
    'approval_instance',
    'approval_task',
    'approval_node_run',
    'timeline',
    'audit_log',
    'outbox',
  ];
  const asked = () => ({
    bizType: 'bad_debt',
    nodes: [
      askNode('leader', { name: '部门负责人', limit: { hours: 8, action: 'remind', every: 4, most: 2 } }),
      amountBranch(10_000_000, [
        askNode('finance', {
          name: '财务复核',
          candidates: [{ kind: 'group', id: bench.financeGroup }],
          mode: 'ratio',
          ratio: 100,
        }),
      ]),
    ],
    admin: String(bench.adminId),
    repeatPolicy: 'only_consecutive',
    starter: String(bench.staff.anna),
  });
  const known = async () => {
    const names = await run<{ table_name: string }>(
      db(),
      `SELECT table_name FROM information_schema.tables WHERE table_schema = 'public' AND table_type = 'BASE TABLE'`,
    );
    const all = names
      .map((one) => one.table_name)
      .filter((one) => tables.includes(one) || one.startsWith('approval_'));
    return Promise.all(all.map(async (one) => [one, await rows(one)]));
  };
  const trial = (body: object) => call('POST', '/design/trial', { ...asked(), ...body });
  const shown = (answer: {
    data: { nodes: { name: string; people: { name: string; reason: string }[] }[] };
  }) =>
    answer.data.nodes.map((one) => [
      one.name,
      ...one.people.map((person) => `${person.name} ${person.reason}`),
    ]);

  test('Must show 15: an amount from 100,000.00 on shows the finance node and its real people; nothing is stored', async () => {
    const before = await known();
    const answer = await trial({ facts: { amount: 10_000_000 } });
    expect([answer.http, answer.message]).toEqual([200, '']);
    expect(shown(answer)).toEqual([
      ['部门负责人', '周主管 上级负责人（流程部）'],
      ['按金额'],
      ['财务复核', '钱会计 权限组 财务复核', '孙出纳 权限组 财务复核'],
    ]);
    expect(answer.data.nodes[1].branches).toEqual([{ key: 'high', name: '十万元以上' }]);
    expect([answer.data.nodes[2].need, answer.data.nodes[0].dueAt]).toEqual([
      2,
      expect.stringContaining('+08:00'),
    ]);
    // The same for a real object, and a fen less takes the other branch.
    expect(shown(await trial({ object: '100000' }))).toEqual(shown(answer));
    expect(shown(await trial({ facts: { amount: 9_999_999 } })).map((one) => one[0])).toEqual([
      '部门负责人',
      '按金额',
    ]);
    expect(await known()).toEqual(before);
  });

  test('stand-ins, the starter’s leader, repeated and missing people are told with their reason', async () => {
    await run(
      db(),
      `INSERT INTO approval_standin (staff_id, standin_id, from_day, to_day) VALUES ($1, $2, current_date - 1, current_date + 2)`,
      [bench.staff.fin1, bench.staff.boss],
    );
    const standin = await trial({ facts: { amount: 10_000_000 } });
    expect(shown(standin)[2]).toEqual(['财务复核', '周主管 代 钱会计', '孙出纳 权限组 财务复核']);
    // He decided at the node before as well, and is not asked twice.
    expect(standin.data.nodes[2].people.map((one: { repeated: boolean }) => one.repeated)).toEqual([
      true,
      false,
    ]);
    await run(db(), 'DELETE FROM approval_standin');
    const twice = await trial({
      nodes: [
        askNode('one'),
        askNode('two'),
        askNode('three', { candidates: [{ kind: 'field', field: 'owner' }], nobody: 'auto_pass' }),
      ],
      facts: {},
    });
    expect(twice.data.nodes[1].people[0].repeated).toBe(true);
    expect([twice.data.nodes[2].automatic, twice.data.nodes[2].people]).toEqual(['auto_pass', []]);
    const refused = await trial({
      nodes: [askNode('one', { candidates: [{ kind: 'chosen' }], nobody: 'auto_refuse' }), askNode('two')],
      facts: {},
    });
    expect(
      refused.data.nodes.map((one: { node: string; automatic: string }) => [one.node, one.automatic]),
    ).toEqual([['one', 'auto_refuse']]);
  });

  test('refuses objects that are not offered, values of the wrong kind and people nobody knows', async () => {
    expect((await trial({ object: '77' })).http).toBe(404);
    expect((await trial({ facts: { amount: '10' } })).data.fields).toEqual({
      'facts.amount': '示例值不正确',
    });
    expect((await trial({ facts: { colour: 'red' } })).http).toBe(422);
    expect((await trial({ starter: '999999' })).http).toBe(404);
    const fields = (await trial({ bizType: undeclared() })).data.fields;
    expect(fields).toEqual({ bizType: '该业务类型尚未接入审批' });
  });

  test('Must show 15, real kinds: hours of overtime decide the branch; leave and payee accounts say their fields', async () => {
    const byHours = {
      key: 'hours',
      type: 'exclusive',
      name: '按时长',
      branches: [
        {
          key: 'long',
          name: '超过 4 小时',
          condition: [[{ field: 'hours', operator: 'gt', value: 4 }]],
          nodes: [askNode('second')],
        },
        { key: 'short', name: '其他', otherwise: true, nodes: [] },
      ],
    };
    const branches = async (hours: number) =>
      (
        await call('POST', '/design/trial', {
          ...asked(),
          bizType: 'overtime',
          nodes: [askNode('leader'), byHours],
          facts: { hours, dayType: 'rest_day' },
        })
      ).data.nodes[1].branches[0].key;
    expect([await branches(4.5), await branches(4)]).toEqual(['long', 'short']);
    const kinds = (await call('GET', '/design/kinds')).data as {
      bizType: string;
      moves: boolean;
      hasObjects: boolean;
      fields: { name: string }[];
    }[];
    const of = (bizType: string) => kinds.find((one) => one.bizType === bizType)!;
    expect(of('overtime').fields.map((one) => one.name)).toEqual([
      'hours',
      'credited',
      'dayType',
      'compensation',
      'day',
      'reason',
      'staff',
    ]);
    expect(of('leave').fields.map((one) => one.name)).toEqual(['hours', 'day', 'reason', 'staff']);
    expect([of('payee_account').moves, of('payee_account').fields.map((one) => one.name)]).toEqual([
      true,
      ['kind', 'channel', 'needsTest', 'account'],
    ]);
    expect((await call('GET', '/design/samples?bizType=leave')).data).toEqual([]);
  });
});

describe('publishing', () => {
  test('refuses a process with errors by their list, and says them in the check', async () => {
    const row = await bench.draft({
      nodes: [
        askNode('nobody', { candidates: [] }),
        amountBranch(1, []),
        askNode('share', { mode: 'ratio', ratio: 120, starterRule: 'self' }),
        { key: 'wait', type: 'delay', name: '等待', hours: 0 },
        {
          key: 'both',
          type: 'parallel',
          name: '并行',
          branches: [
            { key: 'a', name: '甲', nodes: [] },
            { key: 'b', name: '乙', nodes: [askNode('x')] },
          ],
        },
      ],
    });
    const answer = await publish(row);
    expect([answer.http, answer.status]).toEqual([422, 422]);
    expect(answer.data.fields).toEqual({
      'nodes.0.nobody': '请设置处理人',
      'nodes.1.share': '会签比例须在 1–100 之间',
      'nodes.2.share': '该业务不允许发起人审批自己',
      'nodes.3.wait': '延时须大于 0',
      'nodes.4.both': '并行分支「甲」为空',
    });
    expect(answer.message).toBe('流程有 5 处问题，不能发布：请设置处理人');
    await run(db(), `UPDATE staff SET state = 'disabled' WHERE id = $1`, [bench.staff.fin2]);
    const check = await call('POST', '/design/check', {
      bizType: 'bad_debt',
      nodes: [askNode('one', { candidates: [{ kind: 'staff', ids: [bench.staff.fin2!] }] })],
      admin: String(bench.adminId),
    });
    expect(check.data).toEqual([{ node: 'one', text: '孙出纳 已停用' }]);
    await run(db(), `UPDATE staff SET state = 'normal' WHERE id = $1`, [bench.staff.fin2]);
    expect(await rows('approval_process_place')).toBe(0);
  });

  test('a second process of the same type and scope is refused, also at the same moment', async () => {
    const [one, two, other] = [
      await bench.draft(),
      await bench.draft(),
      await bench.draft({ scopeKind: 'tenant', tenant: String(bench.tenantId) }),
    ];
    const answers = await Promise.all([publish(one), publish(two)]);
    expect(answers.map((answer) => answer.http).sort()).toEqual([200, 409]);
    const refused = answers.find((answer) => answer.http === 409)!;
    expect([refused.status, refused.message]).toEqual([30101, '该范围已有已发布流程']);
    const english = await bench.product.app.inject({
      method: 'POST',
      url: `/api/jinmao/web/approvalProcess/${answers[0]!.http === 409 ? one.id : two.id}/publish`,
      payload: {},
      headers: { authorization: bench.admin, 'accept-language': 'en' },
    });
    expect(english.json<{ message: string }>().message).toBe('A published process already covers this scope');
    expect((await publish(other)).http).toBe(200);
    const chosen = (tenantId: number) => chooseProcess(db(), { kind: 'bad_debt', tenantId, projectId: null });
    expect([(await chosen(bench.tenantId))!.id, (await chosen(bench.tenantId + 1000))!.id]).toEqual([
      Number(other.id),
      Number(answers[0]!.http === 200 ? one.id : two.id),
    ]);
  });

  test('stopping gives the scope free; what is published is never edited, deleted or of another type', async () => {
    const row = await bench.draft();
    await publish(row);
    const edit = await call('PUT', `/${row.id}`, { version: 2, nameZh: '改名' });
    expect([edit.status, edit.message]).toEqual([30101, '当前状态为「已发布」，不能设计']);
    expect((await call('DELETE', `/${row.id}`)).status).toBe(30101);
    await expect(
      run(db(), `UPDATE approval_process SET nodes = '[]' WHERE id = $1`, [Number(row.id)]),
    ).rejects.toThrow('never changes');
    expect((await call('POST', `/${row.id}/stop`, {})).data.state).toBe('stopped');
    expect(await rows('approval_process_place')).toBe(0);
    expect((await publish(await bench.draft())).http).toBe(200);
  });
});

describe('versions', () => {
  test('a published process is designed as a draft of the next version, which takes over; an old one is published anew', async () => {
    const first = await bench.draft();
    await publish(first);
    const revised = await call('POST', `/${first.id}/revise`, {});
    const draft = (await call('GET', `/${revised.data.result.id}`)).data;
    expect([draft.processVersion, draft.state, draft.nodes.length]).toEqual([2, 'draft', 1]);
    // Whoever designs again finds the same draft, also at the same moment.
    const again = await Promise.all([
      call('POST', `/${first.id}/revise`, {}),
      call('POST', `/${first.id}/revise`, {}),
    ]);
    expect(again.map((answer) => answer.data.result.id)).toEqual([draft.id, draft.id]);
    const stale = await call('PUT', `/${draft.id}`, { version: draft.version + 5, nameZh: '别人的' });
    expect([stale.status, stale.message]).toEqual([30101, '数据已被他人修改，请核对后重试']);
    const saved = await call('PUT', `/${draft.id}`, {
      version: draft.version,
      nodes: [askNode('leader'), askNode('second')],
    });
    expect([saved.http, saved.data.nodes.length]).toEqual([200, 2]);
    const back = (path: string, body: object) => call('POST', `/${path}/rollback`, body);
    expect((await back(first.id, { processVersion: 1 })).message).toBe(
      '该流程有未发布的草稿，请先发布或删除草稿',
    );
    expect((await publish(draft)).http).toBe(200);
    const list = (await call('GET', '/page')).data as {
      total: number;
      rows: { id: string; processVersion: number }[];
    };
    expect(list.rows.map((row) => [row.id, row.processVersion])).toEqual([[draft.id, 2]]);
    expect((await call('GET', `/${first.id}`)).http).toBe(404);
    const rolled = await back(draft.id, { processVersion: 1 });
    expect([rolled.http, rolled.data.processVersion]).toEqual([200, 3]);
    const versions = (await call('GET', `/${rolled.data.id}/versions`)).data as {
      processVersion: number;
      state: string;
      superseded: boolean;
      nodes: unknown[];
    }[];
    expect(versions.map((one) => [one.processVersion, one.state, one.superseded, one.nodes.length])).toEqual([
      [3, 'published', false, 1],
      [2, 'stopped', true, 2],
      [1, 'stopped', true, 1],
    ]);
    expect((await back(rolled.data.id, { processVersion: 9 })).http).toBe(404);
    expect(await rows('approval_process_place')).toBe(1);
    const events = (await call('GET', `/${rolled.data.id}/timeline`)).data as { label: string }[];
    expect(events.map((one) => one.label)).toEqual(expect.arrayContaining(['由第 1 版生成', '发布']));
  });

  test('an approval under way stays on its version', async () => {
    const first = await bench.draft();
    await publish(first);
    await run(
      db(),
      `INSERT INTO approval_instance (code, process_id, biz_type, biz_id, tenant_id, title_zh, title_en, starter_id) VALUES ('AP1', $1, 'bad_debt', 1, $2, 'x', 'x', $3)`,
      [Number(first.id), bench.tenantId, bench.adminId],
    );
    const { id } = (await call('POST', `/${first.id}/revise`, {})).data.result as { id: string };
    expect((await publish({ id })).http).toBe(200);
    const instance = await runOne<{ process_id: number }>(db(), 'SELECT process_id FROM approval_instance');
    expect(instance!.process_id).toBe(Number(first.id));
    // The list counts it with the process whose version it began on.
    expect((await call('GET', `/${id}`)).data.running).toBe(1);
  });

  test('copies begin a family of their own; only drafts are deleted', async () => {
    const first = await bench.draft();
    await publish(first);
    const copy = (await call('POST', `/${first.id}/duplicate`, {})).data.result as {
      id: string;
      name: string;
    };
    expect(copy.name).toBe('核销流程 副本');
    const row = (await call('GET', `/${copy.id}`)).data;
    const english = (await call('GET', `/${first.id}`)).data.nameEn as string;
    expect(row.nameEn).toBe(english && `${english} (copy)`);
    expect([row.state, row.processVersion, row.bizType]).toEqual(['draft', 1, 'bad_debt']);
    expect((await call('DELETE', `/${copy.id}`)).http).toBe(200);
    expect((await call('GET', '/page')).data.total).toBe(1);
  });
});

describe('who may do what', () => {
  test('a company reads the platform’s processes and keeps its own; never those of others or of the whole platform', async () => {
    const tenant = (await runOne<{ id: number }>(
      db(),
      `INSERT INTO tenant (kind, account, name) VALUES (1, 'C91', '城东物业') RETURNING id`,
    ))!.id;
    const { id: staffId } = (await runOne<{ id: number }>(
      db(),
      `INSERT INTO staff (tenant_id, account, name, all_projects, must_change_password) VALUES ($1, 'c91_chief', '陈经理', true, false) RETURNING id`,
      [tenant],
    ))!;
    await grantMenu(db(), staffId, 'approvalProcess');
    await run(
      db(),
      `INSERT INTO element_grant (group_id, element_code) SELECT g.group_id, e.code FROM group_member g, element e WHERE g.staff_id = $1 AND e.menu_code = 'approvalProcess'`,
      [staffId],
    );
    const token = await bench.product.signIn('c91_chief');
    const general = await bench.draft();
    await publish(general);
    const foreign = await bench.draft({ scopeKind: 'tenant', tenant: String(bench.tenantId) });
    const list = (await bench.call(token, 'GET', '/page')).data as {
      rows: { id: string; actions: string[] }[];
    };
    expect(list.rows.map((row) => [row.id, row.actions])).toEqual([[general.id, ['duplicate']]]);
    expect((await bench.call(token, 'GET', `/${foreign.id}`)).http).toBe(404);
    const stop = await bench.call(token, 'POST', `/${general.id}/stop`, {});
    expect([stop.status, stop.message]).toEqual([30101, '该流程由平台或其他公司维护，您只能查看']);
    const make = (values: object) =>
      bench.call(token, 'POST', '', {
        bizType: 'bad_debt',
        nameZh: '本公司核销',
        scopeKind: 'tenant',
        admin: String(staffId),
        withdrawPolicy: 'never',
        repeatPolicy: 'never',
        nodes: [askNode('leader')],
        ...values,
      });
    expect((await make({ scopeKind: 'platform' })).data.fields).toEqual({
      scopeKind: '仅平台员工可设置全平台流程',
    });
    expect((await make({ admin: String(bench.adminId) })).http).toBe(404);
    expect(
      (await make({ nodes: [askNode('x', { candidates: [{ kind: 'staff', ids: [bench.adminId] }] })] })).http,
    ).toBe(404);
    expect(
      (await make({ nodes: [askNode('x', { candidates: [{ kind: 'group', id: bench.financeGroup }] })] }))
        .http,
    ).toBe(404);
    const own = await make({});
    expect([own.http, own.data.tenant.id]).toEqual([200, String(tenant)]);
    expect((await bench.call(token, 'POST', `/${own.data.id}/publish`, {})).http).toBe(200);
    // A copy of the platform's belongs to the company that made it.
    const copy = await bench.call(token, 'POST', `/${general.id}/duplicate`, {});
    const copied = (await bench.call(token, 'GET', `/${copy.data.result.id}`)).data;
    expect([copied.scopeKind, copied.tenant.id]).toEqual(['tenant', String(tenant)]);
  });

  test('nodes of another shape, business types nobody declares and scopes without their place are refused', async () => {
    const bad = (values: object) =>
      bench.draft(values).catch((error: Error) => JSON.parse(error.message).data.fields as object);
    expect(await bad({ nodes: [{ key: 'x', type: 'approve' }] })).toEqual({ nodes: '流程节点格式不正确' });
    expect(await bad({ nodes: [{ ...askNode('x'), secret: 1 }] })).toEqual({ nodes: '流程节点格式不正确' });
    expect(await bad({ nodes: Array.from({ length: 101 }, (_, n) => askNode(`n${n}`)) })).toEqual({
      nodes: '节点不能超过 100 个',
    });
    expect(await bad({ bizType: undeclared() })).toEqual({ bizType: '该业务类型尚未接入审批' });
    expect(await bad({ scopeKind: 'tenant' })).toEqual({ tenant: '此项必填' });
    expect(await bad({ scopeKind: 'unit' })).toEqual({ unit: '此项必填' });
    expect(await bad({ scopeKind: 'project', projects: [] })).toEqual({ projects: '此项必填' });
  });
});

describe('figures', () => {
  test('median and 90th percentile in business hours, refusals, busiest people; late tasks of 30 days', async () => {
    const row = await bench.draft();
    await publish(row);
    // The Monday before last: 09:00 on is work.
    const { day } = (await runOne<{ day: string }>(
      db(),
      `SELECT (date_trunc('week', now() AT TIME ZONE 'Asia/Shanghai')::date - 7)::text AS day`,
    ))!;
    await run(
      db(),
      `INSERT INTO business_calendar (day, type) VALUES ($1, 'workday') ON CONFLICT (day) DO UPDATE SET type = 'workday'`,
      [day],
    );
    const decide = async (n: number, hours: number, state: string, by: string, late: boolean) => {
      const { id } = (await runOne<{ id: number }>(
        db(),
        `INSERT INTO approval_instance (code, process_id, biz_type, biz_id, tenant_id, title_zh, title_en, starter_id, state, started_at, ended_at)
         VALUES ($1, $2, 'bad_debt', $3, $4, 'x', 'x', $5, 'passed', ($6 || ' 09:00+08')::timestamptz, ($6 || ' 19:00+08')::timestamptz) RETURNING id`,
        [`APT${n}`, Number(row.id), n, bench.tenantId, bench.adminId, day],
      ))!;
      await run(
        db(),
        `INSERT INTO approval_task (instance_id, node, first_assignee_id, assignee_id, state, decided_by, arrived_at, decided_at, due_at)
         VALUES ($1, 'leader', $2, $2, $3, $2, ($4 || ' 09:00+08')::timestamptz, ($4 || ' 09:00+08')::timestamptz + make_interval(mins => $5), ($4 || ' 09:00+08')::timestamptz + make_interval(mins => $6))`,
        [id, bench.staff[by], state, day, hours * 60, late ? hours * 60 - 1 : hours * 60 + 60],
      );
    };
    await decide(1, 1, 'approved', 'boss', false);
    await decide(2, 2, 'approved', 'boss', false);
    // Over lunch: five hours by the clock are three and a half of work.
    await decide(3, 5, 'refused', 'fin1', true);
    const { data } = await call('GET', `/${row.id}/statistics`);
    expect(data).toEqual({
      days: 90,
      results: { passed: 3 },
      nodes: [
        {
          node: 'leader',
          name: 'leader',
          former: false,
          decided: 3,
          open: 0,
          medianHours: '2.0',
          p90Hours: '3.5',
          refusalRate: '33.3',
          busiest: [
            { name: '周主管', count: 2 },
            { name: '钱会计', count: 1 },
          ],
        },
      ],
    });
    // Staff of another company are told of their own approvals only.
    const elsewhere = await bench.product.call(
      await bench.product.signIn('c91_chief'),
      'GET',
      `/jinmao/web/approvalProcess/${row.id}/statistics`,
    );
    expect([elsewhere.http, elsewhere.data.results, elsewhere.data.nodes[0]]).toMatchObject([
      200,
      {},
      { decided: 0, open: 0, busiest: [] },
    ]);
    const shown = (await call('GET', `/${row.id}`)).data;
    expect([shown.running, shown.averageHours, shown.overdueRate]).toEqual([0, '10.0', '33.33']);
  });

  test('rules of the figures', () => {
    expect([middleOf([], 50), middleOf([3, 1, 2], 50), middleOf([1, 2, 3, 4], 90)]).toEqual([
      undefined,
      2,
      4,
    ]);
    expect([shareOf(1, 0), shareOf(1, 3)]).toEqual([null, '33.3']);
  });
});

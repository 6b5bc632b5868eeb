import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { run, runOne, transaction } from '../../../kernel/server/database.ts';
import { businessDayOf, addDays } from '../../../kernel/contract/time.rules.ts';
import { notifyStaffChanged } from '../../../kernel/server/people/session-changes.ts';
import type { Registration } from '../../../kernel/server/registration.ts';
import { askNode, openApprovalBench, type ApprovalBench } from '../../../domain/approval/approval-fixture.ts';
import { handInAgain } from '../../../domain/approval/approve.server.ts';
import { runDue } from '../../../domain/approval/approval-jobs.server.ts';
import { lockInstance } from '../../../domain/approval/flow.server.ts';
import { progressOf, counterText } from '../../../domain/approval/node-progress.server.ts';
import { registration as centre } from '../../../domain/approval/approval-centre.server.ts';
import { registration as tasks } from './approval-task.server.ts';

let bench: ApprovalBench;
let biz = 1000;
const tokens = new Map<string, string>();
const db = () => bench.product.platform.database.db;
const ids = (...names: string[]) => names.map((name) => bench.staff[name]!);

beforeAll(async () => {
  bench = await openApprovalBench();
  // Everybody but g and h holds the centre; f looks after approvals of others.
  await grant(
    'centre',
    ['a', 'b', 'c', 'd', 'e', 'boss'],
    ['btn_handle', 'btn_batchApprove', 'btn_urge', 'btn_withdraw', 'btn_standin', 'btn_export'],
  );
  await grant('admin', ['f'], ['btn_handle', 'btn_cancel', 'btn_reassign', 'btn_standin']);
});
afterAll(() => bench?.product.close());
beforeEach(async () => {
  biz += 1;
  await run(db(), 'UPDATE approval_standin SET cancelled_at = now() WHERE cancelled_at IS NULL');
});

async function grant(code: string, who: readonly string[], elements: readonly string[], scope = 'all') {
  const { id } = (await runOne<{ id: number }>(
    db(),
    `INSERT INTO permission_group (type_id, tenant_id, code, name) SELECT id, $1, $2, $2 FROM group_type WHERE code = 'role' RETURNING id`,
    [bench.tenantId, code],
  ))!;
  await run(
    db(),
    `INSERT INTO menu_grant (group_id, menu_code, data_scope) VALUES ($1, 'pr_auditManagement', $2)`,
    [id, scope],
  );
  await run(
    db(),
    `INSERT INTO element_grant (group_id, element_code) SELECT $1, 'pr_auditManagement:' || e FROM unnest($2::text[]) AS e`,
    [id, elements],
  );
  for (const one of who) {
    await run(db(), 'INSERT INTO group_member (group_id, staff_id) VALUES ($1, $2)', [id, bench.staff[one]]);
    await notifyStaffChanged(db(), bench.staff[one]!);
  }
  bench.product.platform.changed('session');
}

async function call(who: string, method: 'GET' | 'POST' | 'PUT', path: string, body?: object) {
  if (!tokens.has(who)) tokens.set(who, await bench.product.signIn(`appr_${who}`));
  return bench.product.call(tokens.get(who)!, method, path, body);
}
const list = async (who: string, tab: string) =>
  (await call(who, 'GET', `/jinmao/web/approvalTask/page?tab=${tab}&limit=100`)).data.rows as {
    id: string;
    code: string;
    title: string;
    approval: string;
    via: string;
    first: { title: string } | null;
    node: Parameters<typeof counterText>[0];
    timeLeft: number | null;
    result: string;
    barred: boolean;
    actions: string[];
  }[];
const about = async (who: string, tab: string, id: number) =>
  (await list(who, tab)).filter((row) => row.approval === String(id));
const taskOf = async (who: string, id: number) => (await about(who, 'todo', id))[0]!.id;
const act = (who: string, task: string, name: string, body: object = {}) =>
  call(who, 'POST', `/jinmao/web/approvalTask/${task}/${name}`, body);
const page = (who: string, id: number) => call(who, 'GET', `/admin/approval/instance/${id}`);
const ratio = (percent: number, ...names: string[]) =>
  askNode('sign', ids(...names), { mode: 'ratio', ratio: percent });

describe('results', () => {
  test('Must show 3: countersign 5 people at 60 %: two refusals and it still runs with its counter, the third refuses it and two tasks are in nobody’s done list; three agreements pass it', async () => {
    await bench.publish([ratio(60, 'b', 'c', 'd', 'e', 'boss')]);
    const id = await bench.submit(biz, 'a');
    await act('b', await taskOf('b', id), 'refuse', { opinion: '不同意' });
    await act('c', await taskOf('c', id), 'refuse', { opinion: '不同意' });
    const [open] = await about('d', 'todo', id);
    expect(counterText(open!.node)?.[0]).toBe('同意 0 · 不同意 2 · 待处理 3 · 需 3');
    const { data } = await page('a', id);
    expect([data.state, data.graph[0].counter, data.graph[0].state]).toEqual([
      'running',
      '同意 0 · 不同意 2 · 待处理 3 · 需 3',
      'current',
    ]);
    await act('d', open!.id, 'refuse', { opinion: '不同意' });
    expect((await page('a', id)).data.state).toBe('refused');
    expect((await about('d', 'done', id)).map((row) => row.result)).toEqual(['refused']);
    for (const who of ['e', 'boss'])
      expect([(await about(who, 'todo', id)).length, (await about(who, 'done', id)).length]).toEqual([0, 0]);
    biz += 1;
    const second = await bench.submit(biz, 'a');
    for (const who of ['b', 'c', 'd']) await act(who, await taskOf(who, second), 'approve');
    expect((await page('a', second)).data.state).toBe('passed');
    expect(bench.ended).toContain(`passed ${biz}`);
  });

  test('Must show 4: any one of four: one agrees, and only that person’s done list has the row', async () => {
    await bench.publish([askNode('any', ids('b', 'c', 'd', 'e'))]);
    const id = await bench.submit(biz, 'a');
    await act('c', await taskOf('c', id), 'approve', { opinion: '好' });
    for (const who of ['b', 'c', 'd', 'e'])
      expect([who, (await about(who, 'done', id)).length]).toEqual([who, who === 'c' ? 1 : 0]);
    const { rows } = (await call('a', 'GET', '/jinmao/web/approvalInstance/page?tab=started')).data;
    expect(rows.find((row: { id: string }) => row.id === String(id)).state).toBe('passed');
  });

  test('Must show 5: returned from the third node to the first: a new round with fresh deadlines; handed in again the third asks all its people, and reminds at its new deadline', async () => {
    const limit = { hours: 1, action: 'remind', every: 1, most: 2 } as const;
    await bench.publish(
      [
        askNode('first', ids('b'), { limit }),
        askNode('second', ids('c')),
        { ...ratio(100, 'd', 'e'), limit },
      ],
      { repeat: 'never' },
    );
    const start = new Date('2026-03-02T09:00:00+08:00');
    const id = await bench.submit(biz, 'a', start);
    await bench.decide(biz, 'b', true, new Date('2026-03-02T09:10:00+08:00'));
    await bench.decide(biz, 'c', true, new Date('2026-03-02T09:20:00+08:00'));
    const before = (await page('d', id)).data.acts.decide;
    expect(before.returnTo.map((one: { key: string }) => one.key)).toEqual(['first', 'second', 'starter']);
    expect((await act('d', await taskOf('d', id), 'return', { to: 'first', opinion: '' })).http).toBe(422);
    await act('d', await taskOf('d', id), 'return', { to: 'starter', opinion: '材料不全' });
    const returned = (await page('a', id)).data;
    expect([returned.round, returned.awaitsStarter, returned.acts.resubmit]).toEqual([2, true, true]);
    expect((await call('b', 'POST', `/admin/approval/instance/${id}/resubmit`, {})).http).toBe(404);
    // Months later: deadlines count from now on.
    const again = new Date('2026-05-11T09:00:00+08:00');
    await transaction(db(), async (tx) =>
      handInAgain(tx, bench.product.platform, (await lockInstance(tx, id))!, { ...bench.by('a'), at: again }),
    );
    await bench.decide(biz, 'b', true, again);
    await bench.decide(biz, 'c', true, again);
    expect([(await about('d', 'todo', id)).length, (await about('e', 'todo', id)).length]).toEqual([1, 1]);
    const due = await run<{ due: Date; reminded: number }>(
      db(),
      `SELECT due_at AS due, reminded_count AS reminded FROM approval_task WHERE instance_id = $1 AND node = 'sign' AND state = 'pending'`,
      [id],
    );
    expect(due.map((row) => row.due.toISOString())).toEqual(Array(2).fill('2026-05-11T02:00:00.000Z'));
    await runDue(bench.product.platform, new Date('2026-05-11T10:00:00+08:00'));
    const reminded = await run<{ reminded: number }>(
      db(),
      `SELECT reminded_count AS reminded FROM approval_task WHERE instance_id = $1 AND node = 'sign' AND state = 'pending'`,
      [id],
    );
    expect(reminded.map((row) => row.reminded)).toEqual([1, 1]);
    expect((await page('a', id)).data.rounds.map((one: { round: number }) => one.round)).toEqual([2, 1]);
    const late = (await about('d', 'todo', id))[0]!;
    expect(typeof late.timeLeft).toBe('number');
  });

  test('Must show 6: b sets c as stand-in from today: a new task shows at c in the place of b; where c is the starter it goes to the process administrator', async () => {
    const today = businessDayOf(new Date());
    const set = await call('b', 'POST', '/jinmao/web/approvalStandin', {
      standin: String(bench.staff.c),
      fromDay: today,
      toDay: addDays(today, 7),
    });
    expect([set.http, set.data.phase, set.data.staff.title]).toEqual([200, 'active', 'b']);
    await bench.publish([askNode('any', ids('b'))], { admin: 'f' });
    const id = await bench.submit(biz, 'a');
    const [row] = await about('c', 'todo', id);
    expect([row!.via, row!.first!.title, (await about('b', 'todo', id)).length]).toEqual(['standin', 'b', 0]);
    await act('c', row!.id, 'approve');
    // Decided for b, it is in the done list of both.
    expect((await about('b', 'done', id)).length).toBe(1);
    expect((await page('b', id)).data.rounds[0].entries).toContainEqual(
      expect.objectContaining({ who: 'c', instead: 'b', via: 'standin', result: 'approved' }),
    );
    biz += 1;
    const own = await bench.submit(biz, 'c');
    expect([(await about('c', 'todo', own)).length, (await about('f', 'todo', own)).length]).toEqual([0, 1]);
  });

  test('Must show 7: the time left is counted in business hours, and a second server shows the same', async () => {
    const limit = { hours: 8, action: 'remind', every: 4, most: 2 } as const;
    await bench.publish([askNode('any', ids('b'), { limit })]);
    const id = await bench.submit(biz, 'a', new Date('2026-03-06T17:00:00+08:00'));
    const dueOf = async () =>
      (await runOne<{ due: Date }>(db(), 'SELECT due_at AS due FROM approval_task WHERE instance_id = $1', [
        id,
      ]))!.due.toISOString();
    expect(await dueOf()).toBe('2026-03-09T09:30:00.000Z');
    expect((await page('b', id)).data.graph[0].due).toContain('2026-03-09 17:30');
    expect((await about('b', 'todo', id))[0]!.timeLeft).toBeLessThan(0);
    const other = await bench.another();
    await runDue(other.platform, new Date('2026-03-09T17:29:00+08:00'));
    await other.close();
    expect(await dueOf()).toBe('2026-03-09T09:30:00.000Z');
  });

  test('Must show 8: two approvers of a ratio decide in the same instant: both count; after the end 30101', async () => {
    await bench.publish([ratio(60, 'b', 'c', 'd')]);
    const id = await bench.submit(biz, 'a');
    const open = await Promise.all(['b', 'c', 'd'].map((who) => taskOf(who, id)));
    const both = await Promise.all([act('b', open[0]!, 'approve'), act('c', open[1]!, 'approve')]);
    expect(both.map((one) => one.http)).toEqual([200, 200]);
    const progress = await progressOf(db(), [{ instanceId: id, round: 1, node: 'sign' }]);
    expect([...progress.values()][0]).toMatchObject({ agreed: 2 });
    const late = await act('d', open[2]!, 'approve');
    expect([late.http, late.status]).toEqual([409, 30101]);
    expect((await page('d', id)).http).toBe(200);
  });
});

describe('lists and rights', () => {
  test('tabs count what they list; nobody sees tasks of others, whatever the scope of the menu', async () => {
    await bench.publish([
      askNode('any', ids('b')),
      { key: 'copy', type: 'copy', name: '抄送', candidates: [{ kind: 'staff', ids: ids('d') }] },
      askNode('last', ids('c')),
    ]);
    const id = await bench.submit(biz, 'a');
    expect((await about('f', 'todo', id)).length).toBe(0);
    const before = (await call('b', 'GET', '/jinmao/web/approvalTask/counts')).data;
    expect(before.todo).toBe((await list('b', 'todo')).length);
    await act('b', await taskOf('b', id), 'approve');
    const after = (await call('b', 'GET', '/jinmao/web/approvalTask/counts')).data;
    expect([after.todo, after.done]).toEqual([before.todo - 1, before.done + 1]);
    expect((await about('d', 'copied', id)).length).toBe(1);
    const started = (await call('a', 'GET', '/jinmao/web/approvalInstance/counts')).data;
    const rows = (await call('a', 'GET', '/jinmao/web/approvalInstance/page?tab=started&limit=200')).data;
    expect([started.started, rows.rows[0].waiting]).toEqual([
      rows.total,
      [{ id: String(bench.staff.c), name: 'c' }],
    ]);
    // Filters and keyword.
    const code = rows.rows[0].code as string;
    const found = (await call('c', 'GET', `/jinmao/web/approvalTask/page?tab=todo&searchVal=${code}`)).data;
    expect(found.rows.map((row: { code: string }) => row.code)).toEqual([code]);
    const mine = await call(
      'c',
      'GET',
      `/jinmao/web/approvalTask/page?tab=todo&starter=${bench.staff.b}&searchVal=${code}`,
    );
    expect(mine.data.total).toBe(0);
  });

  test('the page concerns starter, assignees and copied staff also without the menu; others get 404', async () => {
    await bench.publish([askNode('any', ids('g')), askNode('last', ids('c'))], { admin: 'e' });
    const id = await bench.submit(biz, 'a');
    for (const [who, http] of [
      ['a', 200],
      ['g', 200],
      ['e', 200],
      ['f', 200],
      ['b', 404],
      ['c', 404],
    ] as const)
      expect([who, (await page(who, id)).http]).toEqual([who, http]);
    // g holds no menu of approvals at all, and decides.
    expect((await call('g', 'GET', '/jinmao/web/approvalTask/page?tab=todo')).http).toBe(403);
    const view = (await page('g', id)).data;
    expect(view.graph.map((node: { state: string }) => node.state)).toEqual(['current', 'future']);
    expect(view.graph[1].people).toEqual([{ name: 'c', reason: '指定人员' }]);
    expect((await act('g', view.acts.decide.taskId, 'approve', { opinion: '同意' })).http).toBe(200);
    expect((await page('g', id)).data.acts.undo).toBeDefined();
    expect((await page('c', id)).http).toBe(200);
    expect((await act('b', view.acts.decide.taskId, 'undo')).http).toBe(404);
    expect((await act('g', view.acts.decide.taskId, 'undo')).http).toBe(200);
    expect((await page('g', id)).data.graph[0].state).toBe('current');
    // Its message leads to this page.
    const told = await runOne<{ route: string }>(
      db(),
      'SELECT route FROM notification WHERE staff_id = $1 ORDER BY id DESC LIMIT 1',
      [bench.staff.g],
    );
    expect(told!.route).toBe(`/publicResource/pr_approvalProcess/${id}`);
    // And its menu opens for everybody.
    const menus = await call('g', 'GET', '/admin/user/front/info');
    expect(menus.text).toContain('pr_approvalProcess');
  });

  test('fields hidden at a node are left out for its people only', async () => {
    const kind = bench.product.platform.registrations
      .flatMap((one) => one.approvals ?? [])
      .find((one) => one.kind === 'trial')!;
    Object.assign(kind, {
      snapshot: () =>
        Promise.resolve([
          {
            title: ['单据', 'Record'],
            values: [
              { field: 'amount', label: ['金额', 'Amount'], value: ['100.00', '100.00'] },
              { field: 'note', label: ['备注', 'Note'], value: ['无', 'None'] },
            ],
          },
        ]),
    });
    await bench.publish([askNode('any', ids('b'), { hidden: ['amount'] })]);
    const id = await bench.submit(biz, 'a');
    const labels = async (who: string) =>
      (await page(who, id)).data.sections[0].values.map((one: { label: string }) => one.label);
    expect([await labels('b'), await labels('a')]).toEqual([['备注'], ['金额', '备注']]);
    // Nor in what lists say of it.
    const facts = [
      { label: ['金额', 'Amount'], value: ['100.00', '100.00'] },
      { label: ['备注', 'Note'], value: ['无', 'None'] },
    ];
    await run(db(), 'UPDATE approval_instance SET summary = $2::jsonb WHERE id = $1', [
      id,
      JSON.stringify(facts),
    ]);
    const [listed] = (await about('b', 'todo', id)) as unknown as { summary: { label: string[] }[] }[];
    expect(listed!.summary.map((one) => one.label[0])).toEqual(['备注']);
    const mine = (await call('b', 'GET', '/admin/approval/mine')).data as {
      approval: string;
      summary: { label: string }[];
    }[];
    expect(mine.find((one) => one.approval === String(id))!.summary.map((one) => one.label)).toEqual([
      '备注',
    ]);
    Object.assign(kind, { snapshot: undefined });
  });

  test('who lost the right to decide is shown type and number only, and finds nothing by title or starter', async () => {
    const kind = bench.product.platform.registrations
      .flatMap((one) => one.approvals ?? [])
      .find((one) => one.kind === 'trial')!;
    await bench.publish([askNode('any', ids('b'))]);
    const id = await bench.submit(biz, 'a');
    const sights = kind.sights;
    Object.assign(kind, {
      decidable: () => Promise.resolve(new Set()),
      sights: {
        toDecide: { entity: 'trial', menu: 'pr_auditManagement', condition: () => 'FALSE' },
        outcome: { entity: 'trial', menu: 'nowhere', condition: () => 'FALSE' },
      },
    });
    const [row] = await about('b', 'todo', id);
    expect(row).toMatchObject({ barred: true, title: '', starter: null, summary: [], type: 'trial' });
    const title = encodeURIComponent(`第 ${biz} 号`);
    for (const query of [`searchVal=${title}`, `starter=${bench.staff.a}`])
      expect((await call('b', 'GET', `/jinmao/web/approvalTask/page?tab=todo&${query}`)).data.rows).toEqual(
        [],
      );
    const view = (await page('b', id)).data;
    expect(Object.keys(view).sort()).toEqual(['barred', 'code', 'id', 'kind', 'kindName', 'note']);
    expect((await act('b', row!.id, 'approve')).http).toBe(403);
    Object.assign(kind, { decidable: undefined, sights });
    expect((await about('b', 'todo', id))[0]!.barred).toBe(false);
  });
});

describe('acts', () => {
  test('approving in bulk: each on its own, a node that forbids it says so, at most 50', async () => {
    await bench.publish([askNode('any', ids('b'))]);
    const free = await bench.submit(biz, 'a');
    biz += 1;
    await bench.publish([askNode('single', ids('b'), { batch: false })]);
    const single = await bench.submit(biz, 'a');
    const chosen = [await taskOf('b', free), await taskOf('b', single)];
    const done = await call('b', 'POST', '/jinmao/web/approvalTask/bulk/approve', { ids: chosen, input: {} });
    expect(done.data).toEqual({
      done: [chosen[0]],
      failed: [{ id: chosen[1], message: '该节点不允许批量处理' }],
    });
    expect([(await page('a', free)).data.state, (await page('a', single)).data.state]).toEqual([
      'passed',
      'running',
    ]);
    const many = Array.from({ length: 51 }, (_, at) => String(at + 1));
    expect((await call('b', 'POST', '/jinmao/web/approvalTask/bulk/approve', { ids: many })).http).toBe(422);
    const again = await call('b', 'POST', '/jinmao/web/approvalTask/bulk/approve', { ids: [chosen[0]] });
    expect(again.data.failed[0].message).toBe('该任务已被处理');
  });

  test('handed on, added before and taken back over the page', async () => {
    await bench.publish([askNode('any', ids('b'))]);
    const id = await bench.submit(biz, 'a');
    const task = await taskOf('b', id);
    const early = await act('b', task, 'transfer', { to: String(bench.staff.a), reason: '请处理' });
    expect([early.http, early.message]).toEqual([409, '不能转给发起人或当事人']);
    expect((await act('b', task, 'addSign', { where: 'before', staff: [String(bench.staff.d)] })).http).toBe(
      200,
    );
    expect((await page('b', id)).data.acts.removeSign).toEqual([
      { taskId: expect.any(String) as string, name: 'd' },
    ]);
    const added = (await page('b', id)).data.acts.removeSign[0].taskId as string;
    expect((await act('d', added, 'removeSign')).http).toBe(404);
    expect((await act('b', added, 'removeSign')).http).toBe(200);
    expect((await act('b', task, 'transfer', { to: String(bench.staff.e), reason: '请处理' })).http).toBe(
      200,
    );
    expect((await about('b', 'done', id)).map((row) => row.result)).toEqual(['transferred']);
    expect((await about('e', 'todo', id))[0]!.via).toBe('transfer');
  });

  test('who may reassign approvals never chooses who decides about the own', async () => {
    await bench.publish([askNode('any', ids('b'))]);
    const id = await bench.submit(biz, 'f');
    const moved = await call('f', 'POST', `/jinmao/web/approvalInstance/${id}/reassign`, {
      from: String(bench.staff.b),
      to: String(bench.staff.c),
      reason: '换人审批',
    });
    expect([moved.http, moved.status, moved.message]).toEqual([
      409,
      30101,
      '不能改派自己发起或涉及本人的审批',
    ]);
    expect((await about('b', 'todo', id)).length).toBe(1);
  });

  test('the starter urges once in some hours and withdraws; the administrator reassigns and ends it', async () => {
    await bench.publish([askNode('any', ids('b'))]);
    const id = await bench.submit(biz, 'a');
    const root = `/jinmao/web/approvalInstance/${id}`;
    expect((await call('a', 'POST', `${root}/urge`, {})).http).toBe(200);
    expect((await call('a', 'POST', `${root}/urge`, {})).message).toBe('4 小时内只能催办一次');
    expect((await call('a', 'POST', `${root}/cancel`, { reason: '不需要了' })).http).toBe(403);
    const moved = await call('f', 'POST', `${root}/reassign`, {
      from: String(bench.staff.b),
      to: String(bench.staff.c),
      reason: '出差',
    });
    expect([
      moved.message,
      (await about('c', 'todo', id))[0]?.via,
      (await about('b', 'todo', id)).length,
    ]).toEqual(['', 'replacement', 0]);
    const events = (await call('a', 'GET', `${root}/timeline`)).data as { label: string }[];
    expect(events.map((one) => one.label).filter((label) => label.startsWith('改派'))).toHaveLength(1);
    expect((await call('a', 'POST', `${root}/withdraw`, {})).http).toBe(200);
    expect(bench.ended).toContain(`withdrawn ${biz}`);
    biz += 1;
    const second = await bench.submit(biz, 'a');
    const ended = await call('f', 'POST', `/jinmao/web/approvalInstance/${second}/cancel`, {
      reason: '重复提交',
    });
    expect([ended.http, (await page('a', second)).data.state]).toEqual([200, 'cancelled']);
    const audit = await runOne<{ n: number }>(
      db(),
      `SELECT count(*) AS n FROM audit_record WHERE entity = 'approvalInstance' AND entity_id = $1 AND action = 'cancel'`,
      [String(second)],
    );
    expect(audit!.n).toBe(1);
  });

  test('stand-ins: not oneself, 90 days at most, none overlapping even at one moment, ended at once, moving what waits', async () => {
    const today = businessDayOf(new Date());
    const set = (who: string, body: object) => call(who, 'POST', '/jinmao/web/approvalStandin', body);
    const days = (from: number, to: number) => ({ fromDay: addDays(today, from), toDay: addDays(today, to) });
    const c = String(bench.staff.c);
    expect((await set('b', { standin: String(bench.staff.b), ...days(0, 1) })).http).toBe(422);
    expect((await set('b', { standin: c, ...days(0, 91) })).http).toBe(422);
    expect((await set('b', { standin: c, ...days(2, 1) })).http).toBe(422);
    expect((await set('b', { staff: String(bench.staff.a), standin: c, ...days(0, 1) })).http).toBe(403);
    await bench.publish([askNode('any', ids('b'))]);
    const id = await bench.submit(biz, 'a');
    const both = await Promise.all([
      set('b', { standin: c, ...days(0, 5), movePending: true }),
      set('b', { standin: String(bench.staff.d), ...days(3, 9) }),
    ]);
    expect(both.map((one) => one.http).sort()).toEqual([200, 422]);
    const made = both.find((one) => one.http === 200)!;
    expect(both.find((one) => one.http === 422)!.text).toContain('该时间段已设置代理');
    if (made === both[0]) expect((await about('c', 'todo', id))[0]!.via).toBe('standin');
    expect((await call('c', 'POST', `/jinmao/web/approvalStandin/${made.data.id}/cancel`, {})).http).not.toBe(
      200,
    );
    const ended = await call('b', 'POST', `/jinmao/web/approvalStandin/${made.data.id}/cancel`, {});
    expect([ended.http, ended.data.phase]).toEqual([200, 'cancelled']);
    // For somebody else: who looks after approvals.
    expect((await set('f', { staff: String(bench.staff.e), standin: c, ...days(0, 1) })).http).toBe(200);
    expect((await call('e', 'GET', '/jinmao/web/approvalStandin/page')).data.rows).toHaveLength(1);
  });

  test('the to-do centre leads to the centre, with the number of this moment', async () => {
    await bench.publish([askNode('any', ids('d'))]);
    const todo = async () =>
      (
        (await call('d', 'GET', '/admin/home/todo')).data as { kind: string; count: number; route: string }[]
      ).find((one) => one.kind === 'approval')!;
    const before = await todo();
    expect(before.route).toBe('/publicResource/pr_auditManagement');
    await bench.submit(biz, 'a');
    const counted = await centre.todos![0]!.count({
      caller: await bench.product.caller('appr_d'),
      platform: bench.product.platform,
    });
    expect([counted.count, centre.todos![0]!.keepMs]).toEqual([before.count + 1, 1_000]);
  });

  test('the file equals the list', async () => {
    await bench.publish([askNode('any', ids('e'))]);
    await bench.submit(biz, 'a');
    const caller = await bench.product.caller('appr_e');
    const source = (tasks as Registration).exports!.find((one) => one.source === 'approvalTask')!;
    const lines: unknown[] = [];
    for await (const batch of source.read(
      { caller, platform: bench.product.platform, language: 'zh' },
      { tab: 'todo' },
    ))
      lines.push(...batch.map((row) => row[0]));
    expect(lines).toEqual((await list('e', 'todo')).map((row) => row.code));
  });
});

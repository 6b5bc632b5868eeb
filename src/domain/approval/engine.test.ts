import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { run, runOne, transaction } from '../../kernel/server/database.ts';
import { askNode, openApprovalBench, type ApprovalBench } from './approval-fixture.ts';
import { replaceSeats, runDue } from './approval-jobs.server.ts';
import { handInAgain, withdrawApproval } from './approve.server.ts';
import { lockInstance } from './flow.server.ts';
import { predict } from './predict.server.ts';
import type { ProcessNode } from './process.rules.ts';
import { moveToStandin } from './standin.server.ts';
import {
  addSign,
  cancelInstance,
  returnTask,
  transferTask,
  undoDecision,
  urgeTask,
} from './task-commands.server.ts';

let bench: ApprovalBench;
let biz = 0;
beforeAll(async () => {
  bench = await openApprovalBench();
});
afterAll(() => bench?.product.close());
beforeEach(() => {
  biz += 1;
  bench.ended.length = 0;
});
const db = () => bench.product.platform.database.db;
const platform = () => bench.product.platform;
const ids = (...names: string[]) => names.map((name) => bench.staff[name]!);
const taskOf = async (instance: number, who: string, state = 'pending') =>
  (await runOne<{ id: number }>(
    db(),
    'SELECT id FROM approval_task WHERE instance_id = $1 AND assignee_id = $2 AND state = $3 ORDER BY id DESC LIMIT 1',
    [instance, bench.staff[who], state],
  ))!.id;
const ratio = (key: string, percent: number, ...names: string[]) =>
  askNode(key, ids(...names), { mode: 'ratio', ratio: percent });
const refusal = (promise: Promise<unknown>) =>
  promise.then(
    () => 'done',
    (error: { label?: readonly string[]; fields?: object; message: string }) =>
      JSON.stringify(error.label ?? error.fields ?? error.message),
  );

test('a ratio ends only when its result is certain', async () => {
  await bench.publish([ratio('sign', 60, 'b', 'c', 'd', 'e', 'f')]);
  const id = await bench.submit(biz, 'a');
  await bench.decide(biz, 'b', false);
  await bench.decide(biz, 'c', false);
  expect(bench.ended).toEqual([]);
  expect(
    await runOne(db(), 'SELECT seats, need, state FROM approval_node_run WHERE instance_id = $1', [id]),
  ).toEqual({
    seats: 5,
    need: 3,
    state: 'active',
  });
  await bench.decide(biz, 'd', false);
  expect(bench.ended).toEqual([`refused ${biz}`]);
  // The two who were spared decided nothing.
  expect(await bench.tasks(id)).toEqual([
    'b:refused',
    'c:refused',
    'd:refused',
    'e:cancelled',
    'f:cancelled',
  ]);

  biz += 1;
  await bench.submit(biz, 'a');
  for (const who of ['b', 'c']) expect(await bench.decide(biz, who, true)).toBeUndefined();
  expect(await bench.decide(biz, 'd', true)).toBe('passed');
});

test('any one of several ends it for all; in order the first refusal ends it', async () => {
  await bench.publish([askNode('any', ids('b', 'c', 'd', 'e'))]);
  const any = await bench.submit(biz, 'a');
  await bench.decide(biz, 'c', true);
  expect(await bench.tasks(any)).toEqual(['b:cancelled', 'c:approved', 'd:cancelled', 'e:cancelled']);
  biz += 1;
  await bench.publish([askNode('order', ids('b', 'c', 'd'), { mode: 'order' })]);
  const order = await bench.submit(biz, 'a');
  expect(await bench.tasks(order)).toEqual(['b:pending', 'c:waiting', 'd:waiting']);
  await bench.decide(biz, 'b', true);
  expect(await bench.tasks(order)).toEqual(['b:approved', 'c:pending', 'd:waiting']);
  expect(await bench.decide(biz, 'c', false)).toBe('refused');
  expect(await bench.tasks(order)).toEqual(['b:approved', 'c:refused', 'd:cancelled']);
});

test('two of a ratio who decide in the same instant both count; what comes after the end is told so', async () => {
  await bench.publish([ratio('sign', 100, 'b', 'c', 'd')]);
  const id = await bench.submit(biz, 'a');
  await bench.decide(biz, 'b', true);
  const both = await Promise.all([bench.decide(biz, 'c', true), bench.decide(biz, 'd', true)]);
  expect(both.filter((one) => one === 'passed')).toHaveLength(1);
  expect(await bench.tasks(id)).toEqual(['b:approved', 'c:approved', 'd:approved']);
  expect(bench.ended).toEqual([`passed ${biz}`]);
  expect(await refusal(bench.decide(biz, 'd', true))).toContain('审批已结束');
  biz += 1;
  await bench.submit(biz, 'a');
  await bench.decide(biz, 'b', true);
  expect(await refusal(bench.decide(biz, 'b', false))).toContain('该任务已被处理');
});

test('branches: one that holds, else the default; parallel ones join, one refusal ends all', async () => {
  const exclusive: ProcessNode = {
    key: 'x',
    type: 'exclusive',
    name: '金额',
    branches: [
      {
        key: 'big',
        name: '大额',
        condition: [[{ field: 'amount', operator: 'ge', value: 10_000_000 }]],
        nodes: [askNode('finance', ids('c'))],
      },
      { key: 'small', name: '其他', otherwise: true, nodes: [] },
    ],
  };
  const parallel: ProcessNode = {
    key: 'p',
    type: 'parallel',
    name: '会签',
    branches: [
      { key: 'l', name: '左', nodes: [askNode('left', ids('d'))] },
      { key: 'r', name: '右', nodes: [askNode('right', ids('e'))] },
    ],
  };
  await bench.publish([askNode('first', ids('b')), exclusive, parallel]);
  bench.facts.set(biz, { amount: 9_999_999 });
  await bench.submit(biz, 'a');
  await bench.decide(biz, 'b', true);
  expect(await bench.decide(biz, 'e', true)).toBeUndefined();
  expect(await bench.decide(biz, 'd', true)).toBe('passed');
  biz += 1;
  bench.facts.set(biz, { amount: 10_000_000 });
  const big = await bench.submit(biz, 'a');
  await bench.decide(biz, 'b', true);
  expect(await bench.tasks(big)).toEqual(['b:approved', 'c:pending']);
  await bench.decide(biz, 'c', true);
  expect(await bench.decide(biz, 'd', false)).toBe('refused');
  expect(await bench.tasks(big)).toEqual(['b:approved', 'c:approved', 'd:refused', 'e:cancelled']);
});

test('returned to an earlier node: a new round, fresh deadlines; handed in again it asks everybody anew', async () => {
  const limit = { hours: 8, action: 'remind', every: 4, most: 2 } as const;
  const nodes = [
    askNode('one', ids('b'), { limit }),
    askNode('two', ids('c')),
    askNode('three', ids('d', 'e'), { mode: 'ratio', ratio: 100, limit }),
  ];
  await bench.publish(nodes);
  const monday = new Date('2026-03-02T10:00:00+08:00');
  const id = await bench.submit(biz, 'a', monday);
  await bench.decide(biz, 'b', true, monday);
  await bench.decide(biz, 'c', true, monday);
  await bench.decide(biz, 'd', true, monday);
  const task = await taskOf(id, 'e');
  await transaction(db(), (tx) =>
    returnTask(tx, platform(), { ...bench.by('e'), taskId: task, to: 'one', opinion: '资料不全' }),
  );
  const rows = await run<{ round: number; line: string; due: Date | null }>(
    db(),
    `SELECT k.round, s.name || ':' || k.state AS line, k.due_at AS due FROM approval_task k JOIN staff s ON s.id = k.assignee_id WHERE k.instance_id = $1 ORDER BY k.id`,
    [id],
  );
  expect(rows.map((row) => `${row.round} ${row.line}`)).toEqual([
    '1 b:approved',
    '1 c:approved',
    '1 d:approved',
    '1 e:returned',
    '2 b:pending',
  ]);
  expect(rows[4]!.due!.getTime()).toBeGreaterThan(rows[0]!.due!.getTime());
  await bench.decide(biz, 'b', true);
  await bench.decide(biz, 'c', true);
  // Node three asks all its people again, each with a deadline of the new round.
  expect((await bench.tasks(id)).slice(-2)).toEqual(['d:pending', 'e:pending']);
  const due = await runOne<{ due: Date }>(
    db(),
    `SELECT due_at AS due FROM approval_task WHERE instance_id = $1 AND round = 2 AND node = 'three' LIMIT 1`,
    [id],
  );
  await runDue(platform(), new Date(due!.due.getTime() - 60_000));
  const reminded = () =>
    runOne<{ n: number }>(
      db(),
      `SELECT max(reminded_count) AS n FROM approval_task WHERE instance_id = $1 AND round = 2 AND node = 'three'`,
      [id],
    );
  expect((await reminded())!.n).toBe(0);
  await runDue(platform(), due!.due);
  expect((await reminded())!.n).toBe(1);
});

test('returned to the starter it waits; straight hand-in goes back to who returned it', async () => {
  await bench.publish([askNode('one', ids('b')), askNode('two', ids('c'), { resubmit: 'straight' })]);
  const id = await bench.submit(biz, 'a');
  await bench.decide(biz, 'b', true);
  const task = await taskOf(id, 'c');
  expect(
    await refusal(
      transaction(db(), (tx) =>
        returnTask(tx, platform(), { ...bench.by('c'), taskId: task, to: 'starter', opinion: '补' }),
      ),
    ),
  ).toContain('至少2个字');
  await transaction(db(), (tx) =>
    returnTask(tx, platform(), { ...bench.by('c'), taskId: task, to: 'starter', opinion: '请补充附件' }),
  );
  expect(await bench.tasks(id)).toEqual(['b:approved', 'c:returned']);
  await transaction(db(), async (tx) =>
    handInAgain(tx, platform(), (await lockInstance(tx, id))!, bench.by('a')),
  );
  expect(await bench.tasks(id)).toEqual(['b:approved', 'c:returned', 'c:pending']);
  expect(await bench.decide(biz, 'c', true)).toBe('passed');
});

test('nobody left and the administrator started it: who stands above decides, else it is refused; nothing passes by itself', async () => {
  const gone = askNode('sign', [], { mode: 'ratio', ratio: 60, candidates: [{ kind: 'chosen' }] });
  await bench.publish([gone], { admin: 'a' });
  const id = await bench.submit(biz, 'a');
  expect(bench.ended).toEqual([]);
  expect(await bench.tasks(id)).toEqual(['boss:pending']);
  expect(await bench.decide(biz, 'boss', true)).toBe('passed');
  biz += 1;
  await bench.publish([gone], { admin: 'boss' });
  expect(await refusal(bench.submit(biz, 'boss'))).toContain('没有可用的审批人');
  await bench.publish([askNode('one', ids('b')), gone], { admin: 'boss' });
  const later = await bench.submit(biz, 'boss');
  expect(await refusal(bench.decide(biz, 'b', true))).toContain('下一节点没有可用的审批人');
  expect(await bench.tasks(later)).toEqual(['b:pending']);
  expect(await bench.decide(biz, 'b', false)).toBe('refused');
});

test('what was returned is handed in again where the object is: the same approval, or a new one of whoever hands it in', async () => {
  await bench.publish([askNode('one', ids('b'))]);
  await run(
    db(),
    `UPDATE approval_process SET title_zh = '复审 {title}' WHERE id = (SELECT process_id FROM approval_process_place WHERE biz_type = 'trial')`,
  );
  const back = async (id: number) =>
    transaction(db(), async (tx) =>
      returnTask(tx, platform(), {
        ...bench.by('b'),
        taskId: await taskOf(id, 'b'),
        to: 'starter',
        opinion: '请修改',
      }),
    );
  const id = await bench.submit(biz, 'a');
  expect(await refusal(bench.submit(biz, 'a'))).toContain('已在审批中');
  await back(id);
  expect(await bench.submit(biz, 'a')).toBe(id);
  expect(await bench.tasks(id)).toEqual(['b:returned', 'b:pending']);
  expect(await runOne(db(), 'SELECT title_zh AS title FROM approval_instance WHERE id = $1', [id])).toEqual({
    title: `复审 第 ${biz} 号`,
  });
  await back(id);
  const other = await bench.submit(biz, 'c');
  expect(other).not.toBe(id);
  expect(
    await run(
      db(),
      `SELECT state, starter_id AS starter FROM approval_instance WHERE biz_type = 'trial' AND biz_id = $1 ORDER BY id`,
      [biz],
    ),
  ).toEqual([
    { state: 'withdrawn', starter: bench.staff.a },
    { state: 'running', starter: bench.staff.c },
  ]);
  expect(await bench.decide(biz, 'b', true)).toBe('passed');
});

test('a stand-in is asked instead; where that one is the starter, the administrator of the process', async () => {
  await bench.publish([askNode('one', ids('b'))], { admin: 'h' });
  await run(
    db(),
    `INSERT INTO approval_standin (staff_id, standin_id, from_day, to_day) VALUES ($1, $2, current_date - 1, current_date + 5)`,
    ids('b', 'c'),
  );
  const first = await bench.submit(biz, 'a');
  expect(await bench.tasks(first)).toEqual(['c:pending']);
  expect(
    await runOne(db(), 'SELECT via, first_assignee_id AS first FROM approval_task WHERE instance_id = $1', [
      first,
    ]),
  ).toEqual({
    via: 'standin',
    first: bench.staff.b,
  });
  biz += 1;
  const own = await bench.submit(biz, 'c');
  expect(await bench.tasks(own)).toEqual(['h:pending']);
  // Two stand-ins at a time are none.
  await expect(
    run(
      db(),
      `INSERT INTO approval_standin (staff_id, standin_id, from_day, to_day) VALUES ($1, $2, current_date + 3, current_date + 9)`,
      ids('b', 'd'),
    ),
  ).rejects.toMatchObject({ code: '23P01' });
  await run(db(), 'UPDATE approval_standin SET cancelled_at = now()');
  biz += 1;
  const later = await bench.submit(biz, 'a');
  expect(await bench.tasks(later)).toEqual(['b:pending']);
  expect(
    await transaction(db(), (tx) =>
      moveToStandin(tx, platform(), {
        ...bench.by('b'),
        staffId: bench.staff.b!,
        standinId: bench.staff.d!,
        kinds: ['trial'],
      }),
    ),
  ).toBe(1);
  expect(await bench.tasks(later)).toEqual(['d:pending']);
});

test('eight business hours from Friday 17:00 end on Monday 17:30; reminded twice, then the leader; a restart changes nothing', async () => {
  await bench.publish([
    askNode('one', ids('b'), { limit: { hours: 8, action: 'remind', every: 4, most: 2 } }),
  ]);
  // A Friday and a Monday of no holiday.
  const id = await bench.submit(biz, 'a', new Date('2026-03-06T17:00:00+08:00'));
  const state = async () =>
    (await runOne<{ due: Date; next: Date | null; n: number; who: string; via: string }>(
      db(),
      `SELECT k.due_at AS due, k.next_at AS next, k.reminded_count AS n, s.name AS who, k.via FROM approval_task k JOIN staff s ON s.id = k.assignee_id WHERE k.instance_id = $1`,
      [id],
    ))!;
  expect((await state()).due.toISOString()).toBe(new Date('2026-03-09T17:30:00+08:00').toISOString());
  // Another server, started since, reads the same rows.
  const other = await bench.another();
  await runDue(other.platform, new Date('2026-03-09T17:29:00+08:00'));
  expect((await state()).n).toBe(0);
  for (const [at, n, who] of [
    ['2026-03-09T17:30:00+08:00', 1, 'b'],
    // Half an hour of Monday, three hours before noon on Tuesday, half an hour after it.
    ['2026-03-10T13:59:00+08:00', 1, 'b'],
    ['2026-03-10T14:00:00+08:00', 2, 'b'],
    ['2026-03-10T17:59:00+08:00', 2, 'b'],
    ['2026-03-10T18:00:00+08:00', 2, 'boss'],
  ] as const) {
    await runDue(other.platform, new Date(at));
    const now = await state();
    expect([at, now.n, now.who]).toEqual([at, n, who]);
  }
  await other.close();
  expect((await state()).via).toBe('escalation');
  expect(await bench.decide(biz, 'boss', true)).toBe('passed');
});

test('a time limit decides by itself and says so; a delay holds until its hour', async () => {
  await bench.publish([
    askNode('one', ids('b'), { limit: { hours: 1, action: 'pass' } }),
    { key: 'wait', type: 'delay', name: '等待', hours: 2 },
    askNode('two', ids('c')),
  ]);
  const start = new Date('2026-03-03T10:00:00+08:00');
  const id = await bench.submit(biz, 'a', start);
  await runDue(platform(), new Date('2026-03-03T11:00:00+08:00'));
  expect(
    await run(db(), 'SELECT state, decided_by AS "by", rule FROM approval_task WHERE instance_id = $1', [id]),
  ).toEqual([{ state: 'approved', by: null, rule: 'timeout' }]);
  await runDue(platform(), new Date('2026-03-03T12:59:00+08:00'));
  expect(await bench.tasks(id)).toEqual(['b:approved']);
  await runDue(platform(), new Date('2026-03-03T13:00:00+08:00'));
  expect(await bench.tasks(id)).toEqual(['b:approved', 'c:pending']);
});

test('added before, the asker waits and decides; added after, agreement counts with theirs', async () => {
  await bench.publish([askNode('one', ids('b'))]);
  const id = await bench.submit(biz, 'a');
  const sign = async (who: string, where: 'before' | 'after', ...names: string[]) => {
    const taskId = await taskOf(id, who);
    return transaction(db(), (tx) =>
      addSign(tx, platform(), { ...bench.by(who), taskId, where, staffIds: ids(...names), opinion: '请看' }),
    );
  };
  expect(await refusal(sign('b', 'before', 'a'))).toContain('不能转给发起人');
  await sign('b', 'before', 'c', 'd');
  expect(await bench.tasks(id)).toEqual(['b:waiting', 'c:pending', 'd:pending']);
  await bench.decide(biz, 'c', false);
  expect(await bench.tasks(id)).toEqual(['b:waiting', 'c:refused', 'd:pending']);
  await bench.decide(biz, 'd', true);
  expect(await bench.tasks(id)).toEqual(['b:pending', 'c:refused', 'd:approved']);
  await sign('b', 'after', 'e');
  expect([bench.ended.length, (await bench.tasks(id))[0]]).toEqual([0, 'b:approved']);
  expect(await bench.decide(biz, 'e', false)).toBe('refused');
});

test('a task handed on keeps its seat; never to the starter or to who sits there', async () => {
  await bench.publish([ratio('sign', 100, 'b', 'c')]);
  const id = await bench.submit(biz, 'a');
  const give = async (to: string) => {
    const taskId = await taskOf(id, 'b');
    return transaction(db(), (tx) =>
      transferTask(tx, platform(), { ...bench.by('b'), taskId, to: bench.staff[to]!, reason: '出差' }),
    );
  };
  expect(await refusal(give('a'))).toContain('不能转给发起人');
  expect(await refusal(give('c'))).toContain('已有席位');
  await give('d');
  expect(await bench.tasks(id)).toEqual(['b:transferred', 'c:pending', 'd:pending']);
  await bench.decide(biz, 'c', true);
  expect(await bench.decide(biz, 'd', true)).toBe('passed');
});

test('the own decision is taken back while nobody decided after it', async () => {
  await bench.publish([askNode('one', ids('b', 'c')), askNode('two', ids('d'))], { repeat: 'never' });
  const id = await bench.submit(biz, 'a');
  await bench.decide(biz, 'b', true);
  const undo = async (who: string) => {
    const taskId = await taskOf(id, who, 'approved');
    return transaction(db(), (tx) => undoDecision(tx, platform(), { ...bench.by(who), taskId }));
  };
  await undo('b');
  expect(await bench.tasks(id)).toEqual(['b:pending', 'c:pending', 'd:cancelled']);
  await bench.decide(biz, 'c', true);
  expect(await bench.tasks(id)).toEqual(['b:cancelled', 'c:approved', 'd:cancelled', 'd:pending']);
  await bench.decide(biz, 'd', true);
  expect(await refusal(undo('c'))).toContain('审批已结束');
});

test('whoever agreed at the node before is not asked again; the starter is replaced by who stands above', async () => {
  await bench.publish([
    askNode('one', ids('b')),
    askNode('two', ids('b', 'c'), { mode: 'ratio', ratio: 100 }),
    askNode('three', ids('a'), { starterRule: 'head' }),
  ]);
  const id = await bench.submit(biz, 'a');
  await bench.decide(biz, 'b', true);
  expect(
    await run(
      db(),
      `SELECT state, rule FROM approval_task WHERE instance_id = $1 AND node = 'two' ORDER BY seat`,
      [id],
    ),
  ).toEqual([
    { state: 'approved', rule: 'repeat' },
    { state: 'pending', rule: '' },
  ]);
  await bench.decide(biz, 'c', true);
  expect((await bench.tasks(id)).at(-1)).toBe('boss:pending');
});

test('withdrawing follows the policy; an administrator ends it with a reason; urging once in some hours', async () => {
  await bench.publish([askNode('one', ids('b')), askNode('two', ids('c'))]);
  const id = await bench.submit(biz, 'a');
  const urge = async () => {
    const taskId = await taskOf(id, 'b');
    return transaction(db(), (tx) => urgeTask(tx, platform(), { ...bench.by('a'), taskId }));
  };
  await urge();
  expect(await refusal(urge())).toContain('只能催办一次');
  await bench.decide(biz, 'b', true);
  const withdraw = () =>
    transaction(db(), (tx) =>
      withdrawApproval(tx, platform(), { kind: 'trial', bizId: biz, ...bench.by('a') }),
    );
  expect(await refusal(withdraw())).toContain('已有审批意见，不能撤回');
  await transaction(db(), (tx) =>
    cancelInstance(tx, platform(), { ...bench.by('h'), instanceId: id, reason: '单据作废' }),
  );
  expect(bench.ended).toEqual([`withdrawn ${biz}`]);
  expect(await bench.tasks(id)).toEqual(['b:approved', 'c:cancelled']);
});

test('the seat of somebody who is disabled goes to the leader', async () => {
  await bench.publish([ratio('sign', 100, 'f', 'g')]);
  const id = await bench.submit(biz, 'a');
  await run(db(), `UPDATE staff SET state = 'disabled' WHERE id = $1`, ids('f'));
  await replaceSeats(platform(), new Date());
  expect(await bench.tasks(id)).toEqual(['boss:pending', 'g:pending']);
  await run(db(), `UPDATE staff SET state = 'normal' WHERE id = $1`, ids('f'));
});

test('a trial run names the people and writes nothing', async () => {
  const nodes: ProcessNode[] = [
    askNode('one', [], {
      candidates: [{ kind: 'leader', levels: 1 }],
      limit: { hours: 8, action: 'remind' },
    }),
    {
      key: 'x',
      type: 'exclusive',
      name: '金额',
      branches: [
        {
          key: 'big',
          name: '大额',
          condition: [[{ field: 'amount', operator: 'ge', value: 10_000_000 }]],
          nodes: [askNode('finance', ids('c', 'd'))],
        },
        { key: 'small', name: '其他', otherwise: true, nodes: [] },
      ],
    },
  ];
  const before = await runOne(db(), 'SELECT count(*) FROM approval_instance');
  const walked = await predict(
    db(),
    platform(),
    nodes,
    {
      kind: 'trial',
      bizId: 0,
      tenantId: bench.tenantId,
      projectId: null,
      starterId: bench.staff.a!,
      subjectId: null,
      facts: { amount: 10_000_000 },
      chosen: {},
    },
    { adminId: null, at: new Date('2026-03-06T17:00:00+08:00') },
  );
  expect(walked.map((one) => [one.node, one.people.map((person) => person.name), one.branches])).toEqual([
    ['one', ['boss'], []],
    ['x', [], ['big']],
    ['finance', ['c', 'd'], []],
  ]);
  expect(walked[0]!.dueAt!.toISOString()).toBe(new Date('2026-03-09T17:30:00+08:00').toISOString());
  expect(await runOne(db(), 'SELECT count(*) FROM approval_instance')).toEqual(before);
});

test('what is published never changes, and one process holds a place', async () => {
  const id = await bench.publish([askNode('one', ids('b'))]);
  await expect(
    run(db(), `UPDATE approval_process SET nodes = '[]' WHERE id = $1`, [id]),
  ).rejects.toMatchObject({ code: '23514' });
  await expect(
    run(db(), `INSERT INTO approval_process_place VALUES ('trial', 'platform', $1)`, [id]),
  ).rejects.toMatchObject({ code: '23505' });
});

test('what moves money never passes by itself because its starter was the one to ask', async () => {
  const kind = platform()
    .registrations.flatMap((one) => one.approvals ?? [])
    .find((one) => one.kind === 'trial')!;
  const nodes = (...names: string[]) => [
    askNode('own', ids(...names), { starterRule: 'skip', nobody: 'auto_pass' }),
  ];
  await bench.publish(nodes('a'));
  Object.assign(kind, { moves: true });
  try {
    const id = await bench.submit(biz, 'a');
    expect(bench.ended).toEqual([]);
    // The administrator of the process decides.
    expect(await bench.tasks(id)).toEqual(['h:pending']);
    await bench.decide(biz, 'h', true);
    expect(bench.ended).toEqual([`passed ${biz}`]);
  } finally {
    Object.assign(kind, { moves: undefined });
  }
  biz += 1;
  await bench.submit(biz, 'a');
  expect(bench.ended).toContain(`passed ${biz}`);
});

test('asking others afterwards needs the opinion its node asks for', async () => {
  await bench.publish([askNode('one', ids('b'), { opinionRequired: true })]);
  const id = await bench.submit(biz, 'a');
  const taskId = await taskOf(id, 'b');
  const after = (opinion: string) =>
    transaction(db(), (tx) =>
      addSign(tx, platform(), { ...bench.by('b'), taskId, where: 'after', staffIds: ids('c'), opinion }),
    );
  expect(await refusal(after(' '))).toContain('请填写意见');
  expect(await bench.tasks(id)).toEqual(['b:pending']);
  await after('同意，请复核');
  expect(await bench.tasks(id)).toEqual(['b:approved', 'c:pending']);
});

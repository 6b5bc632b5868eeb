import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { addDays, businessDayOf } from '../../../kernel/contract/time.rules.ts';
import { run, runOne } from '../../../kernel/server/database.ts';
import { balanceInvariant } from './overtime-invariants.server.ts';
import { openOvertimeBench, type Answer, type OvertimeBench } from './overtime-bench.ts';

let bench: OvertimeBench;
beforeAll(async () => {
  bench = await openOvertimeBench();
});
afterAll(() => bench?.product.close());
const db = () => bench.product.platform.database.db;
beforeEach(async () => {
  for (const table of [
    'leave_lot_use',
    'leave_balance_lot',
    'leave_record',
    'overtime_record',
    'approval_task',
    'approval_instance',
    'notification',
  ])
    await run(db(), `DELETE FROM ${table}`);
  await run(db(), `DELETE FROM setting WHERE key LIKE 'overtime.%'`);
  bench.product.platform.settings.forget();
});

async function addOvertime(input: Record<string, unknown> = {}, by = 'admin') {
  return bench.call('POST', '/admin/overtimeRecord/action/addOvertime', by, {
    staff: [String(bench.staff.anna)],
    day: await bench.pastDay('rest_day'),
    startTime: '09:00',
    endTime: '12:40',
    compensation: 'time_off',
    reason: '系统上线',
    ...input,
  });
}
async function addLeave(start: string, end: string, by = 'admin', input: Record<string, unknown> = {}) {
  return bench.call('POST', '/admin/leaveRecord/action/addLeave', by, {
    staff: [String(bench.staff.anna)],
    day: addDays(businessDayOf(new Date()), 1),
    part: 'time',
    startTime: start,
    endTime: end,
    reason: '家中有事',
    ...input,
  });
}
const idsOf = (answer: Answer) =>
  (answer.data.ids ?? (answer.data.result as { ids: string[] } | undefined)?.ids) as string[];
async function act(
  resource: 'overtimeRecord' | 'leaveRecord',
  id: string,
  action: string,
  by: string,
  input: object = {},
) {
  return bench.call('POST', `/admin/${resource}/${id}/${action}`, by, input);
}
async function approvedOvertime(input: Record<string, unknown> = {}) {
  const added = await addOvertime(input);
  expect(added.message).toBe('');
  const id = idsOf(added)[0]!;
  expect((await act('overtimeRecord', id, 'approve', 'chief')).http).toBe(200);
  return id;
}
async function balance(account = 'anna') {
  const head = await bench.call('GET', `/admin/overtime/staff/N-${account}`, 'admin');
  return head.data.balance;
}
async function isConsistent() {
  expect((await balanceInvariant.check(bench.product.platform)).problems).toEqual([]);
}

describe('approval', () => {
  const assignee = async (id: string) =>
    (
      await runOne<{ account: string }>(
        db(),
        `SELECT s.account FROM approval_task k JOIN approval_instance i ON i.id = k.instance_id JOIN staff s ON s.id = k.assignee_id WHERE i.biz_id = $1 AND k.state = 'pending'`,
        [Number(id)],
      )
    )?.account;

  test('goes to the department leader, to his leader when he recorded it or it is about him', async () => {
    expect(await assignee(idsOf(await addOvertime())[0]!)).toBe('chief');
    expect(await assignee(idsOf(await addOvertime({ staff: [String(bench.staff.ben)] }, 'chief'))[0]!)).toBe(
      'boss',
    );
    expect(await assignee(idsOf(await addOvertime({ staff: [String(bench.staff.chief)] }))[0]!)).toBe('boss');
    await run(db(), 'UPDATE staff SET leader_id = $1 WHERE id = $2', [bench.staff.ben, bench.staff.chief]);
    expect(
      await assignee(
        idsOf(
          await addOvertime({ staff: [String(bench.staff.chief)], startTime: '14:00', endTime: '15:00' }),
        )[0]!,
      ),
    ).toBe('ben');
    await run(db(), 'UPDATE staff SET leader_id = NULL WHERE id = $1', [bench.staff.chief]);
  });

  test('who recorded it never decides: no button and 30101', async () => {
    const id = idsOf(await addOvertime())[0]!;
    const seen = await bench.call('GET', `/admin/overtimeRecord/${id}`, 'admin');
    expect(seen.data.actions).toEqual(['update', 'cancel']);
    const own = await act('overtimeRecord', id, 'approve', 'admin');
    expect([own.status, own.message]).toEqual([30101, '不能审批自己提交的记录']);
    expect((await act('overtimeRecord', id, 'approve', 'ben')).status).toBe(30101);
    expect((await act('overtimeRecord', id, 'approve', 'anna')).message).toBe('不能审批自己提交的记录');
    expect((await bench.call('GET', `/admin/overtimeRecord/${id}`, 'chief')).data.actions).toEqual([
      'approve',
      'reject',
    ]);
  });

  test('the common list of tasks decides too, once, and counts as to-do', async () => {
    const id = idsOf(await addOvertime())[0]!;
    const todo = (await bench.call('GET', '/admin/home/todo', 'chief')).data as unknown as {
      kind: string;
      count: number;
    }[];
    expect(todo.find((one) => one.kind === 'approval')?.count).toBe(1);
    const mine = (await bench.call('GET', '/admin/approval/mine', 'chief')).data as unknown as {
      id: string;
      title: string;
    }[];
    expect(mine).toHaveLength(1);
    expect(mine[0]!.title).toContain('孙安 加班');
    expect(
      (await bench.call('POST', `/admin/approval/${mine[0]!.id}/decide`, 'boss', { approved: true })).http,
    ).toBe(404);
    expect(
      (
        await bench.call('POST', `/admin/approval/${mine[0]!.id}/decide`, 'chief', {
          approved: true,
          opinion: '辛苦了',
        })
      ).http,
    ).toBe(200);
    expect(
      (await bench.call('POST', `/admin/approval/${mine[0]!.id}/decide`, 'chief', { approved: true }))
        .message,
    ).toBe('审批已结束');
    expect(await balance()).toBe(3.5);
    const timeline = (await bench.call('GET', `/admin/overtimeRecord/${id}/timeline`, 'admin'))
      .data as unknown as { action: string; remark: string }[];
    expect(timeline.map((one) => one.action)).toEqual(['approved', 'addOvertime']);
    expect(
      await run(db(), `SELECT 1 FROM notification WHERE staff_id = $1`, [bench.staff.anna]),
    ).toHaveLength(1);
  });

  test('an edited record is submitted again and the old task is gone', async () => {
    const id = idsOf(await addOvertime())[0]!;
    const before = await runOne<{ id: number }>(db(), `SELECT id FROM approval_task WHERE state = 'pending'`);
    const row = await bench.call('GET', `/admin/overtimeRecord/${id}`, 'admin');
    const saved = await bench.call('PUT', `/admin/overtimeRecord/${id}`, 'admin', {
      version: row.data.version,
      endTime: '11:00',
    });
    expect([saved.http, saved.data.hours]).toEqual([200, '2.0']);
    expect(
      (await bench.call('POST', `/admin/approval/${before!.id}/decide`, 'chief', { approved: true })).http,
    ).toBe(409);
    expect((await act('overtimeRecord', id, 'approve', 'chief')).http).toBe(200);
    expect(await balance()).toBe(2);
  });

  test('cancel is the recorder’s; overtime is void only while its lot is unused', async () => {
    const pending = idsOf(await addOvertime({ staff: [String(bench.staff.ben)] }))[0]!;
    expect((await act('overtimeRecord', pending, 'cancel', 'boss')).status).toBe(30101);
    expect((await act('overtimeRecord', pending, 'cancel', 'admin')).data.state).toBe('cancelled');
    const id = await approvedOvertime();
    const leave = idsOf(await addLeave('09:00', '10:00'))[0]!;
    expect((await act('overtimeRecord', id, 'void', 'admin', { reason: '录错' })).status).toBe(30101);
    await act('leaveRecord', leave, 'cancel', 'admin');
    expect((await act('overtimeRecord', id, 'void', 'admin', { reason: '录错' })).data.state).toBe('void');
    expect(await balance()).toBe(0);
    await isConsistent();
  });

  test('open approvals are handed over', async () => {
    await addOvertime();
    const items = (await bench.call('GET', `/admin/staff/${bench.staff.chief}/handover`, 'admin'))
      .data as unknown as { kind: string; count: number }[];
    expect(items.find((item) => item.kind === 'approval')?.count).toBe(1);
    expect(
      (
        await bench.call('POST', `/admin/staff/${bench.staff.chief}/handover`, 'admin', {
          targets: { approval: String(bench.staff.boss) },
        })
      ).http,
    ).toBe(200);
    expect((await bench.call('GET', '/admin/approval/mine', 'boss')).data).toHaveLength(1);
  });
});

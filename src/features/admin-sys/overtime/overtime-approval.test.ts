import { askToken } from '../../../app/server/session/session-bench.ts';
import { hashPassword } from '../../../kernel/server/password-hash.ts';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { run, runOne } from '../../../kernel/server/database.ts';
import {
  idsOf,
  openOvertimeBench,
  overtimeCalls,
  type OvertimeBench,
  type OvertimeCalls,
} from './overtime-bench.ts';

let bench: OvertimeBench;
let calls: OvertimeCalls;
beforeAll(async () => {
  bench = await openOvertimeBench();
  calls = overtimeCalls(bench);
});
afterAll(() => bench?.product.close());
const db = () => bench.product.platform.database.db;
beforeEach(() => calls.clear());

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
    expect(await assignee(idsOf(await calls.addOvertime())[0]!)).toBe('chief');
    expect(
      await assignee(idsOf(await calls.addOvertime({ staff: [String(bench.staff.ben)] }, 'chief'))[0]!),
    ).toBe('boss');
    expect(await assignee(idsOf(await calls.addOvertime({ staff: [String(bench.staff.chief)] }))[0]!)).toBe(
      'boss',
    );
    await run(db(), 'UPDATE staff SET leader_id = $1 WHERE id = $2', [bench.staff.ben, bench.staff.chief]);
    expect(
      await assignee(
        idsOf(
          await calls.addOvertime({
            staff: [String(bench.staff.chief)],
            startTime: '14:00',
            endTime: '15:00',
          }),
        )[0]!,
      ),
    ).toBe('ben');
    await run(db(), 'UPDATE staff SET leader_id = NULL WHERE id = $1', [bench.staff.chief]);
  });

  test('who recorded it never decides: no button and 30101', async () => {
    const id = idsOf(await calls.addOvertime())[0]!;
    const seen = await bench.call('GET', `/admin/overtimeRecord/${id}`, 'admin');
    expect(seen.data.actions).toEqual(['update', 'cancel']);
    const own = await calls.act('overtimeRecord', id, 'approve', 'admin');
    expect([own.status, own.message]).toEqual([30101, '不能审批自己提交的记录']);
    expect((await calls.act('overtimeRecord', id, 'approve', 'ben')).status).toBe(30101);
    expect((await calls.act('overtimeRecord', id, 'approve', 'anna')).message).toBe('不能审批自己提交的记录');
    expect((await bench.call('GET', `/admin/overtimeRecord/${id}`, 'chief')).data.actions).toEqual([
      'approve',
      'reject',
    ]);
  });

  test('the common list of tasks decides too, once, and counts as to-do', async () => {
    const id = idsOf(await calls.addOvertime())[0]!;
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
    expect(await calls.balance()).toBe(3.5);
    const timeline = (await bench.call('GET', `/admin/overtimeRecord/${id}/timeline`, 'admin'))
      .data as unknown as { action: string; remark: string }[];
    expect(timeline.map((one) => one.action)).toEqual(['approved', 'addOvertime']);
    expect(
      await run(db(), `SELECT 1 FROM notification WHERE staff_id = $1`, [bench.staff.anna]),
    ).toHaveLength(1);
  });

  test('an edited record is submitted again and the old task is gone', async () => {
    const id = idsOf(await calls.addOvertime())[0]!;
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
    expect((await calls.act('overtimeRecord', id, 'approve', 'chief')).http).toBe(200);
    expect(await calls.balance()).toBe(2);
  });

  test('cancel is the recorder’s; overtime is void only while its lot is unused', async () => {
    const pending = idsOf(await calls.addOvertime({ staff: [String(bench.staff.ben)] }))[0]!;
    expect((await calls.act('overtimeRecord', pending, 'cancel', 'boss')).status).toBe(30101);
    expect((await calls.act('overtimeRecord', pending, 'cancel', 'admin')).data.state).toBe('cancelled');
    const id = await calls.approvedOvertime();
    const leave = idsOf(await calls.addLeave('09:00', '10:00'))[0]!;
    expect((await calls.act('overtimeRecord', id, 'void', 'admin', { reason: '录错' })).status).toBe(30101);
    await calls.act('leaveRecord', leave, 'cancel', 'admin');
    expect((await calls.act('overtimeRecord', id, 'void', 'admin', { reason: '录错' })).data.state).toBe(
      'void',
    );
    expect(await calls.balance()).toBe(0);
    await calls.isConsistent();
  });

  test('Must show 7: archiving a staff with 4 open items and 2 approvals is refused with these numbers; after the handover to 王强 the 4 + 2 are his, the account cannot sign in, the name stays on old records (direct reports stand for work orders, not built yet)', async () => {
    const heir = (
      await bench.call('POST', '/admin/staff', 'admin', {
        name: '王强',
        account: 'wang_qiang',
        mobilePhone: '13955556666',
        department: String(bench.departmentId),
      })
    ).data.id as string;
    const reports = await run<{ id: number }>(
      db(),
      `INSERT INTO staff (tenant_id, account, name, leader_id) SELECT $1, 'report_' || n, '下属' || n, $2 FROM generate_series(1, 4) n RETURNING id`,
      [bench.tenantId, bench.staff.chief],
    );
    const recorded = idsOf(await calls.addOvertime({ startTime: '14:00', endTime: '15:00' }, 'chief'))[0]!;
    await calls.addOvertime();
    await calls.addOvertime({ staff: [String(bench.staff.ben)] });
    const path = `/admin/staff/${bench.staff.chief}`;
    const refused = await bench.call('POST', `${path}/archive`, 'admin', { reason: '离职' });
    expect([refused.status, refused.message]).toEqual([
      30101,
      '请先完成交接（部门负责人 1、直属下级 4、审批 2）',
    ]);
    const items = (await bench.call('GET', `${path}/handover`, 'admin')).data as unknown as {
      kind: string;
      count: number;
    }[];
    expect(items.filter((item) => item.count > 0).map((item) => [item.kind, item.count])).toEqual([
      ['department_leader', 1],
      ['direct_reports', 4],
      ['approval', 2],
    ]);
    const moved = await bench.call('POST', `${path}/handover`, 'admin', {
      targets: { department_leader: heir, direct_reports: heir, approval: heir },
    });
    expect(moved.http).toBe(200);
    expect(
      await run(db(), 'SELECT kind, items, to_id FROM handover WHERE from_id = $1 ORDER BY id', [
        bench.staff.chief,
      ]),
    ).toEqual([
      { kind: 'department_leader', items: 1, to_id: Number(heir) },
      { kind: 'direct_reports', items: 4, to_id: Number(heir) },
      { kind: 'approval', items: 2, to_id: Number(heir) },
    ]);
    expect(
      await run(
        db(),
        `SELECT 1 FROM approval_task k JOIN approval_instance i ON i.id = k.instance_id WHERE k.state = 'pending' AND k.assignee_id = $1`,
        [Number(heir)],
      ),
    ).toHaveLength(2);
    expect(
      await run(db(), 'SELECT 1 FROM staff WHERE id = ANY($1::bigint[]) AND leader_id = $2', [
        reports.map((row) => row.id),
        Number(heir),
      ]),
    ).toHaveLength(4);
    await run(db(), 'UPDATE staff SET password_hash = $2 WHERE id = $1', [
      bench.staff.chief,
      await hashPassword('Xk7#mQ2vLp9!'),
    ]);
    const signIn = () =>
      askToken(bench.product.app, { username: 'chief', password: 'Xk7#mQ2vLp9!', code: '1234' });
    expect((await signIn()).statusCode).toBe(200);
    const past = await bench.call('GET', `${path}/handovers`, 'admin');
    expect(past.data).toHaveLength(3);
    expect((await bench.call('POST', `${path}/archive`, 'admin', { reason: '离职' })).http).toBe(200);
    expect((await signIn()).statusCode).not.toBe(200);
    const old = await bench.call('GET', `/admin/overtimeRecord/${recorded}`, 'admin');
    expect(old.data.recorder).toBe('钱主管');
  });
});

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { addDays, businessDayOf } from '../../../kernel/contract/time.rules.ts';
import { run, runOne } from '../../../kernel/server/database.ts';
import { expireAll, remindAll } from './overtime-jobs.server.ts';
import {
  idsOf,
  openOvertimeBench,
  overtimeCalls,
  type OvertimeBench,
  type OvertimeCalls,
} from './overtime-bench.ts';
import { creditedMinutes, intervalOf, stepMinutes } from './overtime.rules.ts';

let bench: OvertimeBench;
let calls: OvertimeCalls;
beforeAll(async () => {
  bench = await openOvertimeBench();
  calls = overtimeCalls(bench);
});
afterAll(() => bench?.product.close());
const db = () => bench.product.platform.database.db;
beforeEach(() => calls.clear());

describe('rules', () => {
  test('rounds down to half hours and passes midnight', () => {
    expect(stepMinutes(intervalOf('2026-11-14', '09:00', '12:40'))).toBe(210);
    expect(stepMinutes(intervalOf('2026-11-14', '22:00', '01:15'))).toBe(180);
    expect(stepMinutes(intervalOf('2026-11-14', '09:00', '09:29'))).toBe(0);
    expect(creditedMinutes(210, 150)).toBe(315);
  });
  test('the calendar knows holidays, days off and adjusted workdays', async () => {
    const types = await run<{ day: string; type: string }>(
      db(),
      `SELECT day, type FROM business_calendar WHERE day IN ('2026-02-17', '2026-02-20', '2026-02-14', '2026-10-01', '2027-02-06') ORDER BY day`,
    );
    expect(types.map((row) => row.type)).toEqual(['workday', 'holiday', 'rest_day', 'holiday', 'holiday']);
  });
});

describe('overtime and time off', () => {
  test('Must show 13: 3.5 h are credited, 4 h refused, 2 h leave 1.5 h, the void gives them back to the same lot', async () => {
    const saturday = await bench.lastSaturday();
    const id = await calls.approvedOvertime({ day: saturday });
    const made = await bench.call('GET', `/admin/overtimeRecord/${id}`, 'admin');
    expect([made.data.day, made.data.dayType]).toEqual([saturday, 'rest_day']);
    expect(await calls.balance()).toBe(3.5);
    const lot = await runOne(db(), 'SELECT id, minutes, used, expires_on FROM leave_balance_lot');
    const refused = await calls.addLeave('09:00', '13:00');
    expect([refused.status, refused.message]).toEqual([30101, '可调休余额不足（结余 3.5 小时）']);
    const leave = idsOf(await calls.addLeave('09:00', '11:00'))[0]!;
    expect(await calls.balance()).toBe(1.5);
    expect((await calls.act('leaveRecord', leave, 'approve', 'chief', { opinion: '同意' })).http).toBe(200);
    expect(await calls.balance()).toBe(1.5);
    const voided = await calls.act('leaveRecord', leave, 'void', 'admin', { reason: '未休' });
    expect([voided.http, voided.data.state]).toEqual([200, 'void']);
    expect(await calls.balance()).toBe(3.5);
    expect(await runOne(db(), 'SELECT id, minutes, used, expires_on FROM leave_balance_lot')).toEqual(lot);
    await calls.isConsistent();
  });

  test('Must show 14: two requests of 3 h at once on 3.5 h: one accepted, one refused, never negative', async () => {
    await calls.approvedOvertime();
    for (let round = 0; round < 8; round++) {
      const day = addDays(businessDayOf(new Date()), 2 + round);
      const answers = await Promise.all(
        ['09:00', '14:00'].map((start) =>
          calls.addLeave(start, `${Number(start.slice(0, 2)) + 3}:00`.padStart(5, '0'), 'admin', { day }),
        ),
      );
      expect(answers.map((answer) => answer.http).sort()).toEqual([200, 409]);
      expect(answers.find((answer) => answer.http === 409)!.message).toBe('可调休余额不足（结余 0.5 小时）');
      expect(await calls.balance()).toBe(0.5);
      const taken = answers.find((answer) => answer.http === 200)!;
      expect((await calls.act('leaveRecord', idsOf(taken)[0]!, 'cancel', 'admin')).http).toBe(200);
      expect(await calls.balance()).toBe(3.5);
    }
    await calls.isConsistent();
  });

  test('the database itself refuses a lot that gives more than it holds, and overlaps', async () => {
    const id = await calls.approvedOvertime();
    await expect(run(db(), 'UPDATE leave_balance_lot SET used = minutes + 30')).rejects.toThrow(
      /leave_balance_never_negative/,
    );
    await expect(
      run(
        db(),
        `INSERT INTO overtime_record (tenant_id, staff_id, day, starts_at, ends_at, day_type, minutes, rate, credited, compensation, reason, created_by) SELECT tenant_id, staff_id, day, starts_at + interval '1 hour', ends_at, day_type, 30, 100, 0, 'pay', 'x', created_by FROM overtime_record WHERE id = $1`,
        [Number(id)],
      ),
    ).rejects.toThrow(/overtime_record_overlap/);
  });

  test('the lot that expires first is used first, over several lots, and returned to each', async () => {
    const early = await bench.pastDay('rest_day', 3);
    await calls.approvedOvertime({
      day: await bench.pastDay('rest_day', 0),
      startTime: '09:00',
      endTime: '11:00',
    });
    await calls.approvedOvertime({ day: early, startTime: '09:00', endTime: '10:00' });
    const leave = idsOf(await calls.addLeave('09:00', '11:00'))[0]!;
    const row = await bench.call('GET', `/admin/leaveRecord/${leave}`, 'admin');
    expect(row.data.lots).toBe(`${early} 60、${await bench.pastDay('rest_day', 0)} 60`);
    expect((await calls.act('leaveRecord', leave, 'reject', 'chief', { opinion: '人手不足' })).http).toBe(
      200,
    );
    expect(await run(db(), 'SELECT used FROM leave_balance_lot')).toEqual([{ used: 0 }, { used: 0 }]);
    await calls.isConsistent();
  });
});

describe('refusals', () => {
  test('overlaps name date and times, also between overtime and time off', async () => {
    const day = await bench.pastDay('rest_day');
    await calls.approvedOvertime();
    expect((await calls.addOvertime({ startTime: '12:00', endTime: '14:00' })).message).toBe(
      `与 ${day} 09:00-12:40 的记录重叠`,
    );
    expect((await calls.addOvertime({ startTime: '12:40', endTime: '14:00' })).http).toBe(200);
    expect((await calls.addLeave('10:00', '11:00', 'admin', { day })).message).toContain('的记录重叠');
  });

  test('the future, too long ago, too short, holidays for time off', async () => {
    const tomorrow = addDays(businessDayOf(new Date()), 1);
    expect((await calls.addOvertime({ day: tomorrow })).message).toBe('不能登记未来的加班');
    expect((await calls.addOvertime({ day: addDays(businessDayOf(new Date()), -40) })).message).toBe(
      '只能登记31天内的记录',
    );
    expect((await calls.addOvertime({ startTime: '09:00', endTime: '09:20' })).http).toBe(422);
    const day = await bench.pastDay('rest_day');
    await run(db(), `INSERT INTO business_calendar (day, type) VALUES ($1, 'holiday')`, [day]);
    expect((await calls.addOvertime({ day })).message).toBe('法定假日加班只能计加班费');
    const paid = await calls.addOvertime({ day, compensation: 'pay' });
    await calls.act('overtimeRecord', idsOf(paid)[0]!, 'approve', 'chief');
    expect(await calls.balance()).toBe(0);
    await run(db(), 'DELETE FROM business_calendar WHERE day = $1', [day]);
  });

  test('limits of a workday and a month; over them only with the right and a reason', async () => {
    const day = await bench.pastDay('workday');
    await run(db(), `DELETE FROM element_grant WHERE element_code = 'workOvertimeManager:btn_override'`);
    await run(db(), `SELECT pg_notify('session_changed', 'all')`);
    const over = await calls.addOvertime({ day, startTime: '18:00', endTime: '21:30' }, 'boss');
    expect([over.status, over.message]).toEqual([30101, '孙安 当日加班将超过 3.0 小时']);
    expect((await calls.addOvertime({ day, startTime: '18:00', endTime: '21:00' }, 'boss')).http).toBe(200);
    expect((await calls.addOvertime({ day, startTime: '21:00', endTime: '21:30' })).http).toBe(422);
    expect(
      (await calls.addOvertime({ day, startTime: '21:00', endTime: '21:30', overReason: '抢修' })).http,
    ).toBe(200);
    await run(db(), `INSERT INTO setting (key, value) VALUES ('overtime.month_max', '240')`);
    const rest = await bench.pastDay('rest_day');
    if (rest.slice(0, 7) === day.slice(0, 7))
      expect((await calls.addOvertime({}, 'boss')).message).toBe('孙安 当月加班将超过 4.0 小时');
    await run(
      db(),
      `INSERT INTO element_grant (group_id, element_code) SELECT id, 'workOvertimeManager:btn_override' FROM permission_group WHERE code = 'overtime'`,
    );
    await run(db(), `SELECT pg_notify('session_changed', 'all')`);
  });

  test('rates come from the settings', async () => {
    await run(db(), `INSERT INTO setting (key, value) VALUES ('overtime.rate.rest_day', '200')`);
    await calls.approvedOvertime();
    expect(await calls.balance()).toBe(7);
  });

  test('several staff at once, all or none', async () => {
    await calls.approvedOvertime();
    const both = await calls.addOvertime({ staff: [String(bench.staff.ben), String(bench.staff.anna)] });
    expect(both.status).toBe(30101);
    expect(await run(db(), 'SELECT 1 FROM overtime_record')).toHaveLength(1);
    expect(
      idsOf(await calls.addOvertime({ staff: [String(bench.staff.ben), String(bench.staff.chief)] })),
    ).toHaveLength(2);
  });

  test('staff out of scope answer 404', async () => {
    expect((await calls.addOvertime({ staff: ['999999'] })).http).toBe(404);
    expect((await bench.call('GET', '/admin/overtime/staff/none', 'admin')).http).toBe(404);
  });
});

describe('adjustments, expiry and the statement', () => {
  test('nobody adjusts the own balance or takes the own time off back', async () => {
    const id = Number(
      (await runOne<{ id: number }>(db(), `SELECT id FROM staff WHERE account = 'admin'`))!.id,
    );
    const before = await run(db(), 'SELECT count(*) AS n FROM leave_record WHERE staff_id = $1', [id]);
    const own = await bench.call('POST', '/admin/leaveRecord/action/adjust', 'admin', {
      staff: String(id),
      minutes: 600,
      reason: '给自己加一点',
    });
    expect([own.http, own.message]).toEqual([409, '不能调整或恢复自己的调休余额，请由其他管理员操作']);
    expect(await run(db(), 'SELECT count(*) AS n FROM leave_record WHERE staff_id = $1', [id])).toEqual(
      before,
    );
    const leave = (await runOne<{ id: number }>(
      db(),
      `INSERT INTO leave_record (tenant_id, staff_id, kind, day, starts_at, ends_at, minutes, reason, state, created_by, updated_by)
       SELECT tenant_id, id, 'leave', '2026-03-02', '2026-03-02 09:00', '2026-03-02 10:00', 60, '事', 'approved', id, id FROM staff WHERE id = $1 RETURNING id`,
      [id],
    ))!;
    const taken = await calls.act('leaveRecord', String(leave.id), 'void', 'admin', { reason: '其实没休' });
    expect([taken.http, taken.message]).toEqual([409, '不能调整或恢复自己的调休余额，请由其他管理员操作']);
    await run(db(), 'DELETE FROM leave_record WHERE id = $1', [leave.id]);
  });

  test('expired lots, adjustments and time off add up to the summary', async () => {
    await calls.approvedOvertime();
    const adjust = (minutes: number) =>
      bench.call('POST', '/admin/leaveRecord/action/adjust', 'admin', {
        staff: String(bench.staff.anna),
        minutes,
        reason: '年初结转',
      });
    expect((await adjust(45)).http).toBe(422);
    expect((await adjust(60)).http).toBe(200);
    expect((await adjust(-300)).message).toBe('可调休余额不足（结余 4.5 小时）');
    expect((await adjust(-30)).http).toBe(200);
    await run(db(), `UPDATE leave_balance_lot SET expires_on = $1 WHERE overtime_id IS NOT NULL`, [
      addDays(businessDayOf(new Date()), -1),
    ]);
    expect((await calls.addLeave('09:00', '11:00')).message).toBe('可调休余额不足（结余 1.0 小时）');
    await expireAll(bench.product.platform);
    await expireAll(bench.product.platform);
    expect(await calls.balance()).toBe(1);
    const rows = (
      await bench.call('GET', `/admin/leaveRecord/page?staff=${bench.staff.anna}&sort=-createdAt`, 'admin')
    ).data.rows as { kind: string; balance: string; hours: string }[];
    expect(rows.map((row) => [row.kind, row.hours, row.balance])).toEqual([
      ['expiry', '3.0', '1.0'],
      ['adjustment', '-0.5', '4.0'],
      ['adjustment', '1.0', '4.5'],
      ['credit', '3.5', '3.5'],
    ]);
    await calls.isConsistent();
  });

  test('time off voided after its lot ended does not come back to life', async () => {
    await calls.approvedOvertime();
    const leave = idsOf(await calls.addLeave('09:00', '11:00'))[0]!;
    await calls.act('leaveRecord', leave, 'approve', 'chief');
    await run(db(), `UPDATE leave_balance_lot SET expires_on = $1`, [addDays(businessDayOf(new Date()), -1)]);
    await expireAll(bench.product.platform);
    expect(await calls.balance()).toBe(0);
    await calls.act('leaveRecord', leave, 'void', 'admin', { reason: '未休' });
    expect(await calls.balance()).toBe(0);
    await calls.isConsistent();
  });

  test('staff and leader are reminded 30 and 7 days before, once each', async () => {
    await calls.approvedOvertime();
    await run(db(), 'DELETE FROM notification');
    const left = async (days: number) => {
      await run(db(), 'UPDATE leave_balance_lot SET expires_on = $1', [
        addDays(businessDayOf(new Date()), days),
      ]);
      await remindAll(bench.product.platform);
      await remindAll(bench.product.platform);
      return (await runOne<{ n: number }>(
        db(),
        `SELECT count(*) AS n FROM notification WHERE kind = 'overtimeExpiry'`,
      ))!.n;
    };
    expect([await left(31), await left(30), await left(20), await left(7), await left(1)]).toEqual([
      0, 2, 2, 4, 4,
    ]);
  });

  test('the report has a row per staff, totals that equal them, and its filters', async () => {
    await calls.approvedOvertime();
    await calls.approvedOvertime({ staff: [String(bench.staff.ben)], endTime: '11:00' });
    await calls.addLeave('09:00', '10:30');
    const range = `${addDays(businessDayOf(new Date()), -60)}~${addDays(businessDayOf(new Date()), 10)}`;
    const report = await bench.call('GET', `/jinmao/web/report/overtime?range=${range}&limit=100`, 'admin');
    const rows = report.data.rows as Record<string, string>[];
    expect(rows.find((row) => row.staffNo === 'N-anna')).toMatchObject({
      overtime: '3.5',
      compensable: '3.5',
      used: '0',
      pending: '1.5',
      balance: '2',
    });
    expect(report.data.sums).toMatchObject({ overtime: '5.5', pending: '1.5', balance: '4' });
    const positive = await bench.call(
      'GET',
      `/jinmao/web/report/overtime?range=${range}&positive=true&keyword=N-anna`,
      'admin',
    );
    expect((positive.data.rows as object[]).length).toBe(1);
    expect(
      (await bench.call('GET', `/jinmao/web/report/overtime?range=${range}&expiring=true`, 'admin')).data
        .total,
    ).toBe(0);
    expect(
      (await bench.call('GET', `/jinmao/web/report/overtime?range=${range}&expiring=no`, 'admin')).http,
    ).toBe(422);
    const months = (await bench.call('GET', '/admin/overtime/monthly?months=3', 'admin')).data as unknown as {
      restDay: number;
    }[];
    expect(months).toHaveLength(3);
    expect(months.reduce((sum, month) => sum + month.restDay, 0)).toBe(5.5);
  });
});

import { askToken } from '../../../app/server/session/session-bench.ts';
import { hashPassword } from '../../../kernel/server/people/password-hash.ts';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { run, runOne, transaction } from '../../../kernel/server/database.ts';
import type { ImportTarget } from '../../../kernel/server/tables/import-target.ts';
import { departmentUpdateImport } from '../department/department-import.server.ts';
import { staffUpdateImport } from '../staff/staff-import.server.ts';
import { notifyStaffChanged } from '../../../kernel/server/people/session-changes.ts';
import { submitApproval } from '../../../domain/approval/approve.server.ts';
import { approvalsFollow } from '../../../domain/approval/follow-structure.server.ts';
import { listUnused } from '../staff/unused-accounts.server.ts';
import { recordOvertime, staffInScope } from './overtime-commands.server.ts';
import { registration as approvalCentre } from '../../../domain/approval/approval-centre.server.ts';
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

  /** The approve button with the own rows only. */
  const giveButton = async (staffId: number) => {
    const { id } = (await runOne<{ id: number }>(
      db(),
      `INSERT INTO permission_group (type_id, tenant_id, code, name) SELECT id, $1, $2, '审批' FROM group_type WHERE code = 'role' RETURNING id`,
      [bench.tenantId, `approve_${staffId}`],
    ))!;
    await run(
      db(),
      `WITH m AS (INSERT INTO menu_grant (group_id, menu_code, data_scope) VALUES ($1, 'workOvertimeManager', 'self'))
       INSERT INTO element_grant (group_id, element_code) VALUES ($1, 'workOvertimeManager:btn_approve')`,
      [id],
    );
    await run(db(), 'INSERT INTO group_member (group_id, staff_id) VALUES ($1, $2)', [id, staffId]);
    await rightsChanged(staffId);
  };
  const rightsChanged = async (staffId: number) => {
    await notifyStaffChanged(db(), staffId);
    bench.product.platform.changed('session');
  };
  const newStaff = async (account: string) =>
    (await runOne<{ id: number }>(
      db(),
      `INSERT INTO staff (tenant_id, department_id, account, name, all_projects, must_change_password) VALUES ($1, $2, $3, $3, true, false) RETURNING id`,
      [bench.tenantId, bench.departmentId, account],
    ))!.id;
  const lead = (staffId: number) =>
    run(db(), 'UPDATE department SET leader_id = $2 WHERE id = $1', [bench.departmentId, staffId]);
  type Task = Readonly<Record<string, unknown>> & { readonly id: string };
  const mineOf = async (account: string) =>
    (await bench.call('GET', '/admin/approval/mine', account)).data as unknown as Task[];
  // Not through the home page, which keeps counts for half a minute.
  const todoOf = async (account: string) =>
    (
      await approvalCentre.todos![0]!.count({
        caller: await bench.product.caller(account),
        platform: bench.product.platform,
      })
    ).count;
  const decide = (account: string, task: Task) =>
    bench.call('POST', `/admin/approval/${task.id}/decide`, account, { approved: true });
  const barred = {
    id: expect.any(String) as string,
    code: expect.stringMatching(/^AP\d+$/) as string,
    kind: 'overtime',
    kindName: '加班',
    arrivedAt: expect.any(String) as string,
    decidable: false,
    note: '您没有审批权限或已不负责该员工，请联系管理员',
  };

  test('a leader without the button is told that something waits, not what; given it, decides', async () => {
    const id = await newStaff('bare_leader');
    await lead(id);
    await calls.addOvertime();
    expect(await mineOf('bare_leader')).toEqual([barred]);
    expect((await decide('bare_leader', (await mineOf('bare_leader'))[0]!)).http).toBe(403);
    const [told] = await run<{ title_zh: string; body_zh: string }>(
      db(),
      'SELECT title_zh, body_zh FROM notification WHERE staff_id = $1',
      [id],
    );
    expect([told!.title_zh, told!.body_zh]).toEqual([
      expect.stringMatching(/^待审批：加班 AP\d+$/),
      barred.note,
    ]);
    await giveButton(id);
    expect((await mineOf('bare_leader'))[0]).toEqual(
      expect.objectContaining({ decidable: true, title: expect.stringContaining('孙安 加班') }),
    );
    expect(await todoOf('bare_leader')).toBe(1);
    expect((await decide('bare_leader', (await mineOf('bare_leader'))[0]!)).http).toBe(200);
    await lead(bench.staff.chief!);
  });

  test('who led the staff once reads and decides nothing of it any more, unless its scope shows the rows', async () => {
    const id = await newStaff('former_leader');
    await giveButton(id);
    await lead(id);
    await calls.addOvertime();
    const task = (await mineOf('former_leader'))[0]!;
    expect([task.decidable, await todoOf('former_leader')]).toEqual([true, 1]);
    await lead(bench.staff.chief!);
    expect(await mineOf('former_leader')).toEqual([barred]);
    expect(await todoOf('former_leader')).toBe(0);
    const refused = await decide('former_leader', task);
    expect([refused.http, refused.message]).toEqual([403, barred.note]);
    await run(
      db(),
      `UPDATE menu_grant SET data_scope = 'dept' WHERE group_id = (SELECT id FROM permission_group WHERE code = $1)`,
      [`approve_${id}`],
    );
    await rightsChanged(id);
    expect((await mineOf('former_leader'))[0]!.decidable).toBe(true);
    expect((await decide('former_leader', task)).http).toBe(200);
  });

  describe('follows who leads, not who led when it was submitted', () => {
    const versionOf = async (table: 'department' | 'staff', id: number) =>
      (await runOne<{ version: number }>(db(), `SELECT version FROM ${table} WHERE id = $1`, [id]))!.version;
    const put = async (table: 'department' | 'staff', id: number, body: object) => {
      const version = await versionOf(table, id);
      expect((await bench.call('PUT', `/admin/${table}/${id}`, 'admin', { version, ...body })).message).toBe(
        '',
      );
    };
    const toldOf = async (staffId: number) =>
      (
        await run<{ title_zh: string }>(
          db(),
          'SELECT title_zh FROM notification WHERE staff_id = $1 ORDER BY id',
          [staffId],
        )
      ).map((row) => row.title_zh);

    test('when a department gets another leader: with a note, and told; what was handed over stays', async () => {
      const heir = await newStaff('next_leader');
      await giveButton(heir);
      const id = idsOf(await calls.addOvertime())[0]!;
      const kept = idsOf(await calls.addOvertime({ staff: [String(bench.staff.ben)] }))[0]!;
      await run(
        db(),
        `UPDATE approval_task SET via = 'replacement', assignee_id = $2 WHERE instance_id = (SELECT id FROM approval_instance WHERE biz_id = $1 AND state = 'running')`,
        [Number(kept), bench.staff.boss],
      );
      await put('department', bench.departmentId, { leader: String(heir) });
      expect([await assignee(id), await assignee(kept)]).toEqual(['next_leader', 'boss']);
      expect((await mineOf('next_leader')).map((task) => task.decidable)).toEqual([true]);
      expect(await mineOf('chief')).toEqual([]);
      expect(await toldOf(heir)).toEqual([expect.stringMatching(/^待审批：孙安 加班/)]);
      const timeline = (await bench.call('GET', `/admin/overtimeRecord/${id}/timeline`, 'admin'))
        .data as unknown as { action: string; label: string; remark: string; who: string }[];
      expect(timeline[0]).toMatchObject({
        action: 'replaceApprover',
        label: '更换审批人',
        remark: '钱主管 → next_leader',
      });
      // And back again: what the structure gave, it takes.
      await put('department', bench.departmentId, { leader: String(bench.staff.chief) });
      expect([await assignee(id), await assignee(kept)]).toEqual(['chief', 'boss']);
    });

    test('when a staff goes to another department, by form, by bulk and by taking it in', async () => {
      const id = idsOf(await calls.addOvertime())[0]!;
      const top = (await runOne<{ id: number }>(db(), `SELECT id FROM department WHERE code = 'TOP'`))!.id;
      const anna = bench.staff.anna!;
      await put('staff', anna, { department: String(top) });
      expect(await assignee(id)).toBe('boss');
      const bulk = await bench.call('POST', '/admin/staff/bulk/assignDepartment', 'admin', {
        ids: [String(anna)],
        input: { department: String(bench.departmentId) },
      });
      expect([bulk.data.done, await assignee(id)]).toEqual([[String(anna)], 'chief']);
      const taken = await bench.call('POST', `/admin/department/${top}/addMembers`, 'admin', {
        staff: [String(anna)],
        kind: 'main',
      });
      expect([taken.message, await assignee(id)]).toEqual(['', 'boss']);
      const moved = await bench.call('POST', `/admin/department/${top}/moveMembers`, 'admin', {
        staff: [String(anna)],
        into: String(bench.departmentId),
      });
      expect([moved.message, await assignee(id)]).toEqual(['', 'chief']);
    });

    test('when a table says so', async () => {
      const imported = async (target: ImportTarget, values: Readonly<Record<string, string>>) => {
        const call = {
          caller: await bench.product.caller('admin'),
          platform: bench.product.platform,
          language: 'zh' as const,
        };
        const empty = Object.fromEntries(target.columns.map((column) => [column.name, '']));
        const row = { number: 2, values: { ...empty, ...values } };
        expect(await transaction(db(), (tx) => target.commit(tx, call, [row]))).toBe(1);
      };
      const id = idsOf(await calls.addOvertime())[0]!;
      await imported(departmentUpdateImport, { code: 'SUB', name: '工程部', leader: 'ben' });
      expect(await assignee(id)).toBe('ben');
      await imported(departmentUpdateImport, { code: 'SUB', name: '工程部', leader: 'chief' });
      const anna = { name: '孙安', account: 'anna', phone: '13900008888' };
      await imported(staffUpdateImport, { ...anna, department: 'TOP' });
      expect(await assignee(id)).toBe('boss');
      await imported(staffUpdateImport, { ...anna, department: 'SUB' });
      expect(await assignee(id)).toBe('chief');
    });

    test('when the leader of the leader changes, and when leaderships alone are handed over', async () => {
      const id = idsOf(await calls.addOvertime({ staff: [String(bench.staff.chief)] }))[0]!;
      expect(await assignee(id)).toBe('boss');
      await put('staff', bench.staff.chief!, { leader: String(bench.staff.ben) });
      expect(await assignee(id)).toBe('ben');
      await put('staff', bench.staff.chief!, { leader: null });
      expect(await assignee(id)).toBe('boss');
      const leaving = await newStaff('leaving_leader');
      await lead(leaving);
      const other = idsOf(await calls.addOvertime())[0]!;
      expect(await assignee(other)).toBe('leaving_leader');
      const moved = await bench.call('POST', `/admin/staff/${leaving}/handover`, 'admin', {
        targets: { department_leader: String(bench.staff.ben) },
      });
      expect([moved.http, await assignee(other)]).toEqual([200, 'ben']);
      await lead(bench.staff.chief!);
    });

    test('when a department moves or is merged', async () => {
      const above = (
        await bench.call('POST', '/admin/department', 'admin', { name: '区域', code: 'AREA', type: 'region' })
      ).data.id as string;
      const team = (
        await bench.call('POST', '/admin/department', 'admin', {
          name: '班组',
          code: 'TEAM',
          type: 'function',
          parent: String(bench.departmentId),
        })
      ).data.id as string;
      const dan = await newStaff('dan');
      await run(db(), 'UPDATE staff SET department_id = $2 WHERE id = $1', [dan, Number(team)]);
      await run(db(), 'UPDATE department SET leader_id = $2 WHERE id = $1', [
        Number(above),
        bench.staff.boss,
      ]);
      const id = idsOf(await calls.addOvertime({ staff: [String(dan)] }))[0]!;
      expect(await assignee(id)).toBe('chief');
      await put('department', Number(team), { parent: above });
      expect(await assignee(id)).toBe('boss');
      const merged = await bench.call('POST', `/admin/department/${team}/merge`, 'admin', {
        into: String(bench.departmentId),
        reason: '合并',
      });
      expect([merged.message, await assignee(id)]).toEqual(['', 'chief']);
    });

    describe('when who leads stops working', () => {
      afterEach(() => lead(bench.staff.chief!));
      const disable = (id: number, view = 'staff') =>
        bench.call('POST', `/admin/${view}/${id}/disable`, 'admin', { reason: '长期休假' });
      const enable = async (id: number) =>
        expect((await bench.call('POST', `/admin/staff/${id}/enable`, 'admin', {})).message).toBe('');
      /** Overtime of ben, handed over to somebody. */
      const handedOver = async (to: number) => {
        const id = idsOf(await calls.addOvertime({ staff: [String(bench.staff.ben)] }))[0]!;
        await run(
          db(),
          `UPDATE approval_task SET via = 'replacement', assignee_id = $2 WHERE instance_id = (SELECT id FROM approval_instance WHERE biz_id = $1 AND state = 'running')`,
          [Number(id), to],
        );
        return id;
      };

      test('it goes to the next one; who works again gets new ones only', async () => {
        const resting = await newStaff('resting_leader');
        await lead(resting);
        const id = idsOf(await calls.addOvertime())[0]!;
        const kept = await handedOver(bench.staff.boss!);
        expect((await disable(resting)).message).toBe('');
        expect([await assignee(id), await assignee(kept)]).toEqual(['boss', 'boss']);
        expect(await toldOf(bench.staff.boss!)).toEqual([expect.stringMatching(/^待审批：孙安 加班/)]);
        await enable(resting);
        expect(await assignee(id)).toBe('boss');
        const later = { startTime: '14:00', endTime: '15:00' };
        expect(await assignee(idsOf(await calls.addOvertime(later))[0]!)).toBe('resting_leader');
      });

      test('what was handed over to it too, and what came to it in person', async () => {
        const receiver = await newStaff('resting_receiver');
        const handed = await handedOver(receiver);
        await put('staff', bench.staff.chief!, { leader: String(receiver) });
        const own = idsOf(await calls.addOvertime({ staff: [String(bench.staff.chief)] }))[0]!;
        expect([await assignee(handed), await assignee(own)]).toEqual([
          'resting_receiver',
          'resting_receiver',
        ]);
        expect((await disable(receiver)).message).toBe('');
        expect([await assignee(handed), await assignee(own)]).toEqual(['chief', 'boss']);
        await put('staff', bench.staff.chief!, { leader: null });
      });

      test('also by itself after many unused days', async () => {
        const unused = await newStaff('unused_leader');
        await lead(unused);
        const id = idsOf(await calls.addOvertime())[0]!;
        expect(await assignee(id)).toBe('unused_leader');
        await run(
          db(),
          `UPDATE staff SET created_at = now() - interval '200 days', password_changed_at = now() - interval '200 days' WHERE id = $1`,
          [unused],
        );
        await run(db(), `INSERT INTO setting (key, value) VALUES ('user.unused_auto_disable', 'true')`);
        bench.product.platform.settings.forget();
        expect((await listUnused(bench.product.platform)).disabled).toBe(1);
        expect(await assignee(id)).toBe('boss');
        await run(db(), `DELETE FROM setting WHERE key = 'user.unused_auto_disable'`);
        bench.product.platform.settings.forget();
      });

      test('also in another company than that of who disables it', async () => {
        const made = (sql: string, values: readonly unknown[]) =>
          runOne<{ id: number }>(db(), `${sql} RETURNING id`, values).then((row) => row!.id);
        const company = await made('INSERT INTO tenant (kind, account, name) VALUES (1, $1, $1)', ['farco']);
        const department = (code: string, parent: number | null) =>
          made('INSERT INTO department (tenant_id, code, name, parent_id) VALUES ($1, $2, $2, $3)', [
            company,
            code,
            parent,
          ]);
        const above = await department('FAR_TOP', null);
        const below = await department('FAR_SUB', above);
        await run(db(), 'UPDATE department SET path = ARRAY[$1::bigint] WHERE id = $1', [above]);
        await run(db(), 'UPDATE department SET path = ARRAY[$1::bigint, $2] WHERE id = $2', [above, below]);
        const staff: Record<string, number> = {};
        for (const account of ['far_boss', 'far_chief', 'far_member', 'far_clerk'])
          staff[account] = await made(
            'INSERT INTO staff (tenant_id, department_id, account, name) VALUES ($1, $2, $3, $3)',
            [company, below, account],
          );
        await run(db(), 'UPDATE department SET leader_id = $2 WHERE id = $1', [above, staff.far_boss]);
        await run(db(), 'UPDATE department SET leader_id = $2 WHERE id = $1', [below, staff.far_chief]);
        await transaction(db(), (tx) =>
          submitApproval(tx, bench.product.platform, {
            kind: 'overtime',
            bizId: 900_001,
            tenantId: company,
            title: ['加班', 'Overtime'],
            summary: [],
            starterId: staff.far_clerk!,
            subjectId: staff.far_member!,
          }),
        );
        expect(await assignee('900001')).toBe('far_chief');
        expect((await disable(staff.far_chief!, 'allStaff')).message).toBe('');
        expect(await assignee('900001')).toBe('far_boss');
      });
    });

    describe('at the same moment as a submission', () => {
      afterEach(() => lead(bench.staff.chief!));
      const gate = () => {
        let open!: () => void;
        const opened = new Promise<void>((resolve) => (open = resolve));
        return { open, opened };
      };
      const within = (work: Promise<unknown>, ms: number) =>
        Promise.race([work, new Promise((resolve) => setTimeout(resolve, ms, 'waits'))]);

      test('a submission waits for another leader and comes to that one', async () => {
        const caller = await bench.product.caller('admin');
        const [changed, commit] = [gate(), gate()];
        const change = transaction(db(), (tx) =>
          approvalsFollow(tx, { caller, platform: bench.product.platform }, async () => {
            await run(tx, 'UPDATE department SET leader_id = $2 WHERE id = $1', [
              bench.departmentId,
              bench.staff.boss,
            ]);
            changed.open();
            await commit.opened;
          }),
        );
        await changed.opened;
        const submitted = calls.addOvertime();
        expect(await within(submitted, 500)).toBe('waits');
        commit.open();
        await change;
        expect(await assignee(idsOf(await submitted)[0]!)).toBe('boss');
      });

      test('another leader waits for a submission and takes it over', async () => {
        const caller = await bench.product.caller('admin');
        const heir = await newStaff('late_leader');
        const { platform } = bench.product;
        const [written, commit] = [gate(), gate()];
        const day = await bench.pastDay('rest_day');
        const submitted = transaction(db(), async (tx) => {
          const staff = await staffInScope(tx, caller, [bench.staff.anna!]);
          const ids = await recordOvertime(tx, platform, caller, staff, {
            day,
            startTime: '09:00',
            endTime: '12:00',
            compensation: 'pay',
            reason: '上线',
          });
          written.open();
          await commit.opened;
          return ids;
        });
        await written.opened;
        const change = put('department', bench.departmentId, { leader: String(heir) });
        expect(await within(change, 500)).toBe('waits');
        commit.open();
        const [id] = await submitted;
        await change;
        expect(await assignee(String(id))).toBe('late_leader');
      });

      test('several submissions and a leader who is disabled: none is lost, none stays with it', async () => {
        const leaving = await newStaff('racing_leader');
        await lead(leaving);
        const shifts = ['08', '10', '12', '14', '16', '18'];
        const [stopped, ...submitted] = await Promise.all([
          bench.call('POST', `/admin/staff/${leaving}/disable`, 'admin', { reason: '长期休假' }),
          ...shifts.map((hour) =>
            calls.addOvertime({ startTime: `${hour}:00`, endTime: `${hour}:30`, compensation: 'pay' }),
          ),
        ]);
        expect([stopped.message, ...submitted.map((one) => one.message)]).toEqual(
          Array.from({ length: 7 }, () => ''),
        );
        for (const one of submitted) expect(await assignee(idsOf(one)[0]!)).toBe('boss');
      });
    });
  });

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

  test('a result is told to the person it is about, and to who recorded it while that staff holds the screen', async () => {
    const id = idsOf(await calls.addOvertime({}, 'ben'))[0]!;
    const { anna, ben } = bench.staff;
    const groups = await run<{ group_id: number; staff_id: number }>(
      db(),
      'DELETE FROM group_member WHERE staff_id = ANY($1::bigint[]) RETURNING group_id, staff_id',
      [[anna, ben]],
    );
    expect((await calls.act('overtimeRecord', id, 'approve', 'chief')).http).toBe(200);
    const told = await run<{ staff_id: number }>(
      db(),
      `SELECT staff_id FROM notification WHERE title_zh LIKE '已通过%'`,
    );
    expect(told.map((one) => one.staff_id)).toEqual([anna]);
    for (const one of groups)
      await run(db(), 'INSERT INTO group_member (group_id, staff_id) VALUES ($1, $2)', [
        one.group_id,
        one.staff_id,
      ]);
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
    const waiting = [
      await calls.addOvertime(),
      await calls.addOvertime({ staff: [String(bench.staff.ben)] }),
    ].map((answer) => Number(idsOf(answer)[0]));
    const codes = (
      await run<{ code: string }>(
        db(),
        'SELECT code FROM approval_instance WHERE biz_id = ANY($1::bigint[]) ORDER BY id',
        [waiting],
      )
    ).map((row) => row.code);
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
    const handOver = (...kinds: readonly string[]) =>
      bench.call('POST', `${path}/handover`, 'admin', {
        targets: Object.fromEntries(kinds.map((kind) => [kind, heir])),
      });
    // Nobody gets approvals it could not decide: without the button, or about staff that are not its own.
    const all = ['approval', 'department_leader', 'direct_reports'] as const;
    const powerless = await handOver(...all);
    expect([powerless.status, powerless.message]).toEqual([
      30101,
      `接收人没有审批权限或不负责相关员工，请改选接收人，或先将部门负责人一并交接：${codes.join('、')}`,
    ]);
    await giveButton(Number(heir));
    expect((await handOver('approval')).status).toBe(30101);
    const moved = await handOver(...all);
    expect(moved.http).toBe(200);
    expect(
      (
        await run<{ title_zh: string }>(
          db(),
          `SELECT title_zh FROM notification WHERE staff_id = $1 AND kind = 'approval'`,
          [Number(heir)],
        )
      ).every((row) => /^待审批：(孙安|李本) 加班/.test(row.title_zh)),
    ).toBe(true);
    expect(
      await run(db(), 'SELECT kind, items, to_id FROM handover WHERE from_id = $1 ORDER BY id', [
        bench.staff.chief,
      ]),
    ).toEqual([
      { kind: 'department_leader', items: 1, to_id: Number(heir) },
      { kind: 'direct_reports', items: 4, to_id: Number(heir) },
      { kind: 'approval', items: 2, to_id: Number(heir) },
    ]);
    // The one the leaver recorded himself waited for his own leader; now the department has another leader.
    expect(
      await run(
        db(),
        `SELECT via, count(*) AS n FROM approval_task WHERE state = 'pending' AND assignee_id = $1 GROUP BY via ORDER BY via`,
        [Number(heir)],
      ),
    ).toEqual([
      { via: 'none', n: 1 },
      { via: 'replacement', n: 2 },
    ]);
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

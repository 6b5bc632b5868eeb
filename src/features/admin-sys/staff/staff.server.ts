import { z } from 'zod';
import type { Label } from '../../../kernel/contract/label.ts';
import { bindResource, idOf } from '../../../kernel/server/bind-resource.ts';
import { maskValue } from '../../../kernel/contract/mask.rules.ts';
import { businessTimeText } from '../../../kernel/contract/time.rules.ts';
import { writeAudit, writeTimeline } from '../../../kernel/server/audit.ts';
import type { DbRow } from '../../../kernel/server/binding.ts';
import { run, runOne, transaction } from '../../../kernel/server/database.ts';
import { forbidden, invalid, notFound, ruleBroken } from '../../../kernel/server/errors.ts';
import { Parameters, placeCondition } from '../../../kernel/server/scope.ts';
import { endpoint, type Call, type Endpoint } from '../../../kernel/server/service.ts';
import { endSessions } from '../../../kernel/server/session-changes.ts';
import { protectAdministrators } from '../permission-group/reach-rules.server.ts';
import { projectsInScope } from '../../base-data/places/places.server.ts';
import { staff } from './staff.contract.ts';
import { staffBinding } from './staff-binding.server.ts';
import { handoverKinds, leadershipHandovers, openItemsOf } from './handover.server.ts';
import { staffImport, staffUpdateImport } from './staff-import.server.ts';

const idText = z
  .union([z.string().regex(/^\d{0,15}$/), z.number().int().nonnegative()])
  .transform(String)
  .optional();
const ids = z
  .array(z.union([z.string().regex(/^\d{1,15}$/), z.number().int().positive()]).transform(String))
  .max(500)
  .optional();
const keyword = z.string().max(100).default('');
const STATES: Readonly<Record<string, string | undefined>> = { '0': 'disabled', '1': 'normal' };
const SEX: Readonly<Record<string, string>> = { '0': 'female', '1': 'male', '2': 'unknown' };

const bound = bindResource(staff, {
  ...staffBinding({ tenant: 't.tenant_id', project: 'none', owner: 't.id', ownTenant: true }),
  endpoints: specificationPaths(),
  also: { handovers: leadershipHandovers, imports: [staffImport, staffUpdateImport] },
});

export const service = bound.service;

/** Paths of the specification for staff, with the field names of group 02, and the calls of the screen's own parts. */
function specificationPaths(): Endpoint[] {
  return [
    endpoint({
      method: 'GET',
      path: '/admin/user/page',
      title: ['用户列表', 'Users'],
      access: { code: 'userManager' },
      query: z.strictObject({
        name: keyword,
        searchVal: keyword,
        departId: idText,
        stationId: idText,
        groupId: idText,
        projectId: idText,
        enableStatus: z.enum(['0', '1', '3']).optional(),
        page: z.coerce.number().int().min(1).max(1_000_000).default(1),
        limit: z.coerce.number().int().min(1).max(200).default(10),
      }),
      handle: async (call) => {
        const state = STATES[call.query.enableStatus ?? '3'];
        const { rows, ...totals } = await bound.rawPage(call, {
          page: call.query.page,
          limit: call.query.limit,
          searchVal: call.query.searchVal || call.query.name,
          sort: '-createdAt',
          tab: undefined,
          cursor: undefined,
          exact: false,
          filters: Object.fromEntries(
            Object.entries({
              department: call.query.departId,
              stations: call.query.stationId,
              groups: call.query.groupId,
              projects: call.query.projectId,
              state,
            }).filter(([, value]) => value),
          ) as Record<string, string>,
        });
        return { ...totals, rows: rows.map(wireStaff) };
      },
    }),
    endpoint({
      method: 'POST',
      path: '/admin/user/add',
      title: ['新增用户', 'Add user'],
      access: { code: 'userManager:btn_add' },
      body: z.strictObject({
        username: z.string(),
        name: z.string(),
        sex: z.union([z.string(), z.number()]).transform(String).optional(),
        mobilePhone: z.string(),
        email: z.string().optional(),
        staffNo: z.string().optional(),
        departId: z.union([z.string(), z.number()]).transform(String),
        stationIds: ids,
        projectIds: ids,
        groupIds: ids,
        description: z.string().optional(),
      }),
      handle: async (call) => {
        const { body } = call;
        const done = await bound.act(call, 'create', undefined, {
          account: body.username,
          name: body.name,
          sex: SEX[body.sex ?? '2'],
          mobilePhone: body.mobilePhone,
          department: body.departId,
          ...(body.email ? { email: body.email } : {}),
          ...(body.staffNo ? { staffNo: body.staffNo } : {}),
          ...(body.description ? { description: body.description } : {}),
          stations: body.stationIds ?? [],
          projects: body.projectIds ?? [],
          groups: body.groupIds ?? [],
        });
        return { id: String(done.id), ...(done.result as object) };
      },
    }),
    endpoint({
      method: 'GET',
      path: '/admin/user/getUserProjects/:id',
      title: ['用户的项目', 'Projects of a user'],
      access: { code: 'userManager' },
      handle: async (call) => {
        const row = await bound.find(call, idOf(call.params.id));
        return userProjects(call, Number(row.id));
      },
    }),
    endpoint({
      method: 'GET',
      path: '/admin/user/getUserList',
      title: ['用户选项', 'User choices'],
      access: 'staff',
      query: z.strictObject({ searchVal: keyword, departId: idText, stationId: idText, projectId: idText }),
      handle: async (call) => {
        const parameters = new Parameters();
        const parts = [
          `t.state = 'normal'`,
          placeCondition(
            call.caller,
            { tenant: 't.tenant_id', project: 'none', ownTenant: true },
            parameters,
          ),
        ];
        if (call.query.searchVal)
          parts.push(
            `(t.name ILIKE ${parameters.bind(`%${call.query.searchVal.replace(/[\\%_]/g, '\\$&')}%`)} OR t.account ILIKE ${parameters.bind(`%${call.query.searchVal.replace(/[\\%_]/g, '\\$&')}%`)})`,
          );
        if (call.query.departId)
          parts.push(`t.department_id = ${parameters.bind(Number(call.query.departId))}`);
        if (call.query.stationId)
          parts.push(
            `EXISTS (SELECT 1 FROM staff_station ss WHERE ss.staff_id = t.id AND ss.station_id = ${parameters.bind(Number(call.query.stationId))})`,
          );
        if (call.query.projectId)
          parts.push(
            `(t.all_projects OR EXISTS (SELECT 1 FROM staff_project sp WHERE sp.staff_id = t.id AND sp.project_id = ${parameters.bind(Number(call.query.projectId))}))`,
          );
        const rows = await run<{ id: number; name: string; account: string; department: string | null }>(
          call.platform.database.db,
          `SELECT t.id, t.name, t.account, d.name AS department FROM staff t LEFT JOIN department d ON d.id = t.department_id WHERE ${parts.join(' AND ')} ORDER BY t.name, t.id LIMIT 200`,
          parameters.values,
        );
        return rows.map((row) => ({
          id: String(row.id),
          name: row.name,
          username: row.account,
          departName: row.department ?? '',
        }));
      },
    }),
    endpoint({
      method: 'GET',
      path: '/admin/user/getUserProjectList',
      title: ['用户项目选项', 'Project choices of a user'],
      access: 'staff',
      query: z.strictObject({ userId: idText }),
      handle: async (call) => {
        if (!call.query.userId || Number(call.query.userId) === call.caller.staffId)
          return (await projectsInScope(call.platform.database.db, call.caller, {})).map(wireProject);
        if (!call.caller.menus.has('userManager')) throw forbidden();
        const row = await bound.find(call, idOf(call.query.userId));
        return userProjects(call, Number(row.id), true);
      },
    }),
    endpoint({
      method: 'GET',
      path: '/admin/user/getBaseUserList',
      title: ['项目员工选项', 'Staff of a project'],
      access: 'staff',
      query: z.strictObject({
        projectId: z.string().regex(/^\d{1,15}$/),
        stationType: z.string().max(30).optional(),
      }),
      handle: async (call) => {
        const projectId = Number(call.query.projectId);
        if (
          !(await projectsInScope(call.platform.database.db, call.caller, {})).some(
            (project) => project.id === projectId,
          )
        )
          throw notFound();
        const parameters = new Parameters();
        const project = parameters.bind(projectId);
        const parts = [
          `t.state = 'normal'`,
          `EXISTS (SELECT 1 FROM staff_project sp WHERE sp.staff_id = t.id AND sp.project_id = ${project})`,
        ];
        if (call.caller.tenantKind === 2)
          parts.push(`t.tenant_id = ${parameters.bind(call.caller.tenantId)}`);
        if (call.query.stationType)
          parts.push(
            `EXISTS (SELECT 1 FROM staff_station ss JOIN station x ON x.id = ss.station_id WHERE ss.staff_id = t.id AND x.type = ${parameters.bind(call.query.stationType)})`,
          );
        const rows = await run<{ id: number; name: string; stations: string | null }>(
          call.platform.database.db,
          `SELECT t.id, t.name, (SELECT string_agg(x.name, '、') FROM staff_station ss JOIN station x ON x.id = ss.station_id WHERE ss.staff_id = t.id) AS stations FROM staff t WHERE ${parts.join(' AND ')} ORDER BY t.name, t.id LIMIT 200`,
          parameters.values,
        );
        return rows.map((row) => ({ id: String(row.id), name: row.name, stationName: row.stations ?? '' }));
      },
    }),
    endpoint({
      method: 'GET',
      path: '/admin/user/checkUserByNum/:num',
      title: ['检查工号', 'Check a staff number'],
      access: { anyOf: ['userManager', 'userManager1'] },
      handle: async (call) => {
        const row = await runOne<{ id: number; name: string }>(
          call.platform.database.db,
          'SELECT id, name FROM staff WHERE tenant_id = $1 AND staff_no = $2',
          [call.caller.tenantId, call.params.num],
        );
        return row
          ? { exists: true, id: String(row.id), name: row.name }
          : { exists: false, id: null, name: null };
      },
    }),
    endpoint({
      method: 'GET',
      path: '/admin/user/:id',
      title: ['用户详情', 'User'],
      access: { code: 'userManager' },
      handle: async (call) => {
        const row = await bound.find(call, idOf(call.params.id));
        return {
          ...wireStaff(row),
          photo: null,
          stationIds: refIds(row.stations),
          projectIds: refIds(row.projects),
          groupIds: refIds(row.groups),
          employedOn: row.employedOn,
          ssoAccount: row.ssoAccount,
          version: row.version,
        };
      },
    }),
    endpoint({
      method: 'DELETE',
      path: '/admin/user/:id',
      title: ['离职归档', 'Archive a user'],
      access: { code: 'userManager:btn_del' },
      handle: async (call) => {
        await bound.act(call, 'archive', idOf(call.params.id), {
          reason: call.facts.language === 'zh' ? ARCHIVED[0] : ARCHIVED[1],
        });
        return true;
      },
    }),
    endpoint({
      method: 'GET',
      path: '/admin/staff/:id/handover',
      title: ['交接清单', 'Items to hand over'],
      access: { code: 'userManager:btn_handover' },
      handle: async (call) => {
        const row = await bound.find(call, idOf(call.params.id));
        return (await openItemsOf(call.platform.database.db, call.platform, Number(row.id))).map((item) => ({
          ...item,
          label: call.facts.language === 'zh' ? item.label[0] : item.label[1],
        }));
      },
    }),
    endpoint({
      method: 'POST',
      path: '/admin/staff/:id/handover',
      title: ['交接', 'Hand over'],
      access: { code: 'userManager:btn_handover' },
      body: z.strictObject({ targets: z.record(z.string(), z.string().regex(/^\d{1,15}$/)) }),
      handle: async (call) => handOver(call, idOf(call.params.id), call.body.targets),
    }),
    endpoint({
      method: 'GET',
      path: '/admin/staff/:id/sessions',
      title: ['会话', 'Sessions'],
      access: { code: 'userManager:btn_session' },
      handle: async (call) => {
        const row = await bound.find(call, idOf(call.params.id));
        const rows = await run<{
          id: number;
          address: string;
          user_agent: string;
          created_at: Date;
          last_seen_at: Date;
        }>(
          call.platform.database.db,
          'SELECT id, address, user_agent, created_at, last_seen_at FROM session WHERE staff_id = $1 AND ended_at IS NULL ORDER BY last_seen_at DESC LIMIT 50',
          [row.id],
        );
        return rows.map((one) => ({
          id: String(one.id),
          address: one.address,
          device: one.user_agent,
          since: businessTimeText(one.created_at),
          lastSeen: businessTimeText(one.last_seen_at),
          current: one.id === call.caller.sessionId,
        }));
      },
    }),
    endpoint({
      method: 'POST',
      path: '/admin/staff/:id/endSession',
      title: ['下线会话', 'End a session'],
      access: { code: 'userManager:btn_session' },
      body: z.strictObject({ sessionId: z.string().regex(/^\d{1,15}$/) }),
      handle: async (call) => {
        const row = await bound.find(call, idOf(call.params.id));
        if (Number(call.body.sessionId) === call.caller.sessionId)
          throw ruleBroken(['当前会话请使用退出登录', 'Use sign-out for the session you are in']);
        await transaction(call.platform.database.db, async (tx) => {
          // The staff is part of the condition: a session of somebody else is none.
          if (
            (await endSessions(
              tx,
              { staffId: Number(row.id), sessionId: Number(call.body.sessionId) },
              'kicked',
            )) === 0
          )
            throw notFound(['会话已结束', 'The session has ended']);
          await writeTimeline(tx, {
            entity: 'staff',
            entityId: Number(row.id),
            caller: call.caller,
            action: 'endSession',
            label: ['下线一个会话', 'A session was ended'],
          });
          await writeAudit(tx, {
            caller: call.caller,
            facts: call.facts,
            menu: 'userManager',
            action: 'endSession',
            entity: 'staff',
            entityId: Number(row.id),
            after: { sessionId: call.body.sessionId },
          });
        });
        call.platform.changed('session');
        return true;
      },
    }),
    endpoint({
      method: 'GET',
      path: '/admin/staff/:id/signIns',
      title: ['登录记录', 'Sign-ins'],
      access: { code: 'userManager' },
      handle: async (call) => {
        const row = await bound.find(call, idOf(call.params.id));
        const rows = await run<{ id: number; at: Date; address: string; user_agent: string; result: string }>(
          call.platform.database.db,
          `SELECT id, at, address, user_agent, result FROM sign_in_attempt WHERE staff_id = $1 AND at > now() - interval '90 days' ORDER BY id DESC LIMIT 200`,
          [row.id],
        );
        return rows.map((one) => ({
          id: String(one.id),
          at: businessTimeText(one.at),
          address: one.address,
          device: one.user_agent,
          result: one.result,
        }));
      },
    }),
  ];
}

const ARCHIVED = ['离职归档', 'Archived as left'] as const;

async function handOver(
  call: Call,
  from: number,
  targets: Readonly<Record<string, string>>,
): Promise<unknown> {
  const row = await bound.find(call, from);
  const kinds = handoverKinds(call.platform);
  for (const kind of Object.keys(targets))
    if (!kinds.some((one) => one.kind === kind))
      throw invalid({ [kind]: ['没有此交接类型', 'There is no such kind'] });
  const moved = await transaction(call.platform.database.db, async (tx) => {
    await protectAdministrators(tx, call.caller, from);
    const lines: { kind: string; label: Label; to: string; items: readonly string[] }[] = [];
    for (const kind of kinds) {
      const target = targets[kind.kind];
      if (!target) continue;
      const receiver = await runOne<{ id: number; name: string }>(
        tx,
        `SELECT id, name FROM staff WHERE id = $1 AND tenant_id = $2 AND state = 'normal' FOR UPDATE`,
        [Number(target), call.caller.tenantId],
      );
      if (!receiver) throw notFound(['接收人不存在或已停用', 'The receiver does not exist or is disabled']);
      if (receiver.id === from) throw ruleBroken(['不能交接给本人', 'Cannot hand over to the same person']);
      lines.push({
        kind: kind.kind,
        label: kind.label,
        to: receiver.name,
        items: await kind.move(tx, from, receiver.id, call.caller),
      });
    }
    await writeTimeline(tx, {
      entity: 'staff',
      entityId: from,
      caller: call.caller,
      action: 'handover',
      label: ['交接', 'Handover'],
      remark: lines.map((line) => `${line.label[0]} ${line.items.length} → ${line.to}`).join('；'),
    });
    await writeAudit(tx, {
      caller: call.caller,
      facts: call.facts,
      menu: 'userManager',
      action: 'handover',
      entity: 'staff',
      entityId: from,
      after: lines.map(({ label: _label, ...line }) => line),
    });
    return lines.map(({ label: _label, ...line }) => line);
  });
  return { name: row.name, moved };
}

async function userProjects(call: Call, staffId: number, cities = false): Promise<unknown> {
  const held = new Map(
    (await projectsInScope(call.platform.database.db, call.caller, { includeStopped: true })).map(
      (project) => [project.id, project],
    ),
  );
  const rows = await run<{ project_id: number }>(
    call.platform.database.db,
    `SELECT sp.project_id FROM staff_project sp WHERE sp.staff_id = $1
     UNION SELECT p.id FROM project p JOIN staff s ON s.id = $1 AND s.all_projects JOIN tenant n ON n.id = s.tenant_id
       WHERE n.kind = 3 OR EXISTS (SELECT 1 FROM tenant_project tp WHERE tp.tenant_id = s.tenant_id AND tp.project_id = p.id) ORDER BY 1`,
    [staffId],
  );
  const projects = rows.flatMap((row) => held.get(row.project_id) ?? []);
  return projects.map((project) =>
    cities
      ? wireProject(project)
      : { projectId: String(project.id), projectName: project.name, cityName: project.cityName ?? '' },
  );
}

function wireProject(project: {
  id: number;
  name: string;
  cityCode: string | null;
  cityName: string | null;
}) {
  return {
    projectId: String(project.id),
    projectName: project.name,
    cityId: project.cityCode,
    cityName: project.cityName ?? '',
  };
}

function wireStaff(row: DbRow): Record<string, unknown> {
  return {
    id: String(row.id),
    username: row.account,
    name: row.name,
    sex: row.sex === 'female' ? 0 : row.sex === 'male' ? 1 : 2,
    mobilePhone: row.mobilePhone ? maskValue('phone', String(row.mobilePhone)) : '',
    email: row.email ? maskValue('email', String(row.email)) : '',
    staffNo: row.staffNo ?? '',
    departId: row.department === null ? null : String(row.department),
    departName: row.department__title ?? '',
    stationNames: titles(row.stations),
    groupNames: titles(row.groups),
    projectCount: (row.projects as unknown[]).length,
    enableStatus: row.state === 'normal' ? 1 : 0,
    state: row.locked && row.state === 'normal' ? 'locked' : row.state,
    lastLoginTime: row.lastLoginAt ? businessTimeText(row.lastLoginAt as Date) : null,
    description: row.description,
    updTime: businessTimeText(row.updatedAt as Date),
    updName: row.updater ?? '',
  };
}

function titles(value: unknown): string[] {
  return (value as { title: string }[]).map((one) => one.title);
}

function refIds(value: unknown): string[] {
  return (value as { id: string }[]).map((one) => one.id);
}

import { containing } from '../../../kernel/server/resource/like-text.ts';
import { z } from 'zod';
import { textOf, type Label } from '../../../kernel/contract/label.ts';
import { isoInstant } from '../../../kernel/contract/time.rules.ts';
import { bindResource, type BoundResource } from '../../../kernel/server/resource/bind.ts';
import { idOf, requireCode } from '../../../kernel/server/http/call-parts.ts';
import { writeAudit, writeTimeline } from '../../../kernel/server/audit/audit.ts';
import { run, runOne, transaction } from '../../../kernel/server/database.ts';
import { nameOrder } from '../../../kernel/server/resource/name-order.ts';
import {
  forbidden,
  invalid,
  namedAsAsked,
  notFound,
  Refusal,
  ruleBroken,
} from '../../../kernel/server/http/errors.ts';
import { Parameters, placeCondition, scopeCondition } from '../../../kernel/server/people/scope.ts';
import { endpoint, type Call, type Endpoint } from '../../../kernel/server/registration.ts';
import { approvalsFollow } from '../../../domain/approval/follow-structure.server.ts';
import { filteredProjects } from '../../../domain/permission/project-reach.server.ts';
import { changeOwnData, ownDataBody } from '../../frame/profile/profile-change.server.ts';
import { protectAdministrators } from '../permission-group/reach-rules.server.ts';
import { projectsInScope } from '../../base-data/places/places.server.ts';
import type { DbRow } from '../../../kernel/server/resource/binding.ts';
import { allStaffView } from './all-staff.server.ts';
import { handoverKinds, leadershipHandovers, openItemsOf } from './handover.server.ts';
import { departmentImpact } from './department-preview.server.ts';
import { STAFF_SCOPE, userSight, worksIn } from './staff-commands.server.ts';
import { previewGroups } from './groups-preview.server.ts';
import { staff } from './staff.contract.ts';
import { staffBinding } from './staff-binding.server.ts';
import { staffImport, staffUpdateImport } from './staff-import.server.ts';
import { staffOptions } from './staff-options.server.ts';
import { sessionEndpoints } from './staff-session-paths.server.ts';
import {
  idText,
  keyword,
  refIds,
  staffPage,
  staffQuery,
  wireStaff,
  type StaffView,
} from './staff-wire.server.ts';
import { unusedAccounts } from './unused-accounts.server.ts';

const ids = z
  .array(z.union([z.string().regex(/^\d{1,15}$/), z.number().int().positive()]).transform(String))
  .max(500)
  .optional();
const SEX: Readonly<Record<string, string>> = { '0': 'female', '1': 'male', '2': 'unknown' };

/** What the paths of the specification call the fields of a staff. */
const ASKED_NAMES = {
  account: 'username',
  department: 'departId',
  stations: 'stationIds',
  projects: 'projectIds',
  groups: 'groupIds',
};

const binding = staffBinding(STAFF_SCOPE);

const bound: BoundResource = bindResource(staff, {
  ...binding,
  endpoints: [
    ...specificationPaths(),
    ...screenPaths(),
    departmentImpact({ root: '/admin/staff', menu: 'userManager', scope: STAFF_SCOPE, takeIn: true }),
    ...sessionEndpoints(
      '/admin/staff',
      'userManager',
      { sessions: { code: 'userManager:btn_session' }, signIns: { code: 'userManager' } },
      () => bound,
    ),
  ],
  also: {
    sights: [userSight],
    handovers: leadershipHandovers,
    imports: [staffImport, staffUpdateImport],
    jobs: [unusedAccounts],
    options: [staffOptions],
  },
});
const view: StaffView = { resource: staff, binding, bound };

/** Users of the own tenant. */
export const registration = bound.registration;

/** Paths of the specification for staff, with the field names of group 02, and the calls of the screen's own parts. */
function specificationPaths(): Endpoint[] {
  return [
    endpoint({
      method: 'GET',
      path: '/admin/user/page',
      title: ['用户列表', 'Users'],
      access: { code: 'userManager' },
      query: z.strictObject(staffQuery),
      handle: (call) => staffPage(view, call, call.query),
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
        const done = await namedAsAsked(ASKED_NAMES, () =>
          bound.act(call, 'create', undefined, {
            ...formInput({ ...body, sex: Number(body.sex ?? 2) }),
            account: body.username,
          }),
        );
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
            `(t.name ILIKE ${parameters.bind(containing(call.query.searchVal))} OR t.account ILIKE ${parameters.bind(containing(call.query.searchVal))})`,
          );
        if (call.query.departId)
          parts.push(`t.department_id = ${parameters.bind(Number(call.query.departId))}`);
        if (call.query.stationId)
          parts.push(
            `EXISTS (SELECT 1 FROM staff_station ss WHERE ss.staff_id = t.id AND ss.station_id = ${parameters.bind(Number(call.query.stationId))})`,
          );
        if (call.query.projectId)
          parts.push(
            worksIn(parameters.bind(filteredProjects(call.caller, 'projectId', call.query.projectId))),
          );
        const rows = await run<{ id: number; name: string; account: string; department: string | null }>(
          call.platform.database.db,
          `SELECT t.id, t.name, t.account, d.name AS department FROM staff t LEFT JOIN department d ON d.id = t.department_id WHERE ${parts.join(' AND ')} ORDER BY ${nameOrder('t.name')}, t.id LIMIT 200`,
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
        // Merchants and companies share projects with others: of those they are offered their own staff.
        if (call.caller.tenantKind === 2 || call.caller.tenantKind === 1)
          parts.push(`t.tenant_id = ${parameters.bind(call.caller.tenantId)}`);
        if (call.query.stationType)
          parts.push(
            `EXISTS (SELECT 1 FROM staff_station ss JOIN station x ON x.id = ss.station_id WHERE ss.staff_id = t.id AND x.type = ${parameters.bind(call.query.stationType)})`,
          );
        const rows = await run<{ id: number; name: string; stations: string | null }>(
          call.platform.database.db,
          `SELECT t.id, t.name, (SELECT string_agg(x.name, '、') FROM staff_station ss JOIN station x ON x.id = ss.station_id WHERE ss.staff_id = t.id) AS stations FROM staff t WHERE ${parts.join(' AND ')} ORDER BY ${nameOrder('t.name')}, t.id LIMIT 200`,
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
        const parameters = new Parameters();
        const tenant = parameters.bind(call.caller.tenantId);
        const number = parameters.bind(call.params.num);
        const inSight = ['userManager', 'userManager1']
          .map((menu) => scopeCondition(call.caller, menu, STAFF_SCOPE, parameters))
          .join(' OR ');
        // A number is taken for the whole tenant; whose it is, only who sees that staff learns.
        const row = await runOne<{ id: number; name: string; seen: boolean }>(
          call.platform.database.db,
          `SELECT t.id, t.name, (${inSight}) AS seen FROM staff t WHERE t.tenant_id = ${tenant} AND t.staff_no = ${number}`,
          parameters.values,
        );
        return {
          exists: row !== undefined,
          id: row?.seen ? String(row.id) : null,
          name: row?.seen ? row.name : null,
        };
      },
    }),
    endpoint({
      method: 'GET',
      path: '/admin/user/:id',
      title: ['用户详情', 'User'],
      access: { anyOf: ['userManager', 'allUserManager'] },
      handle: async (call) => {
        const { seenBy, row } = await findUser(call, idOf(call.params.id));
        return {
          ...wireStaff(seenBy, call.caller, row),
          photo: row.photo,
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
      method: 'POST',
      path: '/admin/user/updateUserInfo',
      title: ['修改用户资料', 'Change the data of a user'],
      access: 'staff',
      body: z.strictObject({
        ...ownDataBody,
        name: z.string().optional(),
        staffNo: z.string().nullable().optional(),
        departId: idText,
        stationIds: ids,
        projectIds: ids,
        groupIds: ids,
        employedOn: z.string().nullable().optional(),
        ssoAccount: z.string().nullable().optional(),
        version: z.number().int().optional(),
      }),
      handle: async (call) => {
        const { id, ...body } = call.body;
        if (id === undefined || id === String(call.caller.staffId)) {
          // Of the own data only that which proves nothing about rights; the name comes from the administrators.
          const own = z.strictObject(ownDataBody).safeParse(call.body);
          if (!own.success)
            throw invalid(
              Object.fromEntries(
                Object.keys(call.body)
                  .filter((name) => !(name in ownDataBody))
                  .map((name) => [name, ['不接受此字段', 'This field is not accepted']]),
              ),
            );
          return changeOwnData({ ...call, body: own.data });
        }
        requireCode(call.caller, 'userManager:btn_edit');
        for (const name of ['phoneCode', 'currentPassword'] as const)
          if (body[name] !== undefined)
            throw invalid({ [name]: ['不接受此字段', 'This field is not accepted'] });
        if (body.version === undefined) throw invalid({ version: ['缺少版本号', 'The version is missing'] });
        await namedAsAsked(ASKED_NAMES, () =>
          bound.act(call, 'update', idOf(id), formInput(body), body.version),
        );
        return true;
      },
    }),
  ];
}

/** A staff of the own company, or of any company for who lists them all; and the list it was found on. */
async function findUser(call: Call, id: number): Promise<{ seenBy: StaffView; row: DbRow }> {
  const views = [view, allStaffView].filter((one) => call.caller.menus.has(one.resource.menu));
  for (const seenBy of views.slice(0, -1)) {
    const row = await seenBy.bound.find(call, id).catch((error: unknown) => {
      if (error instanceof Refusal && error.http === 404) return undefined;
      throw error;
    });
    if (row) return { seenBy, row };
  }
  const seenBy = views.at(-1)!;
  return { seenBy, row: await seenBy.bound.find(call, id) };
}

/** Calls of the screen's own parts. */
function screenPaths(): Endpoint[] {
  return [
    endpoint({
      method: 'GET',
      path: '/admin/staff/:id/handover',
      title: ['交接清单', 'Items to hand over'],
      access: { code: 'userManager:btn_handover' },
      handle: async (call) => {
        const row = await bound.find(call, idOf(call.params.id));
        return (await openItemsOf(call.platform.database.db, call.platform, Number(row.id))).map((item) => ({
          ...item,
          label: textOf(item.label, call.facts.language),
        }));
      },
    }),
    endpoint({
      method: 'GET',
      path: '/admin/staff/:id/handovers',
      title: ['交接记录', 'Past handovers'],
      access: { code: 'userManager:btn_handover' },
      handle: async (call) => {
        const row = await bound.find(call, idOf(call.params.id));
        const kinds = new Map(handoverKinds(call.platform).map((one) => [one.kind, one.label]));
        const rows = await run<{
          kind: string;
          to: string;
          items: number;
          names: string[];
          by: string;
          at: Date;
        }>(
          call.platform.database.db,
          `SELECT h.kind, r.name AS to, h.items, h.names, d.name AS by, h.at FROM handover h
             JOIN staff r ON r.id = h.to_id JOIN staff d ON d.id = h.done_by WHERE h.from_id = $1 ORDER BY h.id DESC LIMIT 100`,
          [row.id],
        );
        return rows.map((one) => ({
          ...one,
          label: textOf(kinds.get(one.kind) ?? [one.kind, one.kind], call.facts.language),
          at: isoInstant(one.at),
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
      method: 'POST',
      path: '/admin/staff/:id/groupsPreview',
      title: ['预览角色变更', 'Preview of groups'],
      access: { code: 'userManager:btn_group' },
      body: z.strictObject({ groups: ids }),
      handle: async (call) => {
        const row = await bound.find(call, idOf(call.params.id));
        const groups = (call.body.groups ?? []).map(Number);
        return previewGroups(call.platform.database.db, call.caller, Number(row.id), groups);
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
    // What is not handed over itself goes where the new leaders are.
    await approvalsFollow(tx, call, async () => {
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
        const items = await kind.move(tx, from, receiver.id, call);
        lines.push({ kind: kind.kind, label: kind.label, to: receiver.name, items });
        await run(
          tx,
          'INSERT INTO handover (from_id, to_id, kind, items, names, done_by) VALUES ($1, $2, $3, $4, $5, $6)',
          [from, receiver.id, kind.kind, items.length, JSON.stringify(items), call.caller.staffId],
        );
      }
    });
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

/** Fields of the specification as fields of the form; what was not sent stays away. */
function formInput(body: {
  readonly name?: string | undefined;
  readonly sex?: number | undefined;
  readonly mobilePhone?: string | undefined;
  readonly email?: string | null | undefined;
  readonly staffNo?: string | null | undefined;
  readonly departId?: string | undefined;
  readonly stationIds?: readonly string[] | undefined;
  readonly projectIds?: readonly string[] | undefined;
  readonly groupIds?: readonly string[] | undefined;
  readonly description?: string | undefined;
  readonly photo?: string | null | undefined;
  readonly employedOn?: string | null | undefined;
  readonly ssoAccount?: string | null | undefined;
}): Record<string, unknown> {
  const values = {
    name: body.name,
    sex: body.sex === undefined ? undefined : SEX[String(body.sex)],
    mobilePhone: body.mobilePhone,
    email: body.email === '' ? null : body.email,
    staffNo: body.staffNo === '' ? null : body.staffNo,
    department: body.departId,
    stations: body.stationIds,
    projects: body.projectIds,
    groups: body.groupIds,
    description: body.description,
    photo: body.photo,
    employedOn: body.employedOn,
    ssoAccount: body.ssoAccount,
  };
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}

import { addDays, businessDayOf } from '../../../kernel/contract/time.rules.ts';
import { run, runOne, type Executor, type Tx } from '../../../kernel/server/database.ts';
import { differences, type FieldChange } from '../../../kernel/server/audit/audit.ts';
import { showFiles } from '../../../kernel/server/files/files.ts';
import { invalid, notFound, ruleBroken } from '../../../kernel/server/http/errors.ts';
import { endpoint } from '../../../kernel/server/registration.ts';
import { bindResource, type BoundResource } from '../../../kernel/server/resource/bind.ts';
import { nameOrder } from '../../../kernel/server/resource/name-order.ts';
import type { DbRow } from '../../../kernel/server/resource/binding.ts';
import type { ActionContext, ActionResult } from '../../../kernel/server/resource/run-action.ts';
import { tenantOptions } from '../../../kernel/server/resource/tenant-options.ts';
import { Parameters, placeCondition, scopeCondition } from '../../../kernel/server/people/scope.ts';
import { filteredProjects, projectsInReach } from '../../../domain/permission/project-reach.server.ts';
import { heldHouses, moveAllHouses } from '../../../domain/property-staff/housekeeper.server.ts';
import type { RefValue } from '../../../kernel/contract/fields.ts';
import { staffBinding } from '../../admin-sys/staff/staff-binding.server.ts';
import { attachedTo, SELF, STAFF_SCOPE } from '../../admin-sys/staff/staff-commands.server.ts';
import type { HandoverKind } from '../../admin-sys/staff/handover.server.ts';
import { checkPictures, picturesOf } from '../picture-columns.server.ts';
import { boundWorkOrder } from '../work-order/work-order.server.ts';
import { propertyStaff } from './property-staff.contract.ts';

const OPEN = `w.status IN ('to_accept', 'accepted', 'processing', 'paused')`;
const common = staffBinding(STAFF_SCOPE);

/** People of property work, for who adds one by the way. */
export const boundPropertyStaff: BoundResource = bindResource(propertyStaff, {
  ...common,
  columns: {
    ...common.columns,
    skills: `(SELECT coalesce(jsonb_agg(jsonb_build_object('id', v.id::text, 'title', v.name) ORDER BY v.position, v.id), '[]') FROM dictionary_value v
      JOIN dictionary_type y ON y.id = v.type_id AND y.code = 'staff_skill' WHERE v.value = ANY(t.skills))`,
    projects: `(SELECT coalesce(jsonb_agg(jsonb_build_object('id', p.id::text, 'title', p.name) ORDER BY p.id), '[]') FROM staff_project sp JOIN project p ON p.id = sp.project_id WHERE sp.staff_id = t.id)`,
    buildings: `(SELECT coalesce(jsonb_agg(jsonb_build_object('id', b.id::text, 'title', p.name || ' ' || b.name, 'project', b.project_id::text) ORDER BY b.id), '[]') FROM staff_building sb JOIN building b ON b.id = sb.building_id JOIN project p ON p.id = b.project_id WHERE sb.staff_id = t.id)`,
    certificateImages: picturesOf('t.certificate_image_ids'),
    serviceStaff: 't.is_service_staff',
    housekeeper: 't.is_housekeeper',
    customerService: 't.is_customer_service',
    openOrders: `(SELECT count(*)::integer FROM work_order w WHERE w.handler_id = t.id AND ${OPEN})`,
    activated: '(t.last_login_at IS NOT NULL)',
  },
  writes: {
    ...common.writes,
    skills: false,
    buildings: false,
    photo: 'photo_id',
    certificateImages: 'certificate_image_ids',
    serviceStaff: 'is_service_staff',
  },
  lines: {
    certificates: { table: 'staff_certificate', own: 'staff_id' },
    shift: { table: 'staff_shift', own: 'staff_id' },
  },
  filters: {
    skills: (value, parameters) =>
      `t.skills && ARRAY(SELECT v.value FROM dictionary_value v WHERE v.id = ANY(${parameters.bind(value.split(',').map(Number))}::bigint[]))`,
    projects: (value, parameters, caller) =>
      attachedTo(parameters.bind(filteredProjects(caller, 'projects', value))),
  },
  tabs: { atWork: () => `t.state <> 'left'` },
  extra: { is_self: 't.id' },
  ruleReads: ['is_self'],
  rowRules: { enable: notOneself, disable: notOneself, archive: notOneself },
  readChange: common.readChange!,
  present: async (rows, db, caller) => {
    for (const row of rows) {
      row.projects = projectsInReach(caller, (row.projects ?? []) as readonly RefValue[]);
      const seen = (row.buildings ?? []) as readonly (RefValue & { readonly project: string })[];
      const reach = new Set(
        projectsInReach(
          caller,
          seen.map((one) => ({ id: one.project, title: '' })),
        ).map((one) => one.id),
      );
      row.buildings = seen.flatMap(({ id, title, project }) => (reach.has(project) ? [{ id, title }] : []));
    }
    await showFiles(rows, db, 'photo');
  },
  before: [check],
  handlers: {
    create,
    update: (context) => common.handlers!.update!(context),
    enable: (context) => common.handlers!.enable!(context),
    disable: async (context) => {
      await refuseHolding(context);
      return common.handlers!.disable!(context);
    },
    archive: async (context) => {
      await refuseHolding(context);
      return common.handlers!.archive!(context);
    },
    handover,
  },
  after: [writeWork],
  endpoints: [
    endpoint({
      method: 'GET',
      path: '/jinmao/web/propertyStaff/groups',
      title: ['人员分组', 'Groups of people'],
      access: { code: propertyStaff.menu },
      handle: async ({ caller, platform }) => {
        const parameters = new Parameters();
        const own = placeCondition(
          caller,
          { tenant: 'd.tenant_id', project: 'none', ownTenant: true },
          parameters,
        );
        const scope = scopeCondition(caller, propertyStaff.menu, STAFF_SCOPE, parameters);
        const rows = await run<{ id: number; parent: number | null; name: string; count: number }>(
          platform.database.db,
          `SELECT d.id, d.parent_id AS parent, d.name, (SELECT count(*)::integer FROM staff t WHERE t.department_id = d.id AND t.state <> 'left' AND ${scope}) AS count
             FROM department d WHERE d.enabled AND ${own} ORDER BY cardinality(d.path), d.sort, d.id`,
          parameters.values,
        );
        return rows.map((row) => ({
          ...row,
          id: String(row.id),
          parent: row.parent === null ? null : String(row.parent),
        }));
      },
    }),
  ],
  also: {
    handovers: [orderHandover(), houseHandover()],
    options: [
      tenantOptions({
        target: 'propertyColleague',
        from: 'staff t LEFT JOIN department d ON d.id = t.department_id',
        usable: `t.state = 'normal'`,
        search: ['t.name', 't.account'],
        note: `concat_ws(' · ', d.name, CASE WHEN t.is_housekeeper THEN '管家' END)`,
        order: nameOrder('t.name'),
      }),
    ],
  },
});

/** People of property work. */
export const registration = boundPropertyStaff.registration;

function notOneself(row: DbRow, caller: { readonly staffId: number }) {
  return Number(row.is_self) === caller.staffId ? SELF : undefined;
}

/** The account is made of the phone; whoever had it before and left keeps the plain one. */
async function create(context: ActionContext): Promise<ActionResult> {
  const plain = `p${String(context.input.mobilePhone)}`;
  const taken = await run<{ account: string }>(
    context.tx,
    `SELECT lower(account) AS account FROM staff WHERE lower(account) LIKE $1 || '%'`,
    [plain],
  );
  const used = new Set(taken.map((one) => one.account));
  let account = plain;
  for (let n = 2; used.has(account); n += 1) account = `${plain}_${n}`;
  const done = await common.handlers!.create!({
    ...context,
    input: { ...context.input, account, sendSms: true },
  });
  // The password goes to the phone only.
  return { ...(done as ActionResult), result: { account } };
}

/** Shifts that overlap, hours backwards, buildings outside the reach, pictures of certificates. */
async function check(context: ActionContext): Promise<void> {
  const { action, input } = context;
  if (action !== 'create' && action !== 'update') return;
  const shift = (input.shift as readonly Shift[] | undefined) ?? [];
  for (const [index, one] of shift.entries()) {
    const n = index + 1;
    if (one.toTime <= one.fromTime)
      throw invalid({ shift: [`第 ${n} 行结束须晚于开始`, `Row ${n}: the end must be after the beginning`] });
    const clash = shift.findIndex(
      (other, at) =>
        at < index &&
        other.weekday === one.weekday &&
        other.fromTime < one.toTime &&
        one.fromTime < other.toTime,
    );
    if (clash >= 0)
      throw invalid({ shift: [`第 ${n} 行与第 ${clash + 1} 行重叠`, `Row ${n} overlaps row ${clash + 1}`] });
  }
  if (input.certificateImages !== undefined)
    await checkPictures(
      context,
      'certificateImages',
      input.certificateImages as string[],
      (context.row.certificate_image_ids as string[] | null) ?? [],
    );
}

interface Shift {
  readonly weekday: string;
  readonly fromTime: string;
  readonly toTime: string;
}

/** Skills by their dictionary and buildings of the area. */
async function writeWork(
  { action, input, tx, caller }: ActionContext,
  id: number,
): Promise<readonly FieldChange[]> {
  if (action !== 'create' && action !== 'update') return [];
  const changes: FieldChange[] = [];
  if (action === 'create')
    await run(tx, 'UPDATE staff SET is_service_staff = $2, certificate_image_ids = $3 WHERE id = $1', [
      id,
      input.serviceStaff === true,
      input.certificateImages ?? [],
    ]);
  if (input.skills !== undefined) {
    const before = await namesOf(tx, SKILL_NAMES, id);
    await run(
      tx,
      `UPDATE staff SET skills = ARRAY(SELECT v.value FROM dictionary_value v JOIN dictionary_type d ON d.id = v.type_id AND d.code = 'staff_skill'
         WHERE v.id = ANY($2::bigint[]) ORDER BY v.position, v.id) WHERE id = $1`,
      [id, input.skills],
    );
    changes.push(...differences({ skills: before }, { skills: await namesOf(tx, SKILL_NAMES, id) }));
  }
  if (input.buildings !== undefined) {
    const wanted = [...new Set(input.buildings as number[])];
    const places = await run<{ id: number; project_id: number }>(
      tx,
      'SELECT id, project_id FROM building WHERE id = ANY($1::bigint[])',
      [wanted],
    );
    const reach = (projects: readonly number[]) =>
      new Set(
        projectsInReach(
          caller,
          projects.map((one) => ({ id: String(one), title: '' })),
        ).map((one) => Number(one.id)),
      );
    const inReach = reach(places.map((one) => one.project_id));
    if (places.length < wanted.length || places.some((one) => !inReach.has(one.project_id))) throw notFound();
    const works = await run<{ id: number }>(
      tx,
      `SELECT b.id FROM building b, staff s WHERE s.id = $1 AND b.id = ANY($2::bigint[])
          AND (s.all_projects OR EXISTS (SELECT FROM staff_project p WHERE p.staff_id = s.id AND p.project_id = b.project_id))`,
      [id, wanted],
    );
    if (works.length < wanted.length)
      throw invalid({ buildings: ['只能选择负责项目的楼栋', 'Buildings of the chosen projects only'] });
    const before = await namesOf(tx, BUILDING_NAMES, id);
    const held = await run<{ id: number; project_id: number }>(
      tx,
      'SELECT b.id, b.project_id FROM staff_building x JOIN building b ON b.id = x.building_id WHERE x.staff_id = $1',
      [id],
    );
    const own = reach(held.map((one) => one.project_id));
    // Buildings of projects the caller does not work in stay.
    await run(tx, 'DELETE FROM staff_building WHERE staff_id = $1 AND building_id = ANY($2::bigint[])', [
      id,
      held.filter((one) => own.has(one.project_id)).map((one) => one.id),
    ]);
    await run(
      tx,
      'INSERT INTO staff_building (staff_id, building_id) SELECT $1, unnest($2::bigint[]) ON CONFLICT DO NOTHING',
      [id, wanted],
    );
    changes.push(...differences({ buildings: before }, { buildings: await namesOf(tx, BUILDING_NAMES, id) }));
  }
  if (input.projects !== undefined)
    await run(
      tx,
      `DELETE FROM staff_building x USING building b, staff s WHERE x.staff_id = $1 AND b.id = x.building_id AND s.id = $1 AND NOT s.all_projects
          AND NOT EXISTS (SELECT FROM staff_project p WHERE p.staff_id = $1 AND p.project_id = b.project_id)`,
      [id],
    );
  return changes;
}

const SKILL_NAMES = `SELECT v.id::text AS id, v.name AS title FROM staff s JOIN dictionary_value v ON v.value = ANY(s.skills) JOIN dictionary_type d ON d.id = v.type_id AND d.code = 'staff_skill' WHERE s.id = $1 ORDER BY v.position, v.id`;
const BUILDING_NAMES = `SELECT b.id::text AS id, p.name || ' ' || b.name AS title FROM staff_building x JOIN building b ON b.id = x.building_id JOIN project p ON p.id = b.project_id WHERE x.staff_id = $1 ORDER BY b.id`;
const namesOf = (tx: Tx, sql: string, id: number) => run<{ id: string; title: string }>(tx, sql, [id]);

/** Nobody stops working with orders in hand or houses to look after. The row is locked, so nothing is given meanwhile. */
async function refuseHolding({ tx, id }: ActionContext): Promise<void> {
  const open = await openOrdersOf(tx, id);
  if (open.length > 0)
    throw ruleBroken([
      `该人员仍有${open.length}张未完成工单，请先交接`,
      `${open.length} open work orders must be handed over first`,
    ]);
  if ((await heldHouses(tx, id)) > 0) throw ruleBroken(['请先移交楼栋', 'Transfer the buildings first']);
}

function openOrdersOf(db: Executor, staffId: number) {
  return run<{ id: number; code: string }>(
    db,
    `SELECT w.id, w.code FROM work_order w WHERE w.handler_id = $1 AND ${OPEN} ORDER BY w.id`,
    [staffId],
  );
}

/** Open orders and houses go to a colleague; what is not wanted stays. */
async function handover(context: ActionContext): Promise<ActionResult> {
  const { tx, id, input, caller, row, platform } = context;
  const to = Number(input.to);
  if (to === id) throw invalid({ to: ['不能交接给本人', 'Not to the same person'] });
  const receiver = await runOne<{ name: string }>(
    tx,
    `SELECT name FROM staff WHERE id = $1 AND tenant_id = $2 AND state = 'normal' FOR UPDATE`,
    [to, row.tenant_id],
  );
  if (!receiver) throw notFound(['接收人不存在或已停用', 'The receiver does not exist or is disabled']);
  const today = businessDayOf(new Date());
  const date = String(input.date ?? today);
  if (date < today) throw invalid({ date: ['不能早于今天', 'Not before today'] });
  if (date > addDays(today, 366)) throw invalid({ date: ['不能晚于一年后', 'At most a year ahead'] });
  const moved: { kind: string; label: string; count: number; names: readonly string[] }[] = [];
  if (input.orders !== false) {
    const names = await moveOrders(tx, id, to, platform, String(input.reason));
    moved.push({ kind: 'work_order', label: '工单', count: names.length, names });
  }
  if (input.houses !== false && (await heldHouses(tx, id)) > 0) {
    const houses = await moveAllHouses(tx, {
      from: id,
      to,
      date,
      reason: String(input.reason),
      by: caller.staffId,
    });
    moved.push({ kind: 'housekeeper_house', label: '房屋', count: houses, names: [] });
  }
  const total = moved.reduce((sum, one) => sum + one.count, 0);
  if (total === 0) throw ruleBroken(['没有需要交接的事项', 'There is nothing to hand over']);
  for (const one of moved.filter((line) => line.count > 0))
    await run(
      tx,
      'INSERT INTO handover (from_id, to_id, kind, items, names, done_by) VALUES ($1, $2, $3, $4, $5, $6)',
      [id, to, one.kind, one.count, JSON.stringify(one.names.slice(0, 50)), caller.staffId],
    );
  const count = (kind: string) => moved.find((one) => one.kind === kind)?.count ?? 0;
  return {
    remark: `${moved.map((one) => `${one.label} ${one.count}`).join('、')} → ${receiver.name} · ${String(input.reason)}`,
    result: { orders: count('work_order'), houses: count('housekeeper_house') },
  };
}

/** Each open order is transferred by its own action: the receiver has to fit, its clocks and its timeline go on. */
async function moveOrders(
  tx: Tx,
  from: number,
  to: number,
  platform: ActionContext['platform'],
  reason: string,
): Promise<string[]> {
  const orders = await openOrdersOf(tx, from);
  for (const order of orders)
    try {
      await boundWorkOrder.actAsSystem(tx, platform, 'transfer', order.id, { to: String(to), reason });
    } catch (error) {
      const label = (error as { label?: readonly [string, string] }).label;
      if (!label) throw error;
      throw ruleBroken([`工单 ${order.code}：${label[0]}`, `Order ${order.code}: ${label[1]}`]);
    }
  return orders.map((one) => one.code);
}

function orderHandover(): HandoverKind {
  return {
    kind: 'work_order',
    label: ['未完成工单', 'Open work orders'],
    count: async (db, staffId) => (await openOrdersOf(db, staffId)).length,
    move: (tx, from, to, { platform }) => moveOrders(tx, from, to, platform, '离职交接'),
  };
}

function houseHandover(): HandoverKind {
  return {
    kind: 'housekeeper_house',
    label: ['管辖的房屋', 'Houses looked after'],
    count: (db, staffId) => heldHouses(db, staffId),
    move: async (tx, from, to, { caller }) => {
      const date = businessDayOf(new Date());
      const houses = await moveAllHouses(tx, { from, to, date, reason: '离职交接', by: caller.staffId });
      return [`${houses} 户`];
    },
  };
}

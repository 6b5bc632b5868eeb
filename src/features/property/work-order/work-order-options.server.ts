import { REPORT_MENUS } from '../../../domain/work-order-report/figures.rules.ts';
import { run } from '../../../kernel/server/database.ts';
import { Parameters, placeCondition, type ScopeColumns } from '../../../kernel/server/people/scope.ts';
import type { OptionSource } from '../../../kernel/server/registration.ts';
import { containing } from '../../../kernel/server/resource/like-text.ts';
import { nameOrder } from '../../../kernel/server/resource/name-order.ts';

/** Menus whose forms name people, places, categories and materials of work orders. */
const MENUS = ['cs_workOrder', 'cs_maintenance', 'cs_orderDetail', 'cs_PlaneWorkOrder', 'cs_decoreteApply'];
/** Those and the reports over orders, whose filters name people and categories. */
const READERS = [...MENUS, ...REPORT_MENUS];

interface Source {
  readonly target: string;
  /** Default: the menus with forms. */
  readonly anyOf?: readonly string[];
  /** SQL of rows with id, title, note and what the place and `where` read; alias `x`. */
  readonly rows: string;
  readonly place: Omit<ScopeColumns, 'owner'>;
  readonly order: string;
  /** Rows that may still be chosen; those asked for by id are titled anyway. */
  readonly usable?: string;
  readonly within?: string;
  readonly parent?: boolean;
  /** Rows of no company are everybody's, others those of the own company. */
  readonly standard?: boolean;
}

const source = (spec: Source): OptionSource => ({
  target: spec.target,
  anyOf: spec.anyOf ?? MENUS,
  find: async ({ caller, platform, facts }, query) => {
    const parameters = new Parameters();
    const parts = [placeCondition(caller, spec.place, parameters)];
    if (spec.standard && caller.tenantKind !== 3)
      parts.push(`(x.tenant_id IS NULL OR x.tenant_id = ${parameters.bind(caller.tenantId)})`);
    if (query.ids.length > 0) parts.push(`x.id = ANY(${parameters.bind(query.ids.map(Number))}::bigint[])`);
    else {
      if (spec.usable) parts.push(spec.usable);
      if (spec.within && query.within && query.within.length > 0)
        parts.push(`x.${spec.within} = ANY(${parameters.bind(query.within.map(Number))}::bigint[])`);
      if (query.searchVal) {
        const like = parameters.bind(containing(query.searchVal));
        parts.push(`(x.title ILIKE ${like} OR x.note ILIKE ${like})`);
      }
    }
    const title =
      spec.parent && facts.language === 'en' ? `coalesce(nullif(x.title_en, ''), x.title)` : 'x.title';
    const rows = await run<{ id: number; title: string; note: string; parent?: number | null }>(
      platform.database.db,
      `SELECT x.id, ${title} AS title, x.note${spec.parent ? ', x.parent' : ''} FROM (${spec.rows}) x WHERE ${parts.join(' AND ')}
        ORDER BY ${spec.order}, x.id LIMIT ${parameters.bind(query.limit)} OFFSET ${parameters.bind(query.offset)}`,
      parameters.values,
    );
    return rows.map(({ id, parent, ...row }) => ({
      ...row,
      id: String(id),
      ...(spec.parent ? { parentId: parent === null || parent === undefined ? null : String(parent) } : {}),
    }));
  },
});

/** Staff of the caller's company; platform staff are offered those of every company, each with its department. */
const STAFF = `SELECT s.id, s.name AS title, concat_ws(' · ', d.name, CASE WHEN s.state <> 'normal' THEN '已停用' END) AS note, s.tenant_id, s.state, s.is_service_staff, s.all_projects
   FROM staff s JOIN tenant c ON c.id = s.tenant_id AND c.kind IN (1, 2) LEFT JOIN department d ON d.id = s.department_id`;
/** A person works in a project by name, or in all those of its company. */
const staffPlace: Omit<ScopeColumns, 'owner'> = {
  tenant: 'x.tenant_id',
  project: (ids) =>
    `(EXISTS (SELECT FROM staff_project sp WHERE sp.staff_id = x.id AND sp.project_id = ANY(${ids}::bigint[]))
      OR (x.all_projects AND EXISTS (SELECT FROM tenant_project tp WHERE tp.tenant_id = x.tenant_id AND tp.project_id = ANY(${ids}::bigint[]))))`,
};

/** No place narrows standard rows. */
const STANDARD: Omit<ScopeColumns, 'owner'> = { tenant: 'none', project: 'none' };

/** Pickers of work orders. */
export const workOrderOptions: readonly OptionSource[] = [
  source({
    target: 'workStaff',
    anyOf: READERS,
    rows: STAFF,
    place: staffPlace,
    usable: `x.state <> 'left'`,
    order: nameOrder('x.title'),
  }),
  source({
    target: 'workDepartment',
    anyOf: REPORT_MENUS,
    rows: `SELECT d.id, d.name AS title, c.name AS note, d.tenant_id, d.enabled, cardinality(d.path) AS depth, d.sort
             FROM department d JOIN tenant c ON c.id = d.tenant_id AND c.kind IN (1, 2)`,
    place: {
      tenant: 'x.tenant_id',
      project: (ids) =>
        `EXISTS (SELECT FROM tenant_project tp WHERE tp.tenant_id = x.tenant_id AND tp.project_id = ANY(${ids}::bigint[]))`,
    },
    usable: 'x.enabled',
    order: 'x.note, x.depth, x.sort',
  }),
  source({
    target: 'workHandler',
    rows: STAFF,
    place: staffPlace,
    usable: `x.state = 'normal' AND x.is_service_staff`,
    order: nameOrder('x.title'),
  }),
  source({
    target: 'workHouse',
    rows: `SELECT h.id, h.project_id, b.name || ' ' || u.name || ' ' || h.number AS title, p.name AS note
             FROM house h JOIN building_unit u ON u.id = h.unit_id JOIN building b ON b.id = u.building_id JOIN project p ON p.id = h.project_id WHERE h.merged_into_id IS NULL`,
    place: { tenant: 'none', project: 'x.project_id' },
    within: 'project_id',
    order: 'x.note, x.title',
  }),
  source({
    target: 'workBuilding',
    rows: 'SELECT b.id, b.project_id, b.name AS title, p.name AS note FROM building b JOIN project p ON p.id = b.project_id',
    place: { tenant: 'none', project: 'x.project_id' },
    within: 'project_id',
    order: 'x.note, x.title',
  }),
  source({
    target: 'workMaterial',
    rows: `SELECT m.id, m.project_id, m.tenant_id, m.enabled, trim(m.name || ' ' || m.spec) AS title, p.name || ' · ' || m.stock || m.unit AS note
             FROM material m JOIN project p ON p.id = m.project_id`,
    place: { tenant: 'x.tenant_id', project: 'x.project_id' },
    usable: 'x.enabled AND EXISTS (SELECT FROM material m WHERE m.id = x.id AND m.stock > 0)',
    within: 'project_id',
    order: 'x.note, x.title',
  }),
  {
    ...source({
      target: 'workCategory',
      anyOf: READERS,
      rows: `SELECT c.id, c.name AS title, c.name_en AS title_en, c.code AS note, c.parent_id AS parent, c.enabled, c.tenant_id,
                    (WITH RECURSIVE up AS (SELECT k.parent_id, ARRAY[k.position, k.id::integer] AS place FROM work_category k WHERE k.id = c.id
                       UNION ALL SELECT k.parent_id, ARRAY[k.position, k.id::integer] || up.place FROM work_category k JOIN up ON k.id = up.parent_id)
                     SELECT place FROM up WHERE parent_id IS NULL) AS place FROM work_category c`,
      place: STANDARD,
      usable: 'x.enabled',
      order: 'x.place',
      parent: true,
      standard: true,
    }),
  },
];

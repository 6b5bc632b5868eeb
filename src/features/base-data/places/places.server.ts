import { z } from 'zod';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { run, type Executor } from '../../../kernel/server/database.ts';
import { Parameters, placeCondition } from '../../../kernel/server/people/scope.ts';
import { defineRegistration, endpoint, type OptionSource } from '../../../kernel/server/registration.ts';
import { nodesInScope } from '../../../domain/places/node-scope.server.ts';
import { isFound } from '../../../domain/places/spelling.server.ts';
import { buildingOptions } from '../../../domain/residents/residents.server.ts';

/** A project with the places it hangs under. */
interface ProjectPlace {
  readonly id: number;
  readonly code: string;
  readonly name: string;
  readonly unitId: number;
  readonly unitName: string;
  readonly centreId: number;
  readonly centreName: string;
  readonly cityCode: string | null;
  readonly cityName: string | null;
  readonly enabled: boolean;
}

const PROJECT_SCOPE = { tenant: 'none', project: 'p.id' } as const;
const keyword = z.string().max(100).default('');
const paged = {
  searchVal: keyword,
  page: z.coerce.number().int().min(1).max(100_000).default(1),
  limit: z.coerce.number().int().min(1).max(200).default(10),
};
const idText = z
  .union([z.string().regex(/^\d{0,15}$/), z.number().int().nonnegative()])
  .transform(String)
  .optional();
const stopped = z.union([z.string(), z.number(), z.boolean()]).optional();

/** Pickers of places: centre cities, management units, projects, cities. Rows are those of the caller's scope. */
export const registration = defineRegistration({
  endpoints: [
    endpoint({
      method: 'POST',
      path: '/jinmao/web/baseCentre/queryCentreCityPC',
      title: ['中心城市列表', 'Centre cities'],
      access: 'staff',
      body: z.strictObject({ ...paged, companyId: idText, includeStopped: stopped }),
      handle: async (call) => {
        const { db } = call.platform.database;
        const query = { includeStopped: isSaid(call.body.includeStopped) };
        const centres = await nodesInScope(db, call.caller, { ...query, kind: 'centre_city' });
        const projects = await projectsInScope(db, call.caller, query);
        const company = Number(call.body.companyId || 0);
        const wanted = centres
          // Those of companies below the company too.
          .filter((centre) => !company || centre.path.includes(company))
          .filter((centre) => isFound([centre.name, centre.code, centre.regionName], call.body.searchVal));
        return slice(wanted, call.body, (centre) => ({
          id: String(centre.id),
          centreCode: centre.code,
          centreName: centre.name,
          cityName: centre.regionName ?? '',
          regionCode: centre.regionCode ?? '',
          projectCount: projects.filter((project) => project.centreId === centre.id).length,
          enableStatus: centre.enabled ? 1 : 0,
        }));
      },
    }),
    endpoint({
      method: 'POST',
      path: '/jinmao/web/baseManage/queryBaseManage',
      title: ['管理单元列表', 'Management units'],
      access: 'staff',
      body: z.strictObject({ ...paged, centreId: idText, includeStopped: stopped }),
      handle: async (call) => {
        const units = await unitsInScope(
          call.platform.database.db,
          call.caller,
          isSaid(call.body.includeStopped),
        );
        const wanted = units
          .filter((unit) => !call.body.centreId || String(unit.centreId) === call.body.centreId)
          .filter((unit) => isFound([unit.name, unit.code], call.body.searchVal));
        return slice(wanted, call.body, (unit) => ({
          id: String(unit.id),
          manageCode: unit.code,
          manageName: unit.name,
          centreId: String(unit.centreId),
          centreName: unit.centreName,
          projectCount: unit.projectCount,
          enableStatus: unit.enabled ? 1 : 0,
        }));
      },
    }),
    endpoint({
      method: 'POST',
      path: '/jinmao/web/baseCentreProject/queryCentreProject',
      title: ['中心城市项目', 'Projects of centre cities'],
      access: 'staff',
      body: z.strictObject({ ...paged, centreId: idText, manageId: idText, includeStopped: stopped }),
      handle: async (call) => {
        const projects = await projectsInScope(call.platform.database.db, call.caller, {
          includeStopped: isSaid(call.body.includeStopped),
          searchVal: call.body.searchVal,
        });
        const wanted = projects
          .filter((project) => !call.body.centreId || String(project.centreId) === call.body.centreId)
          .filter((project) => !call.body.manageId || String(project.unitId) === call.body.manageId);
        return slice(wanted, call.body, (project) => ({
          projectId: String(project.id),
          projectName: project.name,
          centreId: String(project.centreId),
          centreName: project.centreName,
          manageId: String(project.unitId),
          manageName: project.unitName,
        }));
      },
    }),
    endpoint({
      method: 'GET',
      path: '/jinmao/web/baseCentre/getBaseCentreCityList',
      title: ['中心城市选项', 'Centre city choices'],
      access: 'staff',
      query: z.strictObject({ searchVal: keyword }),
      handle: async (call) => {
        const centres = await nodesInScope(call.platform.database.db, call.caller, { kind: 'centre_city' });
        return centres
          .filter((centre) => isFound([centre.name, centre.code, centre.regionName], call.query.searchVal))
          .map((centre) => ({
            id: String(centre.id),
            centreName: centre.name,
            cityName: centre.regionName ?? '',
          }));
      },
    }),
    endpoint({
      method: 'GET',
      path: '/jinmao/web/baseProject/getCityPC',
      title: ['城市选项', 'City choices'],
      access: 'staff',
      query: z.strictObject({ searchVal: keyword }),
      handle: async (call) => {
        const projects = await projectsInScope(call.platform.database.db, call.caller, {});
        const cities = new Map<string, { cityCode: string; cityName: string; projectCount: number }>();
        for (const project of projects) {
          if (!project.cityCode) continue;
          const city = cities.get(project.cityCode) ?? {
            cityCode: project.cityCode,
            cityName: project.cityName ?? '',
            projectCount: 0,
          };
          cities.set(project.cityCode, { ...city, projectCount: city.projectCount + 1 });
        }
        return [...cities.values()].filter((city) =>
          isFound([city.cityName, city.cityCode], call.query.searchVal),
        );
      },
    }),
    endpoint({
      method: 'GET',
      path: '/jinmao/web/baseProject/getServiceCenterList',
      title: ['管理单元选项', 'Management unit choices'],
      access: 'staff',
      query: z.strictObject({ centreId: idText, cityCode: z.string().max(12).optional() }),
      handle: async (call) => {
        const [units, projects] = await Promise.all([
          unitsInScope(call.platform.database.db, call.caller, false),
          projectsInScope(call.platform.database.db, call.caller, {}),
        ]);
        const inCity = new Set(
          projects
            .filter((project) => project.cityCode === call.query.cityCode)
            .map((project) => project.unitId),
        );
        return units
          .filter((unit) => !call.query.centreId || String(unit.centreId) === call.query.centreId)
          .filter((unit) => !call.query.cityCode || inCity.has(unit.id))
          .map((unit) => ({ id: String(unit.id), name: unit.name, centreId: String(unit.centreId) }));
      },
    }),
    endpoint({
      method: 'GET',
      path: '/jinmao/web/baseTenant/getCenterCitys',
      title: ['中心城市公司', 'Centre city tenants'],
      access: 'staff',
      query: z.strictObject({ searchVal: keyword }),
      handle: async (call) => {
        const { db } = call.platform.database;
        const parameters = new Parameters();
        const mine = seesAllPlaces(call.caller)
          ? []
          : (await projectsInScope(db, call.caller, { includeStopped: true })).map((project) => project.id);
        const scope = seesAllPlaces(call.caller)
          ? 'TRUE'
          : `t.id = ${parameters.bind(call.caller.tenantId)} OR EXISTS (SELECT 1 FROM tenant_project tp WHERE tp.tenant_id = t.id AND tp.project_id = ANY(${parameters.bind(mine)}::bigint[]))`;
        const rows = await run<{ id: number; name: string; city: string | null; centre_id: number | null }>(
          db,
          `SELECT t.id, t.name, r.name AS city, o.id AS centre_id FROM tenant t
           LEFT JOIN organisation o ON o.tenant_id = t.id AND o.kind = 'centre_city' LEFT JOIN region r ON r.id = o.region_id
           WHERE t.kind = 4 AND t.enabled AND (${scope}) ORDER BY t.id`,
          parameters.values,
        );
        return rows
          .filter((row) => isFound([row.name, row.city], call.query.searchVal))
          .map((row) => ({
            id: String(row.id),
            tenantName: row.name,
            cityName: row.city ?? '',
            centreId: row.centre_id === null ? null : String(row.centre_id),
          }));
      },
    }),
    endpoint({
      method: 'GET',
      path: '/jinmao/web/baseProject/getProjectListForPC',
      title: ['项目选项', 'Project choices'],
      access: 'staff',
      query: z.strictObject({ searchVal: keyword }),
      handle: async (call) =>
        (
          await projectsInScope(call.platform.database.db, call.caller, { searchVal: call.query.searchVal })
        ).map((project) => ({ id: String(project.id), projectName: project.name })),
    }),
    endpoint({
      method: 'GET',
      path: '/jinmao/web/bizProduct/getTenantProjectListPc',
      title: ['本租户项目', 'Projects of the own tenant'],
      access: 'staff',
      handle: async (call) =>
        tenantProjects(call.platform.database.db, call.caller, call.caller.tenantId, ''),
    }),
    endpoint({
      method: 'GET',
      path: '/jinmao/web/baseTenantProject/queryProjectList',
      title: ['租户项目', 'Projects of a tenant'],
      access: 'staff',
      query: z.strictObject({ tenantId: idText, searchVal: keyword }),
      handle: async (call) => {
        // Another tenant's id from a merchant or company is ignored: its own is used.
        const own = call.caller.tenantKind === 1 || call.caller.tenantKind === 2 || !call.query.tenantId;
        return tenantProjects(
          call.platform.database.db,
          call.caller,
          own ? call.caller.tenantId : Number(call.query.tenantId),
          call.query.searchVal,
        );
      },
    }),
  ],
  options: [
    projectOptions(),
    centreOptions(),
    ...buildingOptions([
      'ssm_registrationDetails',
      'ssm_registerByHouse',
      'mm_targetedCoupons',
      'cs_propertyChargingBill',
      'cs_promanager',
      'cs_housekeepManager',
      'cs_houseEnquiry',
      'positionList',
      'proAdministration',
    ]),
  ],
});

/** Projects the caller may see, enabled ones unless told otherwise. */
export async function projectsInScope(
  db: Executor,
  caller: Caller,
  query: { searchVal?: string; includeStopped?: boolean },
): Promise<ProjectPlace[]> {
  const parameters = new Parameters();
  const parts = [placeCondition(caller, PROJECT_SCOPE, parameters)];
  // A merchant without a list of own projects works in all projects of its agreement, and in no other.
  if (caller.tenantKind === 2)
    parts.push(
      `p.id IN (SELECT project_id FROM tenant_project WHERE tenant_id = ${parameters.bind(caller.tenantId)})`,
    );
  if (!query.includeStopped) parts.push('p.enabled');
  const rows = await run<ProjectPlace>(
    db,
    `SELECT p.id, p.code, p.name, p.enabled, u.id AS "unitId", u.name AS "unitName", c.id AS "centreId", c.name AS "centreName", r.code AS "cityCode", r.name AS "cityName"
     FROM project p JOIN organisation u ON u.id = p.unit_id JOIN organisation c ON c.id = p.centre_id LEFT JOIN region r ON r.id = c.region_id
     WHERE ${parts.join(' AND ')} ORDER BY p.id`,
    parameters.values,
  );
  return rows.filter((row) => isFound([row.name, row.code], query.searchVal ?? ''));
}

/** What a flag of the query says: `1`, `true`, true. */
const isSaid = (flag: unknown): boolean => flag === true || flag === 1 || flag === '1' || flag === 'true';

/** Platform staff without own projects see places without any project too; everybody else those of their projects. */
function seesAllPlaces(caller: Caller): boolean {
  return caller.tenantKind === 3 && caller.projectIds === null;
}

async function unitsInScope(db: Executor, caller: Caller, includeStopped: boolean) {
  const units = await nodesInScope(db, caller, { kind: 'management_unit', includeStopped });
  const projects = await projectsInScope(db, caller, { includeStopped });
  return units.map((unit) => ({
    ...unit,
    centreId: unit.parentId,
    centreName: unit.parentName ?? '',
    projectCount: projects.filter((project) => project.unitId === unit.id).length,
  }));
}

async function tenantProjects(db: Executor, caller: Caller, tenantId: number, searchVal: string) {
  const allowed = new Set((await projectsInScope(db, caller, { searchVal })).map((project) => project.id));
  const rows = await run<{ id: number; name: string }>(
    db,
    'SELECT p.id, p.name FROM tenant_project tp JOIN project p ON p.id = tp.project_id WHERE tp.tenant_id = $1 AND p.enabled ORDER BY p.id',
    [tenantId],
  );
  return rows
    .filter((row) => allowed.has(row.id))
    .map((row) => ({ id: String(row.id), projectName: row.name }));
}

function projectOptions(): OptionSource {
  return {
    target: 'project',
    find: async (call, query) => {
      const projects = await projectsInScope(call.platform.database.db, call.caller, {
        searchVal: query.searchVal,
      });
      const wanted =
        query.ids.length > 0
          ? projects.filter((project) => query.ids.includes(String(project.id)))
          : projects;
      return wanted
        .slice(query.offset, query.offset + query.limit)
        .map((project) => ({ id: String(project.id), title: project.name, note: project.centreName }));
    },
  };
}

function centreOptions(): OptionSource {
  return {
    target: 'centreCity',
    find: async (call, query) => {
      // A centre that is named already keeps its name when it is stopped or merged.
      const asked = query.ids.length > 0;
      const centres = await nodesInScope(call.platform.database.db, call.caller, {
        kind: 'centre_city',
        includeStopped: asked,
        merged: asked,
      });
      return centres
        .filter((centre) =>
          asked
            ? query.ids.includes(String(centre.id))
            : isFound([centre.name, centre.code], query.searchVal),
        )
        .slice(query.offset, query.offset + query.limit)
        .map((centre) => ({ id: String(centre.id), title: centre.name }));
    },
  };
}

function slice<T, W>(
  rows: readonly T[],
  query: { page: number; limit: number },
  wire: (row: T) => W,
): { total: number; rows: W[] } {
  return {
    total: rows.length,
    rows: rows.slice((query.page - 1) * query.limit, query.page * query.limit).map(wire),
  };
}

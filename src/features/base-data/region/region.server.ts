import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Label } from '../../../kernel/contract/label.ts';
import { fill } from '../../../kernel/contract/label.ts';
import { run, runOne, type Executor } from '../../../kernel/server/database.ts';
import { forbidden, invalid, ruleBroken } from '../../../kernel/server/http/errors.ts';
import { isSystem, type Caller } from '../../../kernel/server/people/caller.ts';
import { Parameters } from '../../../kernel/server/people/scope.ts';
import { endpoint, type OptionSource } from '../../../kernel/server/registration.ts';
import { bindResource, type BoundResource } from '../../../kernel/server/resource/bind.ts';
import { containing } from '../../../kernel/server/resource/like-text.ts';
import type { ActionContext } from '../../../kernel/server/resource/run-action.ts';
import {
  levelOfCode,
  MUNICIPALITIES,
  parentCodeOf,
  type RegionNode,
} from '../../../domain/region/region.rules.ts';
import { wordsOf } from '../../../domain/region/region-words.server.ts';
import {
  requireAboveEnabled,
  withEverythingBelow,
  type BelowSpec,
} from '../../../kernel/server/resource/enable-below.ts';
import { replaceRegion } from './replace-region.server.ts';
import { projectsSeen, requireNoProjects, showFigures } from './region-figures.server.ts';
import { regionImport } from './region-import.server.ts';
import { region } from './region.contract.ts';

const PLATFORM_ONLY: Label = ['区域由平台维护', 'Regions are kept by the platform'];
const REPLACED: Label = ['已被替代，不能启用', 'It was replaced and cannot be enabled'];

const BELOW: BelowSpec = {
  table: 'region',
  parent: 'parent_id',
  stays: 'replaced_by IS NOT NULL',
  above: ['上级区域已停用，请先启用上级', 'The region above is stopped, enable it first'],
};

const byPlatform = (caller: Caller): Label | undefined =>
  caller.tenantKind === 3 || isSystem(caller) ? undefined : PLATFORM_ONLY;

const bound: BoundResource = bindResource(region, {
  table: 'region',
  joins: { parent: 'region', replacedBy: { table: 'region', column: 'replaced_by' } },
  columns: {
    // The one city of a municipality is called like it: named once.
    fullName: `(SELECT coalesce(p2.name, '') || CASE WHEN p1.name IS DISTINCT FROM p2.name THEN coalesce(p1.name, '') ELSE '' END || CASE WHEN t.level = 2 AND t.name = p1.name THEN '' ELSE t.name END
      FROM (SELECT) one LEFT JOIN region p1 ON p1.id = t.parent_id LEFT JOIN region p2 ON p2.id = p1.parent_id)`,
    level: 't.level::text',
    hasProjects: 'EXISTS (SELECT 1 FROM project p WHERE p.region_id = t.id)',
    // Figures depend on what the caller sees: `present` reads them for the rows of a page.
    projects: '0',
    noDelivery: '0',
    below: '0',
  },
  writes: { position: 'sort' },
  // Regions are shared by all tenants: holders of the menu read them, the platform changes them.
  scope: { tenant: 'none', project: 'none', owner: 't.created_by' },
  search: 't.search',
  optionNote: `t.code`,
  filters: {
    hasProjects: (value, parameters, caller) =>
      `${value === 'true' ? '' : 'NOT '}t.id IN (WITH RECURSIVE up AS (
         SELECT coalesce(p.region_id, c.region_id) AS id FROM project p JOIN organisation c ON c.id = p.centre_id WHERE ${projectsSeen(caller, parameters)}
         UNION SELECT r.parent_id FROM region r JOIN up ON r.id = up.id WHERE r.parent_id IS NOT NULL)
         SELECT id FROM up WHERE id IS NOT NULL)`,
  },
  extra: {
    uses: '(SELECT count(*)::int FROM project p WHERE p.region_id = t.id)',
    replaced: 't.replaced_by',
  },
  ruleReads: ['uses', 'source', 'replaced'],
  rowRules: {
    update: (_row, caller) => byPlatform(caller),
    enable: (row, caller) => byPlatform(caller) ?? (row.replaced === null ? undefined : REPLACED),
    disable: (_row, caller) => byPlatform(caller),
    replace: (row, caller) =>
      byPlatform(caller) ?? (row.replaced === null ? undefined : ['已被替代', 'It was replaced already']),
    remove: (row, caller) =>
      byPlatform(caller) ??
      (row.source === 'own'
        ? undefined
        : Number(row.uses) > 0
          ? usedText(Number(row.uses))
          : ['国家名录的区域只能停用', 'Regions of the national list can only be stopped']),
  },
  inUse: (uses) => {
    const below = uses.find((use) => use.table === 'region')?.count ?? 0;
    return below > 0
      ? fill(['下有 {n} 个区域，不能删除', '{n} {n|region|regions} below, it cannot be deleted'], {
          n: below,
        })
      : usedText(uses.reduce((sum, use) => sum + use.count, 0));
  },
  present: showFigures,
  before: [prepare, (context) => requireAboveEnabled(context, BELOW)],
  after: [withEverythingBelow(() => bound, BELOW)],
  createDefaults: async () => ({ source: 'own' }),
  checks: { disable: ({ tx, id }) => requireNoProjects(tx, id) },
  handlers: { replace: replaceRegion },
  endpoints: [
    endpoint({
      method: 'GET',
      path: '/jinmao/web/bizRegion/getAllRegionListPc',
      title: ['地区', 'Regions'],
      access: 'staff',
      rawReply: true,
      query: z.strictObject({
        level: z.coerce.number().int().min(1).max(3).optional(),
        parentCode: z.string().max(12).optional(),
      }),
      handle: async (call) => {
        const tree = await regionTree(
          call.platform.database.db,
          call.query.level ?? 3,
          call.query.parentCode,
        );
        const body = JSON.stringify({ status: 200, message: '', data: tree });
        const tag = `"${createHash('sha1').update(body).digest('hex')}"`;
        call.reply
          .header('ETag', tag)
          .header('Cache-Control', 'private, no-cache')
          .type('application/json; charset=utf-8');
        return call.request.headers['if-none-match'] === tag
          ? call.reply.code(304).send()
          : call.reply.send(body);
      },
    }),
  ],
  also: {
    imports: [regionImport(() => bound)],
    options: [regionOptions('region', 3), regionOptions('regionAbove', 2)],
  },
});

/** Regions of China. */
export const registration = bound.registration;

function usedText(n: number): Label {
  return fill(['已被 {n} 个项目/地址使用，只能停用', 'Used by {n} projects or addresses'], { n });
}

/** The code must stand below that of the parent; level and the words to search by follow from code and name. */
async function prepare({ action, tx, caller, input, columns }: ActionContext): Promise<void> {
  if (action === 'create') {
    const refused = byPlatform(caller);
    if (refused) throw forbidden(refused);
    const parent = await runOne<{ code: string; level: number; enabled: boolean }>(
      tx,
      'SELECT code, level, enabled FROM region WHERE id = $1 FOR SHARE',
      [input.parent],
    );
    const code = String(input.code);
    if (!parent || parentCodeOf(code) !== parent.code || levelOfCode(code) !== parent.level + 1) {
      const label: Label = ['编码与上级不符', 'Code does not match the parent'];
      throw invalid({ code: label }, label);
    }
    if (!parent.enabled) throw ruleBroken(BELOW.above);
    columns.level = parent.level + 1;
  }
  if (typeof columns.name === 'string') Object.assign(columns, wordsOf(columns.name));
}

async function regionTree(
  db: Executor,
  deepest: number,
  parentCode: string | undefined,
): Promise<RegionNode[]> {
  const rows = await run<{ id: number; code: string; name: string; level: number; parent_id: number | null }>(
    db,
    'SELECT id, code, name, level, parent_id FROM region WHERE enabled AND level <= $1 ORDER BY level, sort, code',
    [deepest],
  );
  type Growing = RegionNode & { readonly children: RegionNode[] };
  const nodes = new Map<number, Growing>();
  const roots: Growing[] = [];
  let start: Growing | undefined;
  for (const { id, code, name, level, parent_id: parentId } of rows) {
    const node: Growing = { id: String(id), code, name, level, children: [] };
    nodes.set(id, node);
    if (code === parentCode) start = node;
    if (parentId === null) roots.push(node);
    else nodes.get(parentId)?.children.push(node);
  }
  return parentCode === undefined ? roots : (start?.children ?? []);
}

/**
 * Enabled regions by name, code, pinyin or initials, down to a level. The one city of a municipality is found under the
 * municipality's own name; asked for by id, every region has its title.
 */
function regionOptions(target: string, deepest: number): OptionSource {
  const cities = [...MUNICIPALITIES].map((code) => `'${code}'`).join(', ');
  return {
    target,
    find: async ({ platform }, query) => {
      const parameters = new Parameters();
      const parts =
        query.ids.length > 0
          ? [`t.id = ANY(${parameters.bind(query.ids.map(Number))}::bigint[])`]
          : ['t.enabled', `t.level <= ${deepest}`];
      if (query.searchVal)
        parts.push(`t.search LIKE ${parameters.bind(containing(query.searchVal.toLowerCase()))}`);
      const rows = await run<{ id: number; title: string; note: string; parent: number | null }>(
        platform.database.db,
        `SELECT t.id, t.name AS title, t.code || coalesce(' ' || nullif(concat(p2.name, CASE WHEN p1.name IS DISTINCT FROM p2.name THEN p1.name END), ''), '') AS note,
                CASE WHEN p2.code IN (${cities}) THEN p2.id ELSE t.parent_id END AS parent
           FROM region t LEFT JOIN region p1 ON p1.id = t.parent_id LEFT JOIN region p2 ON p2.id = p1.parent_id
          WHERE ${parts.join(' AND ')} ORDER BY t.level, t.code LIMIT ${parameters.bind(query.limit)} OFFSET ${parameters.bind(query.offset)}`,
        parameters.values,
      );
      return rows.map((row) => ({
        id: String(row.id),
        title: row.title,
        note: row.note,
        parentId: row.parent === null ? null : String(row.parent),
      }));
    },
  };
}

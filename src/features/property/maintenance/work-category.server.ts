import { run, runOne } from '../../../kernel/server/database.ts';
import { invalid } from '../../../kernel/server/http/errors.ts';
import { containing } from '../../../kernel/server/resource/like-text.ts';
import { bindResource } from '../../../kernel/server/resource/bind.ts';
import type { Binding } from '../../../kernel/server/resource/binding.ts';
import type { ActionContext } from '../../../kernel/server/resource/run-action.ts';
import { ownerOfNew, ownRule, STANDARD_SCOPE, standardRules } from './standard-rows.server.ts';
import { workCategory } from './work-category.contract.ts';

/** Dragging is an action of the tree, beside the declared ones. */
const RULES: Binding['rowRules'] = { ...standardRules, move: ownRule };

const bound = bindResource(workCategory, {
  table: 'work_category',
  from: `work_category t LEFT JOIN dictionary_type dt ON dt.code = 'staff_skill' LEFT JOIN dictionary_value dv ON dv.type_id = dt.id AND dv.value = t.skill`,
  scope: STANDARD_SCOPE,
  search: `lower(t.code || ' ' || t.name)`,
  columns: { skill: { id: 'dv.id', title: 'dv.name' }, standard: 't.tenant_id IS NULL' },
  joins: {
    parent: { table: 'work_category', titleEn: 'name_en' },
    slaPolicy: { table: 'sla_policy' },
  },
  writes: { skill: false },
  unique: { work_category_code: ['编码已存在', 'The code is taken'] },
  rowRules: RULES,
  ruleReads: ['standard'],
  filters: {
    standard: (value) => (value === 'true' ? 't.tenant_id IS NULL' : 't.tenant_id IS NOT NULL'),
  },
  before: [ownerOfNew, check],
  usedBy: {
    work_order: ['工单', 'work orders'],
    work_category: ['下级分类', 'categories below'],
    dispatch_rule: ['派单规则', 'dispatch rules'],
    sla_policy: ['时效策略', 'policies'],
  },
  also: {
    options: [
      {
        target: 'workSkill',
        anyOf: [workCategory.menu, 'cs_promanager'],
        find: async ({ platform, facts }, query) => {
          const rows = await run<{ id: number; title: string }>(
            platform.database.db,
            `SELECT v.id, ${facts.language === 'zh' ? 'v.name' : 'v.name_en'} AS title FROM dictionary_value v JOIN dictionary_type d ON d.id = v.type_id
              WHERE d.code = 'staff_skill' AND CASE WHEN cardinality($1::bigint[]) > 0 THEN v.id = ANY($1::bigint[]) ELSE v.name ILIKE $2 OR v.name_en ILIKE $2 END
              ORDER BY v.position, v.id LIMIT $3 OFFSET $4`,
            [query.ids.map(Number), containing(query.searchVal), query.limit, query.offset],
          );
          return rows.map((row) => ({ id: String(row.id), title: row.title }));
        },
      },
    ],
  },
});

/** Categories of work orders. */
export const registration = bound.registration;

/** The skill by its dictionary, the class of the category above, and no foreign company's category above. */
async function check({ tx, action, input, row, columns, caller }: ActionContext): Promise<void> {
  if (action !== 'create' && action !== 'update' && action !== 'move') return;
  if (action !== 'move' && input.skill !== undefined) {
    const skill =
      input.skill === null
        ? null
        : await runOne<{ value: string }>(
            tx,
            `SELECT v.value FROM dictionary_value v JOIN dictionary_type d ON d.id = v.type_id WHERE d.code = 'staff_skill' AND v.id = $1`,
            [input.skill],
          );
    if (skill === undefined) throw invalid({ skill: ['没有此选项', 'There is no such choice'] });
    columns.skill = skill?.value ?? null;
  }
  if (action !== 'move') {
    if (columns.certificate === '') columns.certificate = null;
  }
  const parent = input.parent;
  if (typeof parent !== 'number') return;
  const above = await runOne<{ class: string; tenant_id: number | null }>(
    tx,
    'SELECT class, tenant_id FROM work_category WHERE id = $1',
    [parent],
  );
  if (above && above.class !== (input.class ?? row.class))
    throw invalid({ parent: ['上级分类的工单类别不同', 'The category above is of the other class'] });
  if (above && above.tenant_id !== null && caller.tenantKind === 3)
    throw invalid({
      parent: ['标准分类不能放在公司分类下', 'A standard one cannot stand below one of a company'],
    });
}

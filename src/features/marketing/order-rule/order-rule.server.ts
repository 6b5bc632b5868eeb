import { productInScopeSql } from '../../../domain/order-rule/order-lines.server.ts';
import {
  filteredProjects,
  inReach,
  projectsInReach,
} from '../../../domain/permission/project-reach.server.ts';
import type { RefValue } from '../../../kernel/contract/fields.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import { isBusinessDay } from '../../../kernel/contract/time.rules.ts';
import { run, runOne, type Executor } from '../../../kernel/server/database.ts';
import { invalid, ruleBroken } from '../../../kernel/server/http/errors.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { Parameters, placeCondition, type ScopeColumns } from '../../../kernel/server/people/scope.ts';
import type { DbRow, Link } from '../../../kernel/server/resource/binding.ts';
import type { ActionContext } from '../../../kernel/server/resource/run-action.ts';
import type { RuleOverlap } from './order-rule-fields.ts';
import { fromInput } from '../../../kernel/server/resource/abilities/sets.ts';
import { TODAY } from '../../../kernel/server/today.ts';

/** Names of the tables of one kind of rules: `points_return`, `coin_deduction`. */
export type RulePrefix = 'points_return' | 'coin_deduction';

/** Rules lie in all their projects; `rule` is the SQL of the rule's id. */
export const ruleScope = (prefix: RulePrefix, rule = 't.id', owner = 't.created_by'): ScopeColumns => ({
  tenant: 'NULL::bigint',
  project: (ids) =>
    `EXISTS (SELECT FROM ${prefix}_project p WHERE p.rule_id = ${rule} AND p.project_id = ANY(${ids}::bigint[]))`,
  owner,
});

/** What both kinds of rules bind alike. */
export function ruleBinding(prefix: RulePrefix) {
  const link = (name: string, other: string, to: string): Link => ({
    table: `${prefix}_${name}`,
    own: 'rule_id',
    other,
    to,
  });
  return {
    links: {
      projects: link('project', 'project_id', 'project'),
      merchants: link('merchant', 'tenant_id', 'tenant'),
      businesses: link('business', 'business_id', 'business'),
      classes: link('class', 'class_id', 'product_class'),
      products: link('product', 'product_id', 'product'),
      excluded: link('excluded', 'product_id', 'product'),
    },
    columns: {
      period: 't.starts_on',
      phase: `(CASE WHEN t.ends_on < ${TODAY} THEN 'ended' WHEN t.starts_on > ${TODAY} THEN 'before' ELSE 'running' END)`,
      versionNo: `(SELECT max(v.no) FROM ${prefix}_version v WHERE v.rule_id = t.id)`,
    },
    writes: { period: false },
    filters: {
      projects: (value: string, parameters: Parameters, caller: Caller) =>
        `EXISTS (SELECT FROM ${prefix}_project p WHERE p.rule_id = t.id AND p.project_id = ANY(${parameters.bind(filteredProjects(caller, 'projects', value))}::bigint[]))`,
      // Rules that hold on some day of the range.
      period: (value: string, parameters: Parameters): string | Label => {
        const [from = '', to = '', more] = value.split('~');
        if (more !== undefined || [from, to].some((day) => day !== '' && !isBusinessDay(day)))
          return ['范围不正确', 'The range is not valid'];
        const parts = [];
        if (from) parts.push(`t.ends_on >= ${parameters.bind(from)}::date`);
        if (to) parts.push(`t.starts_on <= ${parameters.bind(to)}::date`);
        return parts.length === 0 ? 'TRUE' : `(${parts.join(' AND ')})`;
      },
    },
    scope: ruleScope(prefix),
    search: `lower(t.code || ' ' || t.name)`,
    extra: {
      projectIds: `ARRAY(SELECT p.project_id FROM ${prefix}_project p WHERE p.rule_id = t.id)`,
      over: `(t.ends_on < ${TODAY})`,
    },
    ruleReads: ['projectIds', 'over'],
    rowRules: {
      update: inReach,
      stop: inReach,
      remove: inReach,
      enable: (row: DbRow, caller: Caller): Label | undefined =>
        inReach(row, caller) ?? (row.over ? ['有效期已结束', 'Its period is over'] : undefined),
    },
    sets: {
      enable: { stop_reason: '' },
      stop: { stop_reason: fromInput('reason') },
      expire: { stop_reason: ENDED[0] },
    },
  } as const;
}

/** Stored reason of a rule whose period is over. */
export const ENDED: Label = ['有效期已结束', 'Its period is over'];

/** Projects of a row as this caller may read them. */
export function showProjects(rows: readonly DbRow[], caller: Caller): void {
  for (const row of rows)
    if (row.projects) row.projects = projectsInReach(caller, row.projects as readonly RefValue[]);
}

/** A value of the form as it will stand: from the input, else from the row. */
export const standing =
  ({ input, row }: Pick<ActionContext, 'input' | 'row'>) =>
  (field: string, column: string): unknown =>
    field in input ? input[field] : row[column];

/** Refuses a period that ends before it starts. */
export function checkPeriod(context: ActionContext): void {
  const value = standing(context);
  const [from, to] = [value('startsOn', 'starts_on'), value('endsOn', 'ends_on')];
  if (from && to && String(to) < String(from))
    throw invalid({ endsOn: ['结束日期不能早于开始日期', 'The end lies before the start'] });
  // An enabled rule keeps running or is stopped with its reason.
  if (
    context.row.state === 'enabled' &&
    to &&
    String(to) < new Date(Date.now() + 8 * 3_600_000).toISOString().slice(0, 10)
  )
    throw invalid({ endsOn: ['已启用的规则请直接停用', 'An enabled rule is stopped instead'] });
}

/** Keeps what an enabled rule says as a version; orders keep the one they were priced with. */
export async function keepVersion(
  prefix: RulePrefix,
  { tx, action, caller }: ActionContext,
  id: number,
): Promise<void> {
  if (action !== 'update' && action !== 'enable') return;
  await run(
    tx,
    `INSERT INTO ${prefix}_version (rule_id, no, terms, made_by)
     SELECT t.id, coalesce(l.no, 0) + 1, ${prefix}_terms(t), $2
       FROM ${prefix}_rule t LEFT JOIN LATERAL (SELECT v.no, v.terms FROM ${prefix}_version v WHERE v.rule_id = t.id ORDER BY v.no DESC LIMIT 1) l ON TRUE
      WHERE t.id = $1 AND t.state = 'enabled' AND l.terms IS DISTINCT FROM ${prefix}_terms(t)`,
    [id, caller.staffId],
  );
}

/** Most products of an overlap that are named. */
const NAMED = 10;

/** Enabled rules of the same priority with some of the same goods and days, and which goods. Of points-return rules: of the same asset. */
export async function overlapsOf(
  db: Executor,
  prefix: RulePrefix,
  id: number,
  caller: Caller,
): Promise<readonly RuleOverlap[]> {
  const parameters = new Parameters();
  const own = parameters.bind(id);
  const seen = placeCondition(caller, ruleScope(prefix), parameters);
  const asset = prefix === 'points_return' ? 'AND t.asset = me.asset' : '';
  const others = await run<{
    id: number;
    code: string;
    name: string;
    mine: object;
    terms: object;
    projects: number[];
  }>(
    db,
    `SELECT t.id, t.code, t.name, ${prefix}_terms(me) AS mine, ${prefix}_terms(t) AS terms,
            ARRAY(SELECT x.project_id FROM ${prefix}_project x JOIN ${prefix}_project y ON y.project_id = x.project_id AND y.rule_id = me.id WHERE x.rule_id = t.id) AS projects
       FROM ${prefix}_rule me JOIN ${prefix}_rule t ON t.id <> me.id AND t.state = 'enabled' AND t.priority = me.priority ${asset}
      WHERE me.id = ${own} AND ${seen} AND daterange(t.starts_on, t.ends_on, '[]') && daterange(me.starts_on, me.ends_on, '[]')
      ORDER BY t.id LIMIT 20`,
    parameters.values,
  );
  const found: RuleOverlap[] = [];
  for (const other of others) {
    if (other.projects.length === 0) continue;
    const products = await run<{ name: string; n: number }>(
      db,
      `SELECT p.name, (count(*) OVER ())::int AS n FROM product p
        WHERE p.recycled_at IS NULL AND EXISTS (SELECT FROM product_project j WHERE j.product_id = p.id AND j.project_id = ANY($3::bigint[]))
          AND ${productInScopeSql('$1::jsonb')} AND ${productInScopeSql('$2::jsonb')} ORDER BY p.id LIMIT ${NAMED}`,
      [JSON.stringify(other.mine), JSON.stringify(other.terms), other.projects],
    );
    if (products.length > 0)
      found.push({
        id: String(other.id),
        code: other.code,
        name: other.name,
        products: products.map((one) => one.name),
        more: products[0]!.n - products.length,
      });
  }
  return found;
}

/** How a value of the terms is told. */
type Tell = 'text' | 'money' | 'cap' | 'count' | 'flag';

/** What differs between two versions, in words: 「优先级 100→90」. Lists tell how many they hold. */
export function differenceOf(
  before: Readonly<Record<string, unknown>> | undefined,
  after: Readonly<Record<string, unknown>>,
  names: Readonly<Record<string, readonly [label: Label, tell: Tell]>>,
): Label {
  if (!before) return ['首个版本', 'The first version'];
  const flat = (terms: Readonly<Record<string, unknown>>) => ({ ...terms, ...(terms.scope as object) });
  const [old, now] = [flat(before), flat(after)] as [Record<string, unknown>, Record<string, unknown>];
  const shown = (value: unknown, tell: Tell): Label => {
    if (tell === 'count') {
      const n = (value as readonly unknown[] | undefined)?.length ?? 0;
      return [`${n}项`, String(n)];
    }
    if (tell === 'flag') return value === true ? ['是', 'yes'] : ['否', 'no'];
    if (value === null || value === undefined) return ['无', 'none'];
    if (tell === 'cap' && Number(value) === -1) return ['不限', 'none'];
    const text = tell === 'money' ? yuanFromFen(Number(value)) : String(value);
    return [text, text];
  };
  const parts = Object.entries(names).flatMap(([key, [label, tell]]) =>
    JSON.stringify(old[key]) === JSON.stringify(now[key])
      ? []
      : [
          ([0, 1] as const).map((at) => {
            const [from, to] = [shown(old[key], tell)[at], shown(now[key], tell)[at]];
            return from === to ? `${label[at]} *` : `${label[at]} ${from}→${to}`;
          }),
        ],
  );
  return [parts.map((part) => part[0]).join('；'), parts.map((part) => part[1]).join('; ')];
}

/** Names of the parts of a scope. */
export const SCOPE_NAMES: Readonly<Record<string, readonly [Label, Tell]>> = {
  projectIds: [['项目', 'Projects'], 'count'],
  merchantIds: [['商户', 'Merchants'], 'count'],
  businessIds: [['业务', 'Businesses'], 'count'],
  classIds: [['分类', 'Classes'], 'count'],
  productIds: [['商品', 'Products'], 'count'],
  excludedIds: [['排除商品', 'Excluded products'], 'count'],
};

/** An order a simulation looks at, by its number, of the caller's projects. */
export async function orderByCode(db: Executor, code: string, caller: Caller): Promise<number> {
  const row = await runOne<{ id: number; project: number; paid: boolean }>(
    db,
    'SELECT id, project_id AS project, paid_at IS NOT NULL AS paid FROM sales_order WHERE code = $1',
    [code.trim()],
  );
  if (!row || (caller.projectIds !== null && !caller.projectIds.includes(row.project)))
    throw invalid({ order: ['没有此订单', 'There is no such order'] });
  if (!row.paid) throw ruleBroken(['订单未支付', 'The order is not paid']);
  return row.id;
}

import { fill, textOf, type Label } from '../../../kernel/contract/label.ts';
import { containing } from '../../../kernel/server/resource/like-text.ts';
import { usesOf } from '../../../kernel/server/resource/abilities/deletable.ts';
import { bindResource, type BoundResource } from '../../../kernel/server/resource/bind.ts';
import { idOf } from '../../../kernel/server/http/call-parts.ts';
import { endpoint } from '../../../kernel/server/registration.ts';
import { invalid, ruleBroken } from '../../../kernel/server/http/errors.ts';
import { run } from '../../../kernel/server/database.ts';
import { quoted, type ActionContext } from '../../../kernel/server/resource/run-action.ts';
import { jumpLink, type LinkUse } from './jump-link.contract.ts';
import { PLATFORMS, placesOf, templateProblem, type LinkParameter } from './jump-link.rules.ts';

const COLUMN = { ios: 'ios', android: 'android', h5: 'h5', miniProgram: 'mini_program' } as const;

/** The parameters belong to the link itself. */
const OWN: ReadonlySet<string> = new Set(['jump_link_parameter']);

const bound: BoundResource = bindResource(jumpLink, {
  table: 'jump_link',
  lines: { parameters: { table: 'jump_link_parameter', own: 'jump_link_id' } },
  scope: { tenant: 'none', project: 'none', owner: 't.created_by' },
  search: `lower(t.code || ' ' || t.name)`,
  columns: { used: 'NULL::integer' },
  present: async (rows, db, _caller, platform) => {
    const used = new Map<number, number>();
    for (const { table, columns, onDelete } of (await platform.tables()).referencesTo('jump_link')) {
      if (OWN.has(table) || onDelete === 'cascade') continue;
      for (const one of await run<{ id: number; n: number }>(
        db,
        `SELECT ${quoted(columns[0]!)} AS id, count(*)::int AS n FROM ${quoted(table)} WHERE ${quoted(columns[0]!)} = ANY($1::bigint[]) GROUP BY 1`,
        [rows.map((row) => row.id)],
      ))
        used.set(one.id, (used.get(one.id) ?? 0) + one.n);
    }
    for (const row of rows) row.used = used.get(Number(row.id)) ?? 0;
  },
  before: [checkTemplates],
  endpoints: [
    endpoint({
      method: 'GET',
      path: '/jinmao/web/jumpLink/:id/usage',
      title: ['查看使用', 'Usage'],
      access: { code: jumpLink.menu },
      handle: async (call): Promise<LinkUse[]> => {
        const id = idOf(call.params.id);
        await bound.find(call, id);
        const { platform, facts } = call;
        const uses = await usesOf(platform.database.db, await platform.tables(), 'jump_link', id, {}, OWN);
        return uses.map((use) => ({ noun: textOf(use.noun, facts.language), count: use.count }));
      },
    }),
  ],
  also: {
    options: [
      {
        target: 'jumpLink',
        find: async ({ platform }, query) =>
          (
            await run<{ id: number; title: string; note: string }>(
              platform.database.db,
              `SELECT id, name AS title, code AS note FROM jump_link
                WHERE CASE WHEN cardinality($1::bigint[]) > 0 THEN id = ANY($1::bigint[]) ELSE enabled AND (name || ' ' || code) ILIKE $2 END
                ORDER BY code, id LIMIT $3 OFFSET $4`,
              [query.ids.map(Number), containing(query.searchVal), query.limit, query.offset],
            )
          ).map((row) => ({ ...row, id: String(row.id) })),
      },
    ],
  },
});

export const registration = bound.registration;

/** Templates hold allowed schemes and defined parameters only; what the change leaves out counts as it stands. */
async function checkTemplates({ action, input, row, id, tx, platform }: ActionContext): Promise<void> {
  if (action !== 'create' && action !== 'update') return;
  const parameters =
    (input.parameters as LinkParameter[] | undefined) ??
    (await run<LinkParameter>(
      tx,
      'SELECT name, required, sample FROM jump_link_parameter WHERE jump_link_id = $1',
      [id],
    ));
  const doubled = parameters.find((one, at) => parameters.findIndex((other) => other.name === one.name) < at);
  if (doubled)
    throw invalid({
      parameters: fill(['参数 {name} 重复', 'The parameter {name} stands twice'], { name: doubled.name }),
    });
  const schemes = (await platform.settings.list('link.schemes')).flatMap((one) =>
    String(one)
      .split('+')
      .map((part) => part.trim().toLowerCase()),
  );
  const problems: Record<string, Label> = {};
  const templates: string[] = [];
  for (const name of PLATFORMS) {
    const template = String(input[name] ?? row[COLUMN[name]] ?? '');
    templates.push(template);
    const problem = templateProblem(name, template, parameters, schemes);
    if (problem) problems[name] = problem;
  }
  if (Object.keys(problems).length > 0) throw invalid(problems);
  const unused = parameters.find(
    (one) => !templates.some((template) => placesOf(template).includes(one.name)),
  );
  if (unused)
    throw ruleBroken(
      fill(['参数 {name} 未在任何链接中使用', 'No link uses the parameter {name}'], { name: unused.name }),
    );
}

import { run, runOne } from '../../../kernel/server/database.ts';
import { invalid, ruleBroken } from '../../../kernel/server/http/errors.ts';
import { writeTimeline } from '../../../kernel/server/audit/audit.ts';
import { quoted, type ActionContext, type ActionResult } from '../../../kernel/server/resource/run-action.ts';
import { region } from './region.contract.ts';

/** Kinds of rows that tell in their own timeline that their region was replaced, by table. */
const TOLD: Readonly<Record<string, { readonly entity: string; readonly noun: string }>> = {
  project: { entity: 'project', noun: '项目' },
  organisation: { entity: 'organisation', noun: '机构' },
};

/**
 * An old code gives way to a new one: whatever refers to the old region refers to the new one afterwards, and the old one
 * stays, stopped, with a pointer. Rows are found by the foreign keys of the database, those of later screens too.
 */
export async function replaceRegion(context: ActionContext): Promise<ActionResult> {
  const { tx, id, row, platform, caller } = context;
  const to = Number(context.input.to);
  const target = await runOne<{ level: number; enabled: boolean; name: string; code: string }>(
    tx,
    'SELECT level, enabled, name, code FROM region WHERE id = $1 FOR SHARE',
    [to],
  );
  if (to === id) throw invalid({ to: ['不能替代为自身', 'A region cannot replace itself'] });
  if (!target?.enabled) throw invalid({ to: ['新区域未启用', 'The new region is not enabled'] });
  if (target.level !== row.level) throw invalid({ to: ['级别须相同', 'The level must be the same'] });
  if (await runOne(tx, 'SELECT 1 FROM region WHERE parent_id = $1 AND enabled LIMIT 1', [id]))
    throw ruleBroken([
      '下级区域仍启用，请先替代或停用下级',
      'Regions below are enabled: replace or stop them first',
    ]);
  // A merchant that blocks both keeps one of the two.
  await run(
    tx,
    `DELETE FROM no_delivery_area a WHERE region_id = $1 AND EXISTS (SELECT 1 FROM no_delivery_area b WHERE b.region_id = $2 AND b.tenant_id = a.tenant_id AND b.product_id IS NOT DISTINCT FROM a.product_id)`,
    [id, to],
  );
  const counts: string[] = [];
  for (const key of (await platform.tables()).referencesTo('region')) {
    if (key.table === 'region' || key.columns.length !== 1) continue;
    const column = quoted(key.columns[0]!);
    const told = TOLD[key.table];
    const moved = await run<{ id: number }>(
      tx,
      `UPDATE ${quoted(key.table)} SET ${column} = $2${told ? ', version = version + 1, updated_at = now(), updated_by = $3' : ''} WHERE ${column} = $1 RETURNING ${told ? 'id' : '0 AS id'}`,
      told ? [id, to, caller.staffId] : [id, to],
    );
    if (moved.length > 0) counts.push(`${told?.noun ?? key.table} ${moved.length}`);
    if (told)
      for (const one of moved)
        await writeTimeline(tx, {
          entity: told.entity,
          entityId: one.id,
          caller,
          action: 'replaceRegion',
          label: region.actions!.replace!.label,
          changes: [{ field: 'region', before: String(row.name), after: target.name }],
        });
    platform.changed(told?.entity ?? key.table);
  }
  return {
    set: { enabled: false, replaced_by: to },
    remark: [`${row.code} → ${target.code}`, ...counts].join('；'),
  };
}

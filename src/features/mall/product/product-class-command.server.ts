import type { Label } from '../../../kernel/contract/label.ts';
import { writeTimeline } from '../../../kernel/server/audit/audit.ts';
import { run, type Tx } from '../../../kernel/server/database.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';

/** From where to where products go, and what their timelines call it. */
interface ClassMove {
  readonly from: readonly number[];
  readonly to: number;
  /** Only these products; all of the classes when absent. */
  readonly products?: readonly number[];
  readonly label: Label;
}

/**
 * Moves products of some classes to another one of the same business, for whoever keeps the classes: no review, as buyers
 * see nothing else. Each product has it in its timeline, and a form that is open elsewhere is out of date. Returns how many.
 */
export async function moveProductsOfClasses(tx: Tx, caller: Caller, move: ClassMove): Promise<number> {
  const rows = await run<{ id: number; before: string }>(
    tx,
    `SELECT p.id, (SELECT string_agg(c.name, '、' ORDER BY c.id) FROM product_class_member m JOIN product_class c ON c.id = m.class_id WHERE m.product_id = p.id) AS before
       FROM product p WHERE ($2::bigint[] IS NULL OR p.id = ANY($2::bigint[]))
        AND EXISTS (SELECT 1 FROM product_class_member m WHERE m.product_id = p.id AND m.class_id = ANY($1::bigint[]))
      ORDER BY p.id FOR NO KEY UPDATE OF p`,
    [move.from, move.products ?? null],
  );
  const ids = rows.map((row) => row.id);
  await run(
    tx,
    'INSERT INTO product_class_member (product_id, class_id) SELECT unnest($1::bigint[]), $2 ON CONFLICT DO NOTHING',
    [ids, move.to],
  );
  await run(
    tx,
    'DELETE FROM product_class_member WHERE product_id = ANY($1::bigint[]) AND class_id = ANY($2::bigint[]) AND class_id <> $3',
    [ids, move.from, move.to],
  );
  await run(
    tx,
    'UPDATE product SET version = version + 1, updated_at = now(), updated_by = $2 WHERE id = ANY($1::bigint[])',
    [ids, caller.staffId],
  );
  const after = await run<{ id: number; names: string }>(
    tx,
    `SELECT m.product_id AS id, string_agg(c.name, '、' ORDER BY c.id) AS names FROM product_class_member m JOIN product_class c ON c.id = m.class_id
      WHERE m.product_id = ANY($1::bigint[]) GROUP BY 1`,
    [ids],
  );
  const names = new Map(after.map((row) => [row.id, row.names]));
  for (const row of rows)
    await writeTimeline(tx, {
      entity: 'product',
      entityId: row.id,
      caller,
      action: 'moveClass',
      label: move.label,
      changes: [{ field: 'classes', before: row.before, after: names.get(row.id) ?? '' }],
    });
  return rows.length;
}

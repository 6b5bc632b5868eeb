import { run, runOne, type Tx } from '../../kernel/server/database.ts';
import { invalid, ruleBroken } from '../../kernel/server/http/errors.ts';

/** Materials used on an order. */
export interface UsedMaterial {
  readonly material: number;
  readonly qty: number;
}

/**
 * Takes materials out of the stock of the order's project and writes them on the order. Throws 30101 naming what is short, 422
 * for what is not of the project. The database refuses a stock below zero whatever the code does.
 */
export async function useMaterials(
  tx: Tx,
  order: { readonly id: number; readonly projectId: number; readonly round: number },
  used: readonly UsedMaterial[],
  staffId: number | null,
): Promise<void> {
  const sums = new Map<number, number>();
  for (const one of used) sums.set(one.material, (sums.get(one.material) ?? 0) + one.qty);
  for (const [id, qty] of [...sums].sort(([a], [b]) => a - b)) {
    const material = await runOne<{ name: string; price: number; stock: number; unit: string }>(
      tx,
      'SELECT name, price, stock, unit FROM material WHERE id = $1 AND project_id = $2 AND enabled FOR NO KEY UPDATE',
      [id, order.projectId],
    );
    if (!material) throw invalid({ materials: ['材料不属于该项目', 'A material is not of this project'] });
    if (material.stock < qty)
      throw ruleBroken([
        `${material.name}库存不足，剩余${material.stock}${material.unit}`,
        `Not enough of ${material.name}: ${material.stock} left`,
      ]);
    await moveStock(tx, id, -qty, '工单使用', staffId, order.id);
    await run(
      tx,
      `INSERT INTO work_order_material (order_id, round, material_id, qty, price, amount) VALUES ($1, $2, $3, $4::integer, $5::bigint, $5::bigint * $4::integer)`,
      [order.id, order.round, id, qty, material.price],
    );
  }
}

/** Puts the materials of an order back into the stock: it was reopened. */
export async function returnMaterials(tx: Tx, orderId: number, staffId: number | null): Promise<void> {
  const rows = await run<{ material_id: number; qty: number }>(
    tx,
    'UPDATE work_order_material SET returned = true WHERE order_id = $1 AND NOT returned RETURNING material_id, qty',
    [orderId],
  );
  for (const row of rows.sort((a, b) => a.material_id - b.material_id))
    await moveStock(tx, row.material_id, row.qty, '工单重开退回', staffId, orderId);
}

/** Moves a stock and writes the movement. Throws 30101 when less would be left than nothing. */
export async function moveStock(
  tx: Tx,
  materialId: number,
  qty: number,
  reason: string,
  staffId: number | null,
  orderId: number | null = null,
): Promise<void> {
  const moved = await runOne(
    tx,
    'UPDATE material SET stock = stock + $2 WHERE id = $1 AND stock + $2 BETWEEN 0 AND 1000000 RETURNING id',
    [materialId, qty],
  );
  if (!moved) throw ruleBroken(['库存不足', 'Not enough in stock']);
  await run(
    tx,
    'INSERT INTO material_move (material_id, qty, reason, order_id, staff_id) VALUES ($1, $2, $3, $4, $5)',
    [materialId, qty, reason, orderId, staffId],
  );
}

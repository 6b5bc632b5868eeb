import { runOne, type Tx } from '../../kernel/server/database.ts';

/** Who owes: a member, or a name where nobody is known by more. */
export type PayerOf = { readonly memberId: number } | { readonly name: string };

/** Id of a payer, made where it does not exist yet. A member carries its name of this moment. */
export async function payerOf(tx: Tx, who: PayerOf): Promise<number> {
  const find = () =>
    'memberId' in who
      ? runOne<{ id: number }>(tx, 'SELECT id FROM payer WHERE member_id = $1', [who.memberId])
      : runOne<{ id: number }>(tx, `SELECT id FROM payer WHERE kind = 'name' AND name = $1`, [who.name]);
  const found = await find();
  if (found) return found.id;
  const made = await ('memberId' in who
    ? runOne<{ id: number }>(
        tx,
        `INSERT INTO payer (kind, member_id, name) SELECT 'member', id, left(name, 60) FROM member WHERE id = $1
         ON CONFLICT (member_id) WHERE member_id IS NOT NULL DO NOTHING RETURNING id`,
        [who.memberId],
      )
    : runOne<{ id: number }>(
        tx,
        `INSERT INTO payer (kind, name) VALUES ('name', $1) ON CONFLICT (name) WHERE kind = 'name' DO NOTHING RETURNING id`,
        [who.name],
      ));
  return (made ?? (await find())!).id;
}

import { run, runOne, type Tx } from '../../kernel/server/database.ts';
import { invalid } from '../../kernel/server/http/errors.ts';

/** Somebody the front desk or a file names. */
export interface NamedPerson {
  readonly name: string;
  readonly phone: string;
  readonly idNo?: string | null | undefined;
  /** Project of the house they are named for. */
  readonly projectId: number;
  readonly channel: 'housekeeper' | 'import';
  readonly staffId: number;
}

/**
 * The member of a phone number, made where there is none yet. What a member said of themselves stays; missing names and ID numbers
 * are filled in. Throws 422 when the phone belongs to somebody of another name: two people are never taken for one.
 */
export async function memberOf(tx: Tx, person: NamedPerson): Promise<number> {
  await run(
    tx,
    `INSERT INTO member (name, phone, id_no, project_id, channel, created_by, updated_by) VALUES ($1, $2, $3, $4, $5, $6, $6) ON CONFLICT (phone) DO NOTHING`,
    [person.name, person.phone, person.idNo || null, person.projectId, person.channel, person.staffId],
  );
  const member = (await runOne<{ id: number; name: string; id_no: string | null }>(
    tx,
    'SELECT id, name, id_no FROM member WHERE phone = $1 FOR NO KEY UPDATE',
    [person.phone],
  ))!;
  if (member.name !== '' && member.name !== person.name)
    throw invalid({
      name: ['该手机号已登记为其他姓名，请核对', 'The phone number belongs to another name: please check'],
    });
  if (member.name === '' || (member.id_no === null && person.idNo))
    await run(
      tx,
      `UPDATE member SET name = $2, id_no = coalesce(id_no, $3), version = version + 1, updated_at = now(), updated_by = $4 WHERE id = $1`,
      [member.id, person.name, person.idNo || null, person.staffId],
    );
  return member.id;
}

import { runOne, type Tx } from '../../kernel/server/database.ts';
import { ruleBroken } from '../../kernel/server/http/errors.ts';

/** Refuses (30101) a member who is muted, with the day it ends; infinity is for good. Source: group 01, Bans. */
export async function requireNotBanned(tx: Tx, memberId: number): Promise<void> {
  const ban = await runOne<{ until: string | null }>(
    tx,
    `SELECT CASE WHEN isfinite(banned_until) THEN to_char(banned_until AT TIME ZONE 'Asia/Shanghai', 'YYYY-MM-DD HH24:MI') END AS until
       FROM member WHERE id = $1 AND banned_until > clock_timestamp()`,
    [memberId],
  );
  if (!ban) return;
  throw ruleBroken(
    ban.until === null
      ? ['您已被永久禁言', 'Muted for good']
      : [`您已被禁言至 ${ban.until}`, `Muted until ${ban.until}`],
  );
}

/** SQL condition: the member `m` (alias) lives in or is at home in the project of `project` (SQL). */
export const belongsTo = (m: string, project: string): string =>
  `(${m}.project_id = ${project} OR EXISTS (SELECT FROM household hh JOIN house hs ON hs.id = hh.house_id
      WHERE hh.member_id = ${m}.id AND hh.status = 'normal' AND hs.project_id = ${project}))`;

import type { Label } from '../../kernel/contract/label.ts';
import { run, type Executor } from '../../kernel/server/database.ts';

/** Puts a notice into the mailbox of some members, in the caller's transaction: what became of something of their own. */
export async function tellMembers(
  tx: Executor,
  memberIds: readonly number[],
  title: Label,
  body: Label,
): Promise<void> {
  if (memberIds.length === 0) return;
  await run(
    tx,
    `INSERT INTO member_notification (member_id, channel, title_zh, title_en, body_zh, body_en, notice)
     SELECT DISTINCT m.id, 1, $2, $3, $4, $5, true FROM unnest($1::bigint[]) AS m (id)`,
    [memberIds, title[0], title[1], body[0], body[1]],
  );
}

/** As {@link tellMembers}, with a text for each member. */
export async function tellEach(
  tx: Executor,
  notices: readonly { readonly memberId: number; readonly title: Label; readonly body: Label }[],
): Promise<void> {
  if (notices.length === 0) return;
  await run(
    tx,
    `INSERT INTO member_notification (member_id, channel, title_zh, title_en, body_zh, body_en, notice)
     SELECT x.member, 1, x.title_zh, x.title_en, x.body_zh, x.body_en, true
       FROM unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::text[]) AS x(member, title_zh, title_en, body_zh, body_en)`,
    [
      notices.map((one) => one.memberId),
      notices.map((one) => one.title[0]),
      notices.map((one) => one.title[1]),
      notices.map((one) => one.body[0]),
      notices.map((one) => one.body[1]),
    ],
  );
}

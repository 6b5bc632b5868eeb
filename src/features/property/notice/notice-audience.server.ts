import { run, runOne, type Executor, type Tx } from '../../../kernel/server/database.ts';
import { NOTICE_TYPES, PUSHED_TYPES } from './notice.contract.ts';

/** `purpose` of the SMS residents get of notices. */
const NOTICE_SMS = 'propertyNotice';

interface Sent {
  readonly id: number;
  readonly title: string;
  readonly type: keyof typeof NOTICE_TYPES;
  readonly signature: string;
}

/** How many households and houses a notice would reach if it were published now. */
export async function audienceOf(
  db: Executor,
  id: number,
): Promise<{ readonly households: number; readonly houses: number; readonly sms: boolean }> {
  const row = await runOne<{ households: number; houses: number; type: string }>(
    db,
    `SELECT count(a.household_id)::int AS households, count(DISTINCT a.house_id)::int AS houses, n.type
       FROM notice n LEFT JOIN notice_audience a ON a.notice_id = n.id WHERE n.id = $1 GROUP BY n.id`,
    [id],
  );
  return { households: row!.households, houses: row!.houses, sms: PUSHED_TYPES.includes(row!.type) };
}

/** Writes down whom a notice that was just published goes to; water and power off go to their phones besides. */
export async function deliverNotice(tx: Tx, id: number): Promise<number> {
  const reached = await run(
    tx,
    `INSERT INTO notice_reader (notice_id, household_id, member_id, house_id, project_id)
     SELECT notice_id, household_id, member_id, house_id, project_id FROM notice_audience WHERE notice_id = $1
     ON CONFLICT ON CONSTRAINT notice_reader_once DO NOTHING RETURNING id`,
    [id],
  );
  const notice = (await runOne<Sent>(tx, 'SELECT id, title, type, signature FROM notice WHERE id = $1', [
    id,
  ]))!;
  if (PUSHED_TYPES.includes(notice.type))
    await sendSms(tx, notice, `${NOTICE_TYPES[notice.type].label[0]}：${notice.title}`, false);
  return reached.length;
}

/** Reminds by SMS who has not read a notice; returns how many phones that are. */
export async function remindUnread(tx: Tx, notice: Sent): Promise<number> {
  return sendSms(tx, notice, `请查看公告：${notice.title}`, true);
}

/** One message a phone, however many households of the audience it belongs to. */
async function sendSms(tx: Tx, notice: Sent, what: string, onlyUnread: boolean): Promise<number> {
  const text = `【${notice.signature}】${what}。详情请打开 App「物业公告」查看。`;
  const rows = await run(
    tx,
    `INSERT INTO sms_message (phone, purpose, body, params)
     SELECT DISTINCT m.phone, $2::text, $3::text, jsonb_build_object('title', $4::text, 'text', $3::text)
       FROM notice_reader r JOIN household h ON h.id = r.household_id AND h.status = 'normal' JOIN member m ON m.id = r.member_id
      WHERE r.notice_id = $1 AND m.phone <> '' AND NOT ($5 AND EXISTS (
        SELECT FROM notice_reader o WHERE o.notice_id = r.notice_id AND o.member_id = r.member_id AND o.read_at IS NOT NULL))
     RETURNING id`,
    [notice.id, NOTICE_SMS, text, notice.title, onlyUnread],
  );
  return rows.length;
}

/** A notice as the app of a member lists it. */
export interface AppNotice {
  readonly id: number;
  readonly title: string;
  readonly type: keyof typeof NOTICE_TYPES;
  readonly importance: string;
  readonly signature: string;
  readonly body_html: string;
  readonly image_ids: readonly string[];
  readonly published_at: Date;
  readonly pinned: boolean;
  readonly needs_confirmation: boolean;
  readonly read: boolean;
  readonly confirmed: boolean;
}

/** What a member is shown now: published, not over, for one of the own households; also who moved in since it was published. */
export function appNotices(
  db: Executor,
  memberId: number,
  which: { readonly id?: number; readonly limit: number; readonly offset: number },
): Promise<AppNotice[]> {
  return run<AppNotice>(
    db,
    `SELECT n.id, n.title, n.type, n.importance, n.signature, n.body_html, n.image_ids, n.published_at, n.needs_confirmation,
            coalesce(n.pinned_until > now(), false) AS pinned,
            EXISTS (SELECT FROM notice_reader r WHERE r.notice_id = n.id AND r.member_id = $1 AND r.read_at IS NOT NULL) AS read,
            EXISTS (SELECT FROM notice_reader r WHERE r.notice_id = n.id AND r.member_id = $1 AND r.confirmed_at IS NOT NULL) AS confirmed
       FROM notice n
      WHERE n.state = 'published' AND (n.expires_on IS NULL OR n.expires_on >= (now() AT TIME ZONE 'Asia/Shanghai')::date)
        AND ($2::bigint IS NULL OR n.id = $2) AND EXISTS (SELECT FROM notice_audience a WHERE a.notice_id = n.id AND a.member_id = $1)
      ORDER BY coalesce(n.pinned_until > now(), false) DESC, n.published_at DESC, n.id DESC LIMIT $3 OFFSET $4`,
    [memberId, which.id ?? null, which.limit, which.offset],
  );
}

/** Notes that a member read a notice, and confirmed it where it did: the first time stays. False when it is not shown to it. */
export async function markRead(
  tx: Tx,
  event: { readonly id: number; readonly memberId: number; readonly confirm: boolean },
): Promise<boolean> {
  const [shown] = await appNotices(tx, event.memberId, { id: event.id, limit: 1, offset: 0 });
  if (!shown) return false;
  await run(
    tx,
    `INSERT INTO notice_reader AS r (notice_id, household_id, member_id, house_id, project_id, read_at, confirmed_at)
     SELECT notice_id, household_id, member_id, house_id, project_id, now(), CASE WHEN $3 THEN now() END
       FROM notice_audience WHERE notice_id = $1 AND member_id = $2 ORDER BY household_id
     ON CONFLICT ON CONSTRAINT notice_reader_once DO UPDATE
       SET read_at = coalesce(r.read_at, now()), confirmed_at = coalesce(r.confirmed_at, excluded.confirmed_at)`,
    [event.id, event.memberId, event.confirm && shown.needs_confirmation],
  );
  return true;
}

import { run, runOne, type Executor, type Tx } from '../../kernel/server/database.ts';

/** An advert that was shown or clicked in an app. */
export interface AdEvent {
  /** The app's own number: the same counts once. */
  readonly eventId: string;
  readonly kind: 'family' | 'mall' | 'launch';
  readonly advertId: number;
  readonly projectId: number;
  /** Absent: nobody is signed in. */
  readonly memberId?: number | undefined;
  readonly what: 'show' | 'click';
}

/** Counts an event on the day of the database in business time; false when its number was counted before. */
export async function countAd(tx: Tx, event: AdEvent): Promise<boolean> {
  const fresh = await runOne(
    tx,
    'INSERT INTO ad_told (event_id) VALUES ($1) ON CONFLICT DO NOTHING RETURNING event_id',
    [event.eventId],
  );
  if (!fresh) return false;
  const day = `(now() AT TIME ZONE 'Asia/Shanghai')::date`;
  const place = [event.kind, event.advertId, event.projectId];
  const first =
    event.memberId !== undefined &&
    (await runOne(
      tx,
      `INSERT INTO ad_seen (kind, advert_id, day, project_id, member_id, what) VALUES ($1, $2, ${day}, $3, $4, $5)
       ON CONFLICT DO NOTHING RETURNING what`,
      [...place, event.memberId, event.what],
    )) !== undefined;
  const [all, one] = event.what === 'show' ? ['exposures', 'viewers'] : ['clicks', 'clickers'];
  await run(
    tx,
    `INSERT INTO ad_metric AS m (kind, advert_id, day, project_id, ${all}, ${one}) VALUES ($1, $2, ${day}, $3, 1, $4)
     ON CONFLICT (kind, advert_id, day, project_id) DO UPDATE SET ${all} = m.${all} + 1, ${one} = m.${one} + $4`,
    [...place, first ? 1 : 0],
  );
  return true;
}

/** Forgets what only serves to count once: members of days that are over, numbers of events of before yesterday. */
export async function forgetCounted(db: Executor): Promise<void> {
  await run(db, `DELETE FROM ad_seen WHERE day < (now() AT TIME ZONE 'Asia/Shanghai')::date - 1`);
  await run(db, `DELETE FROM ad_told WHERE at < now() - interval '3 days'`);
}

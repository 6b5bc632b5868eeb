import { run, transaction } from '../../../kernel/server/database.ts';
import type { Platform } from '../../../kernel/server/platform.ts';
import type { Job } from '../../../kernel/server/registration.ts';
import { queueJob } from '../../../kernel/server/tasks/job-queue.ts';
import { writeSystemEvent } from '../../../kernel/server/tasks/system-event.ts';
import { noteFact } from '../../../domain/monitoring/doctor.server.ts';
import { probeUpstream, type Resolve } from './forward.server.ts';
import { ROUTE_ENTITY } from './gateway-state.server.ts';

const CHECK = 'gateway.upstream';
const HALF_A_MINUTE = 30_000;
/** Days before its end on which a certificate is told of. Source: group 04, jobs. */
const TOLD_DAYS = 14;
/** Failures in a row that mark an upstream. Source: group 04, jobs. */
export const MARKED_AFTER = 2;

/** Whether published addresses can be connected to, twice a minute, and daily how long their certificates last. */
export const gatewayJobs: readonly Job[] = [
  {
    name: CHECK,
    title: ['网关上游检查', 'Upstreams of the gateway'],
    cron: '* * * * *',
    run: async (payload, platform) => {
      // Patterns know no seconds: each minute's run queues the one between.
      if ((payload as { readonly again?: boolean } | null)?.again !== true)
        await queueJob(
          platform.database.db,
          CHECK,
          { again: true },
          { runAt: new Date(Date.now() + HALF_A_MINUTE), jobKey: `${CHECK}:between` },
        );
      await checkUpstreams(platform);
    },
  },
  {
    name: 'gateway.certificate',
    title: ['网关上游证书检查', 'Certificates of upstreams'],
    // 08:10 in Shanghai.
    cron: '10 0 * * *',
    run: (_payload, platform) => checkCertificates(platform),
  },
];

interface Target {
  readonly id: number;
  readonly code: string;
  readonly url: string;
  readonly privateAllowed: boolean;
}

function targets(platform: Platform): Promise<Target[]> {
  return run<Target>(
    platform.database.db,
    `SELECT r.id, r.code, v.snapshot->>'url' AS url, coalesce(u.private_allowed, false) AS "privateAllowed"
       FROM gateway_route r JOIN gateway_route_version v ON v.route_id = r.id AND v.no = r.published_version
       LEFT JOIN upstream_host u ON u.id = (v.snapshot->>'upstreamId')::bigint
      WHERE r.state = 'published' AND v.snapshot->>'targetKind' = 'url' ORDER BY r.id`,
  );
}

/** Connects to every published address and keeps how often in a row that failed. */
export async function checkUpstreams(platform: Platform, resolve?: Resolve): Promise<void> {
  const { db } = platform.database;
  const all = await targets(platform);
  const results = await Promise.all(
    all.map(async (one) => ({ ...one, up: (await probeUpstream(one.url, one.privateAllowed, resolve)).up })),
  );
  for (const { id, up } of results)
    await run(
      db,
      `INSERT INTO gateway_upstream (route_id, failures) SELECT id, $2 FROM gateway_route WHERE id = $1
       ON CONFLICT (route_id) DO UPDATE SET failures = CASE WHEN $2 = 0 THEN 0 ELSE gateway_upstream.failures + 1 END, checked_at = now()`,
      [id, up ? 0 : 1],
    );
  // What is no longer published is looked at by nobody.
  await run(db, 'DELETE FROM gateway_upstream WHERE route_id <> ALL($1::bigint[])', [
    all.map((one) => one.id),
  ]);
  const [marked] = await run<{ n: number }>(
    db,
    'SELECT count(*)::int AS n FROM gateway_upstream WHERE failures >= $1',
    [MARKED_AFTER],
  );
  await noteFact(db, 'gateway_upstream_down', marked!.n);
  if (all.length > 0) platform.changed(ROUTE_ENTITY);
}

/** Reads when certificates end; the platform is told once of each end that is near. */
export async function checkCertificates(platform: Platform, resolve?: Resolve): Promise<void> {
  for (const one of await targets(platform)) {
    if (!one.url.startsWith('https:')) continue;
    const { certificateEndsAt: end } = await probeUpstream(one.url, one.privateAllowed, resolve);
    if (end) await noteCertificate(platform, one, end);
  }
}

/** Keeps when the certificate of a route's upstream ends, and tells of an end that is near. */
export async function noteCertificate(
  platform: Platform,
  { id, code }: Pick<Target, 'id' | 'code'>,
  end: Date,
): Promise<void> {
  await transaction(platform.database.db, async (tx) => {
    const [near] = await run<{ days: number }>(
      tx,
      `INSERT INTO gateway_upstream AS g (route_id, certificate_ends_at) VALUES ($1, $2)
       ON CONFLICT (route_id) DO UPDATE SET certificate_ends_at = excluded.certificate_ends_at
       RETURNING CASE WHEN g.told_end IS DISTINCT FROM $2::timestamptz AND $2::timestamptz <= now() + make_interval(days => $3)
         THEN floor(extract(epoch FROM $2::timestamptz - now()) / 86400)::int END AS days`,
      [id, end, TOLD_DAYS],
    );
    if (near?.days === null || near?.days === undefined) return;
    await run(tx, 'UPDATE gateway_upstream SET told_end = $2 WHERE route_id = $1', [id, end]);
    await writeSystemEvent(tx, {
      kind: 'cert',
      level: 'warning',
      text: [
        `网关路由 ${code} 的上游证书剩余 ${Math.max(0, near.days)} 天`,
        `The certificate of the upstream of route ${code} lasts ${Math.max(0, near.days)} more days`,
      ],
      detail: { route: code, endsAt: end.toISOString() },
      alert: true,
    });
  });
}

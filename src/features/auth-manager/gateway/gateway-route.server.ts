import { isIP } from 'node:net';
import { z } from 'zod';
import { fill, type Label } from '../../../kernel/contract/label.ts';
import { isoInstant } from '../../../kernel/contract/time.rules.ts';
import type { FieldChange } from '../../../kernel/server/audit/audit.ts';
import { run, runOne, type Tx } from '../../../kernel/server/database.ts';
import { idOf } from '../../../kernel/server/http/call-parts.ts';
import { invalid, notFound, ruleBroken } from '../../../kernel/server/http/errors.ts';
import { staffIdOf } from '../../../kernel/server/people/caller.ts';
import { endpoint } from '../../../kernel/server/registration.ts';
import { bindResource, type BoundResource } from '../../../kernel/server/resource/bind.ts';
import type { ActionContext, ActionResult } from '../../../kernel/server/resource/run-action.ts';
import { openText, sealText } from '../../../domain/payee/sealed-text.server.ts';
import { API_ENTITY } from '../api/api-notice.server.ts';
import { gatewayRoute, type RouteSample, type RouteVersion } from './gateway-route.contract.ts';
import type { Snapshot } from './gateway-state.server.ts';
import { redSamples, trafficOf, tryEndpoints } from './gateway-try.server.ts';
import { gatewayJobs, MARKED_AFTER } from './gateway-watch.server.ts';
import { forPlatform } from '../../../domain/services/platform-only.server.ts';
import { isPlainPath } from './route-match.rules.ts';

const ROOT = '/admin/gatewayRoute';
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
const COLLIDES: Label = ['前缀与系统接口冲突', 'Prefix collides with system routes'];
const NOT_LISTED: Label = ['上游地址不在允许列表', 'Upstream not on the allow-list'];
const TO_ITSELF: Label = ['不能转发到自身', 'Cannot forward to itself'];
/** Headers that this server sets itself, or that belong to one connection. */
const OWN_HEADERS =
  /^(host|connection|content-length|transfer-encoding|upgrade|expect|te|trailer|keep-alive|proxy-.*|x-forwarded-.*|x-request-id|traceparent|x-staff-id|x-tenant-id|x-gateway|cookie)$/i;

const addresses = (column: string) =>
  `(SELECT coalesce(array_agg(CASE WHEN masklen(a) = CASE family(a) WHEN 4 THEN 32 ELSE 128 END THEN host(a) ELSE a::text END), '{}') FROM unnest(t.${column}) a)`;
const inADay = (sum: string) =>
  `(SELECT ${sum} FROM api_minute m WHERE m.api_id = t.api_id AND m.minute > now() - interval '24 hours')`;
const ERRORS = inADay('coalesce(sum(m.refused + m.failed), 0)::int');

const bound: BoundResource = bindResource(gatewayRoute, {
  table: 'gateway_route',
  scope: { tenant: 'none', project: 'none', owner: 't.created_by', platformOnly: true },
  joins: { service: { table: 'service_client', column: 'service_id' } },
  search: `lower(t.code || ' ' || t.name || ' ' || t.prefix)`,
  columns: {
    allowAddresses: addresses('allow_addresses'),
    denyAddresses: addresses('deny_addresses'),
    circuit: `coalesce((SELECT c.state FROM gateway_circuit c WHERE c.route_id = t.id), 'closed')`,
    calls: inADay('coalesce(sum(m.calls), 0)::int'),
    errors: ERRORS,
    p95: `p95_of(t.api_id, now() - interval '24 hours')`,
    hasErrors: `(${ERRORS} > 0)`,
    upstream: `CASE WHEN t.state <> 'published' THEN NULL ELSE (SELECT CASE WHEN g.failures >= ${MARKED_AFTER} THEN 'down' ELSE 'up' END FROM gateway_upstream g WHERE g.route_id = t.id) END`,
    certificateDays: `(SELECT floor(extract(epoch FROM g.certificate_ends_at - now()) / 86400)::int FROM gateway_upstream g WHERE g.route_id = t.id)`,
    publishedAt: `(SELECT v.published_at FROM gateway_route_version v WHERE v.route_id = t.id AND v.no = t.published_version)`,
  },
  unique: { gateway_route_live: ['前缀已被其他路由使用', 'Prefix used by another route'] },
  ruleReads: ['auth'],
  rowRules: {
    publish: (row) =>
      row.auth === 'public'
        ? ['公开路由请用“公开发布”', 'A public route is published to everybody']
        : undefined,
    publishPublic: (row) =>
      row.auth === 'public' ? undefined : ['该路由不是公开路由', 'The route is not public'],
  },
  before: [checkRoute],
  after: [sealHeaders],
  handlers: {
    update: async ({ row }) => ({ set: { dirty: row.state !== 'draft' } }),
    publish: (context) => publish(context),
    publishPublic: (context) => publish(context),
    disable: async (context) => {
      await run(context.tx, `UPDATE api_call SET state = 'removed' WHERE id = $1`, [context.row.api_id]);
      return { set: { live_prefix: null } };
    },
    rollback,
    reset: async ({ tx, id }) => {
      await run(
        tx,
        `INSERT INTO gateway_circuit (route_id, state, resets) VALUES ($1, 'closed', 1)
         ON CONFLICT (route_id) DO UPDATE SET state = 'closed', at = now(), resets = gateway_circuit.resets + 1`,
        [id],
      );
    },
  },
  endpoints: forPlatform([
    endpoint({
      method: 'GET',
      path: `${ROOT}/:id/versions`,
      title: ['版本', 'Versions'],
      access: { code: gatewayRoute.menu },
      handle: async (call): Promise<RouteVersion[]> => {
        const id = idOf(call.params.id);
        const row = await bound.find(call, id);
        const versions = await run<{
          no: number;
          at: Date;
          author: string | null;
          reason: string;
          from: number | null;
          snapshot: Record<string, unknown>;
        }>(
          call.platform.database.db,
          `SELECT v.no, v.published_at AS at, s.name AS author, v.reason, v.rolled_back_from AS "from",
                  v.snapshot - '{sealedHeaders,serviceId,upstreamId}'::text[] || jsonb_build_object('service', c.name) AS snapshot
             FROM gateway_route_version v LEFT JOIN staff s ON s.id = v.author_id
             LEFT JOIN service_client c ON c.id = (v.snapshot ->> 'serviceId')::bigint
            WHERE v.route_id = $1 ORDER BY v.no DESC`,
          [id],
        );
        return versions.map((one) => ({
          no: one.no,
          at: isoInstant(one.at),
          author: one.author ?? '',
          reason: one.reason,
          rolledBackFrom: one.from,
          current: row.state === 'published' && one.no === row.publishedVersion,
          snapshot: one.snapshot,
        }));
      },
    }),
    endpoint({
      method: 'GET',
      path: `${ROOT}/:id/traffic`,
      title: ['每分钟流量', 'Traffic by minute'],
      access: { code: gatewayRoute.menu },
      query: z.strictObject({ minutes: z.enum(['60', '360', '1440']).default('60') }),
      handle: async (call) => {
        const id = idOf(call.params.id);
        await bound.find(call, id);
        return trafficOf(call.platform.replica.db, id, Number(call.query.minutes));
      },
    }),
    ...tryEndpoints(() => bound, snapshotOf),
  ]),
  also: { jobs: gatewayJobs },
});

/** Gateway routes, platform only. */
export const registration = bound.registration;

/** The route as it will be, checked before it is written. */
async function checkRoute(context: ActionContext): Promise<void> {
  const { action, input, row, tx, columns, platform } = context;
  if (action !== 'create' && action !== 'update') return;
  const kept = <T>(name: string, column: string): T => (name in input ? input[name] : row[column]) as T;
  const problems: Record<string, Label> = {};
  const methods = (input.methods ?? []) as string[];
  if (!methods.every((method) => METHODS.includes(method)))
    problems.methods = ['不支持的方法', 'A method that is not known'];
  const prefix = kept<string>('prefix', 'prefix');
  if (collides(platform, prefix)) problems.prefix = COLLIDES;
  for (const name of ['allowAddresses', 'denyAddresses'] as const) {
    const bad = ((input[name] ?? []) as string[]).find((one) => !isRange(one));
    if (bad !== undefined) problems[name] = [`地址或网段不正确：${bad}`, `Not an address or range: ${bad}`];
    else if (input[name] !== undefined)
      columns[name === 'allowAddresses' ? 'allow_addresses' : 'deny_addresses'] = (
        await run<{ range: string }>(
          tx,
          'SELECT DISTINCT network(a)::text AS range FROM unnest($1::inet[]) a ORDER BY 1',
          [input[name]],
        )
      ).map((one) => one.range);
  }
  const bad = ((input.samples ?? []) as readonly RouteSample[]).find(
    (one) => !isPlainPath(one.path.split('?')[0]!) || !`${one.path.split('?')[0]}/`.startsWith(`${prefix}/`),
  );
  if (bad)
    problems.samples = [`样例路径须在前缀之下：${bad.path}`, `A sample lies below the prefix: ${bad.path}`];
  if ('samples' in columns) columns.samples = JSON.stringify(columns.samples ?? []);
  const auth = kept<string>('auth', 'auth');
  const permission = String(kept<string | null>('permissionCode', 'permission_code') ?? '');
  if (auth === 'permission') {
    const known = await runOne(
      tx,
      'SELECT 1 FROM menu WHERE code = $1 AND NOT retired UNION ALL SELECT 1 FROM element WHERE code = $1 AND NOT retired',
      [permission],
    );
    if (!known)
      problems.permissionCode = ['请填写存在的菜单或按钮编码', 'Please name a menu or element that exists'];
  }
  if (kept<string>('targetKind', 'target_kind') === 'service') {
    const serviceId = kept<number | null>('service', 'service_id');
    const service =
      serviceId === null || serviceId === undefined
        ? undefined
        : await runOne<{ code: string }>(tx, 'SELECT code FROM service_client WHERE id = $1', [serviceId]);
    if (!service) problems.service = ['请选择目标服务', 'Please choose the service'];
    else if (service.code === 'backoffice-web') problems.service = TO_ITSELF;
    columns.upstream_id = null;
  } else {
    const url = String(kept<string | null>('url', 'url') ?? '');
    const upstream = await upstreamOf(tx, url);
    if ('problem' in upstream) problems.url = upstream.problem;
    else columns.upstream_id = upstream.id;
    if (input.service) problems.service = ['目标为地址时不选服务', 'A route to an address names no service'];
    columns.service_id = null;
  }
  if (Object.keys(problems).length > 0) throw invalid(problems);
}

/** The listed host of an address, or what is wrong with it. */
async function upstreamOf(tx: Tx, text: string): Promise<{ id: number } | { problem: Label }> {
  if (!URL.canParse(text)) return { problem: ['请填写完整地址', 'Please enter a whole address'] };
  const url = new URL(text);
  if (!['http:', 'https:'].includes(url.protocol) || url.username || url.password || url.search || url.hash)
    return { problem: ['只接受 http(s)://主机[:端口][/路径]', 'Only http(s)://host[:port][/path]'] };
  const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80));
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const own = await runOne(
    tx,
    `SELECT 1 FROM service_instance WHERE service = 'backoffice-web' AND host = $1 AND port = $2 AND status <> 'DOWN'`,
    [host, port],
  );
  if (own) return { problem: TO_ITSELF };
  const row = await runOne<{ id: number }>(
    tx,
    'SELECT id FROM upstream_host WHERE scheme = $1 AND host = $2 AND port = $3 FOR SHARE',
    [url.protocol.slice(0, -1), host, port],
  );
  return row ?? { problem: NOT_LISTED };
}

/** Whether calls of the product lie at or below a prefix, or the prefix lies among them. */
function collides(platform: ActionContext['platform'], prefix: string): boolean {
  if (/^\/api\/(admin|auth|jinmao|docs|file|metrics)(\/|$)/.test(prefix)) return true;
  return platform.registrations
    .flatMap((service) => service.endpoints)
    .some(({ path }) => {
      const own = `/api${path}`;
      return own === prefix || own.startsWith(`${prefix}/`) || prefix.startsWith(`${own}/`);
    });
}

/** Seals extra headers beside what is told of a change: their names can be read, their values nowhere. */
async function sealHeaders(
  { action, input, platform, tx, row }: ActionContext,
  id: number,
): Promise<readonly FieldChange[]> {
  if (action !== 'create' && action !== 'update') return [];
  const text = typeof input.headers === 'string' ? input.headers.trim() : '';
  if (text === '') return [];
  const headers: Record<string, string> = {};
  for (const line of text.split('\n')) {
    const match = /^([A-Za-z0-9-]{1,60}):\s*([\x20-\x7e]{1,1000})$/.exec(line.trim());
    if (!match || OWN_HEADERS.test(match[1]!))
      throw invalid({
        headers: [`请求头不正确：${line.slice(0, 20)}`, `Not a header that can be set: ${line.slice(0, 20)}`],
      });
    headers[match[1]!.toLowerCase()] = match[2]!.trim();
  }
  const names = Object.keys(headers);
  await run(tx, 'UPDATE gateway_route SET header_names = $2, sealed_headers = $3 WHERE id = $1', [
    id,
    names,
    sealText(platform.config, 'gateway', `route:${id}`, JSON.stringify(headers)),
  ]);
  return [{ field: 'header_names', before: row.header_names ?? [], after: names }];
}

async function publish(context: ActionContext): Promise<ActionResult> {
  const { tx, row, input, platform, id } = context;
  const snapshot = snapshotOf(row);
  const samples = (row.samples ?? []) as readonly RouteSample[];
  const red = await redSamples(platform, tx, id, samples, snapshotOf);
  if (red.length > 0 && input.anyway !== true)
    throw ruleBroken(
      fill(
        [
          '样例请求失败：{red}；确认后可勾选“样例失败仍发布”',
          'Sample requests failed: {red}. Tick "Publish although samples fail" to go on',
        ],
        { red: red.join('; ') },
      ),
    );
  const result = await putVersion(tx, context, snapshot, { reason: String(input.reason), from: null });
  return red.length === 0
    ? result
    : { ...result, remark: `${result.remark}（样例失败：${red.join('; ')}）`.slice(0, 500) };
}

async function rollback(context: ActionContext): Promise<ActionResult> {
  const { tx, id, input, caller } = context;
  const version = await runOne<{ snapshot: Snapshot }>(
    tx,
    'SELECT snapshot FROM gateway_route_version WHERE route_id = $1 AND no = $2',
    [id, input.no],
  );
  if (!version) throw notFound(['没有该版本', 'There is no such version']);
  const { snapshot } = version;
  if (snapshot.auth === 'public' && !caller.elements.has(`${gatewayRoute.menu}:btn_public`))
    throw ruleBroken([
      '该版本是公开的，需要“公开发布”权限',
      'The version is public: that needs the right to publish to everybody',
    ]);
  const result = await putVersion(tx, context, snapshot, {
    reason: String(input.reason),
    from: Number(input.no),
  });
  await restoreHeaders(context, snapshot);
  // The draft follows, so that the next change starts from what runs.
  return {
    ...result,
    set: {
      ...result.set,
      methods: snapshot.methods,
      prefix: snapshot.prefix,
      position: snapshot.position,
      target_kind: snapshot.targetKind,
      service_id: snapshot.serviceId,
      upstream_id: snapshot.upstreamId,
      url: snapshot.url,
      strip: snapshot.strip,
      preserve_host: snapshot.preserveHost,
      timeout_ms: snapshot.timeoutMs,
      retries: snapshot.retries,
      rate_per_minute: snapshot.ratePerMinute,
      rate_by: snapshot.rateBy,
      body_limit_mb: snapshot.bodyLimitMb,
      auth: snapshot.auth,
      permission_code: snapshot.permissionCode,
      allow_addresses: snapshot.allowAddresses,
      deny_addresses: snapshot.denyAddresses,
      forward_identity: snapshot.forwardIdentity,
    },
  };
}

/** The draft gets the extra headers of a version back. */
async function restoreHeaders(
  { platform, tx, id }: ActionContext,
  { sealedHeaders }: Snapshot,
): Promise<void> {
  const bytes = sealedHeaders === '' ? null : Buffer.from(sealedHeaders, 'base64');
  const names = bytes
    ? Object.keys(JSON.parse(openText(platform.config, 'gateway', `route:${id}`, bytes)) as object)
    : [];
  await run(tx, 'UPDATE gateway_route SET header_names = $2, sealed_headers = $3 WHERE id = $1', [
    id,
    names,
    bytes,
  ]);
}

async function putVersion(
  tx: Tx,
  { id, row, caller, platform }: ActionContext,
  snapshot: Snapshot,
  why: { readonly reason: string; readonly from: number | null },
): Promise<ActionResult> {
  if (collides(platform, snapshot.prefix)) throw ruleBroken(COLLIDES);
  const other = await runOne<{ code: string }>(
    tx,
    'SELECT code FROM gateway_route WHERE live_prefix = $1 AND id <> $2',
    [snapshot.prefix, id],
  );
  if (other)
    throw ruleBroken(fill(['前缀已被路由 {code} 使用', 'Prefix used by {code}'], { code: other.code }));
  if (snapshot.targetKind === 'url') {
    const upstream = await upstreamOf(tx, snapshot.url);
    if ('problem' in upstream) throw ruleBroken(upstream.problem);
  }
  const last = await runOne<{ no: number }>(
    tx,
    'SELECT coalesce(max(no), 0)::int AS no FROM gateway_route_version WHERE route_id = $1',
    [id],
  );
  const no = last!.no + 1;
  await run(
    tx,
    'INSERT INTO gateway_route_version (route_id, no, snapshot, reason, author_id, rolled_back_from) VALUES ($1, $2, $3, $4, $5, $6)',
    [id, no, JSON.stringify(snapshot), why.reason, staffIdOf(caller), why.from],
  );
  const api = await runOne<{ id: number }>(
    tx,
    `INSERT INTO api_call AS c (method, path, title_zh, title_en, codes, menu, level, source)
     VALUES ('ANY', $1, $2, $2, $3, split_part($4, ':', 1), $5, 'gateway')
     ON CONFLICT (method, path) DO UPDATE SET title_zh = excluded.title_zh, title_en = excluded.title_en, codes = excluded.codes,
       menu = excluded.menu, level = excluded.level, state = CASE c.state WHEN 'removed' THEN 'active' ELSE c.state END
     RETURNING id`,
    [
      `${snapshot.prefix}/*`,
      row.name,
      snapshot.auth === 'permission' ? [snapshot.permissionCode] : [],
      snapshot.permissionCode,
      snapshot.auth,
    ],
  );
  if (row.api_id !== null && row.api_id !== api!.id)
    await run(tx, `UPDATE api_call SET state = 'removed' WHERE id = $1`, [row.api_id]);
  platform.changed(API_ENTITY);
  return {
    to: 'published',
    set: { published_version: no, live_prefix: snapshot.prefix, dirty: false, api_id: api!.id },
    remark: why.reason,
    result: { version: no },
  };
}

function snapshotOf(row: Readonly<Record<string, unknown>>): Snapshot {
  const value = <T>(name: string) => row[name] as T;
  return {
    code: value('code'),
    prefix: value('prefix'),
    methods: value('methods'),
    position: value('position'),
    targetKind: value('target_kind'),
    serviceId: value('service_id'),
    upstreamId: value('upstream_id'),
    url: value('url'),
    strip: value('strip'),
    preserveHost: value('preserve_host'),
    timeoutMs: value('timeout_ms'),
    retries: value('retries'),
    ratePerMinute: value('rate_per_minute'),
    rateBy: value('rate_by'),
    bodyLimitMb: value('body_limit_mb'),
    auth: value('auth'),
    permissionCode: value<string>('auth') === 'permission' ? value('permission_code') : '',
    allowAddresses: value('allow_addresses'),
    denyAddresses: value('deny_addresses'),
    forwardIdentity: value('forward_identity'),
    sealedHeaders: row.sealed_headers ? Buffer.from(row.sealed_headers as Uint8Array).toString('base64') : '',
  };
}

function isRange(text: string): boolean {
  const match = /^([0-9a-fA-F.:]+)(?:\/(\d{1,3}))?$/.exec(text);
  const kind = match ? isIP(match[1]!) : 0;
  return kind !== 0 && (match![2] === undefined || Number(match![2]) <= (kind === 6 ? 128 : 32));
}

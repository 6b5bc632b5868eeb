import { fill, type Label } from '../../../kernel/contract/label.ts';
import { run, runOne } from '../../../kernel/server/database.ts';
import { idOf } from '../../../kernel/server/http/call-parts.ts';
import { invalid, ruleBroken } from '../../../kernel/server/http/errors.ts';
import { staffIdOf } from '../../../kernel/server/people/caller.ts';
import { endpoint } from '../../../kernel/server/registration.ts';
import { bindResource, type BoundResource } from '../../../kernel/server/resource/bind.ts';
import { containing } from '../../../kernel/server/resource/like-text.ts';
import type { ActionContext } from '../../../kernel/server/resource/run-action.ts';
import {
  endSecretOf,
  removeSecretOf,
  replaceSecret,
  secretListOf,
} from '../oauth-client/secret-actions.server.ts';
import { endTokensOf } from '../../frame/sign-in/client-commands.server.ts';
import { addSecret } from '../../../domain/oauth/client-secret.server.ts';
import { serviceClient, type ServiceMap } from './service-client.contract.ts';

const ROOT = '/admin/serviceClient';
const BUILTIN: Label = ['内置服务不能操作', 'Built-in service'];
const NO_CLIENT: Label = ['内置服务没有密钥', 'A built-in service has no secret'];
/** SQL: instances of service `t` that take work. */
const UP = `(SELECT count(*)::int FROM service_instance i WHERE i.service = t.code AND i.status = 'UP' AND i.status_override IS NULL)`;
/** SQL: routes that lead to service `t`, as drafts or as they run. */
const ROUTES = `(SELECT count(*)::int FROM gateway_route r WHERE r.service_id = t.id
  OR EXISTS (SELECT FROM gateway_route_version v WHERE v.route_id = r.id AND v.no = r.published_version AND r.state = 'published' AND (v.snapshot->>'serviceId')::bigint = t.id))`;
const inUse = (n: number) =>
  fill(['服务仍有 {n} 个实例/路由', 'Service still has {n} instances or routes'], { n });
const SECRETS = `FROM client_secret s WHERE s.client_id = t.client_id AND s.revoked_at IS NULL AND (s.expires_at IS NULL OR s.expires_at > now())`;

const bound: BoundResource = bindResource(serviceClient, {
  table: 'service_client',
  scope: { tenant: 'none', project: 'none', owner: 't.owner_id', platformOnly: true },
  joins: { owner: { table: 'staff', column: 'owner_id' } },
  search: `lower(t.code || ' ' || t.name)`,
  columns: {
    instances: `(${UP} || '/' || (SELECT count(*) FROM service_instance i WHERE i.service = t.code))`,
    live: `(${UP} > 0)`,
    allowed: `(SELECT coalesce(jsonb_agg(jsonb_build_object('id', o.id::text, 'title', o.name) ORDER BY o.code), '[]') FROM service_client_allowed a JOIN service_client o ON o.id = a.target_id WHERE a.service_id = t.id)`,
    allowedCount: `(SELECT count(*)::int FROM service_client_allowed a WHERE a.service_id = t.id)`,
    secret: `coalesce((SELECT '••••' || s.hint ${SECRETS} ORDER BY s.created_at DESC, s.id DESC LIMIT 1), '')`,
    secretExpiresAt: `(SELECT min(s.expires_at) ${SECRETS})`,
  },
  writes: { owner: 'owner_id' },
  unique: {
    oauth_client_pkey: ['已有同名的服务或客户端', 'A service or client of this id exists already'],
    service_client_code: ['服务编码已存在', 'The code exists already'],
  },
  extra: { up: UP, routes: ROUTES, clientId: 't.client_id' },
  ruleReads: ['builtin', 'up', 'routes', 'clientId', 'maintenance', 'enabled'],
  rowRules: {
    addSecret: noClient,
    removeSecret: noClient,
    endSecret: noClient,
    disable: (row) => (row.builtin ? BUILTIN : undefined),
    maintain: (row) => (row.maintenance ? ['服务已在维护中', 'It is under maintenance already'] : undefined),
    resume: (row) => (row.maintenance ? undefined : ['服务不在维护中', 'It is not under maintenance']),
    remove: (row) =>
      row.builtin
        ? BUILTIN
        : Number(row.up) + Number(row.routes) > 0
          ? inUse(Number(row.up) + Number(row.routes))
          : undefined,
  },
  before: [
    async ({ action, facts, columns }) => {
      if (action === 'create') columns.created_address = facts.address;
      if (action === 'create' || action === 'update') columns.updated_address = facts.address;
    },
  ],
  sets: { resume: { maintenance: false, maintenance_text: '', maintenance_until: null } },
  handlers: {
    create: async ({ tx, input, caller }) => {
      const code = String(input.code);
      // The credential has the id of the service, so that both are named the same wherever they are seen.
      await run(
        tx,
        `INSERT INTO oauth_client (client_id, name, description, grant_types, scopes, owner_id, created_by, updated_by)
         VALUES ($1, $2, $3, '{client_credentials}', '{service}', $4, $5, $5)`,
        [code, input.name, input.description ?? '', input.owner ?? null, staffIdOf(caller)],
      );
      const clientSecret = await addSecret(tx, code, { overlapDays: 0, createdBy: staffIdOf(caller) });
      return { set: { client_id: code }, result: { clientSecret } };
    },
    addSecret: (context) => replaceSecret(context, clientOf(context)),
    removeSecret: (context) => removeSecretOf(context, clientOf(context)),
    endSecret: (context) => endSecretOf(context, clientOf(context)),
    allow,
    maintain: async ({ input }) => {
      const until = new Date(input.until as string);
      if (!(until.getTime() > Date.now()))
        throw invalid({ until: ['维护结束时间必须晚于现在', 'The end must lie ahead'] });
      return { set: { maintenance: true, maintenance_text: input.text, maintenance_until: until } };
    },
    enable: async (context) => {
      await switchClient(context, true);
      return { set: { enabled: true } };
    },
    disable: async (context) => {
      await switchClient(context, false);
      return { set: { enabled: false } };
    },
    remove: async (context) => {
      const { tx, row, id } = context;
      // Instances that are gone are its history; who is still there was refused above.
      await run(tx, `DELETE FROM service_instance WHERE service = $1 AND status = 'DOWN'`, [row.code]);
      const left = await runOne<{ n: number }>(
        tx,
        'SELECT count(*)::int AS n FROM service_instance WHERE service = $1',
        [row.code],
      );
      if (left!.n > 0) throw ruleBroken(inUse(left!.n));
      if (row.client_id === null) return;
      await endTokensOf(tx, String(row.client_id));
      await run(tx, 'UPDATE service_client SET client_id = NULL WHERE id = $1', [id]);
      await run(tx, 'DELETE FROM oauth_client WHERE client_id = $1', [row.client_id]);
    },
  },
  detail: async (db, _id, row) => ({
    secretList: row.clientId === null ? [] : await secretListOf(db, String(row.clientId)),
  }),
  also: {
    options: [
      {
        target: 'serviceClient',
        anyOf: ['serviceManager', 'gatewayManager', 'serviceEurekaManager'],
        find: async ({ platform, caller }, query) =>
          caller.tenantKind !== 3
            ? []
            : (
                await run<{ id: number; title: string; note: string }>(
                  platform.database.db,
                  `SELECT id, name AS title, code AS note FROM service_client
                    WHERE CASE WHEN cardinality($1::bigint[]) > 0 THEN id = ANY($1::bigint[]) ELSE code ILIKE $2 OR name ILIKE $2 END
                    ORDER BY code LIMIT $3 OFFSET $4`,
                  [query.ids.map(Number), containing(query.searchVal), query.limit, query.offset],
                )
              ).map((row) => ({ ...row, id: String(row.id) })),
      },
    ],
  },
  endpoints: [
    endpoint({
      method: 'GET',
      path: `${ROOT}/:id/map`,
      title: ['调用关系', 'Who calls whom'],
      access: { code: serviceClient.menu },
      handle: async (call): Promise<ServiceMap> => {
        const id = idOf(call.params.id);
        await bound.find(call, id);
        const of = (own: string, other: string) =>
          run<ServiceMap['callers'][number]>(
            call.platform.database.db,
            `SELECT o.id::text AS id, o.code, o.name FROM service_client_allowed a JOIN service_client o ON o.id = a.${other} WHERE a.${own} = $1 ORDER BY o.code`,
            [id],
          );
        return {
          callers: await of('target_id', 'service_id'),
          callees: await of('service_id', 'target_id'),
        };
      },
    }),
  ],
});

/** Services, platform only. */
export const registration = bound.registration;

function noClient(row: Readonly<Record<string, unknown>>): Label | undefined {
  return row.clientId === null || row.clientId === undefined ? NO_CLIENT : undefined;
}

const clientOf = ({ row }: ActionContext): string => String(row.client_id);

/** Which services this one may call: the list replaces the one before. Taking one away counts for the very next call. */
async function allow(context: ActionContext) {
  const { tx, id, input } = context;
  const targets = [...new Set((input.targets ?? []) as number[])];
  if (targets.includes(id)) throw ruleBroken(['不能授权自身', 'A service needs no leave to call itself']);
  const known = await run<{ id: number; code: string }>(
    tx,
    'SELECT id, code FROM service_client WHERE id = ANY($1::bigint[])',
    [targets],
  );
  if (known.length < targets.length)
    throw invalid({ targets: ['请选择列表中的服务', 'Please choose services of the list'] });
  const before = await run<{ code: string }>(
    tx,
    'SELECT o.code FROM service_client_allowed a JOIN service_client o ON o.id = a.target_id WHERE a.service_id = $1 ORDER BY o.code',
    [id],
  );
  await run(tx, 'DELETE FROM service_client_allowed WHERE service_id = $1', [id]);
  await run(
    tx,
    'INSERT INTO service_client_allowed (service_id, target_id) SELECT $1, unnest($2::bigint[])',
    [id, targets],
  );
  return {
    changes: [
      {
        field: 'allowed',
        before: before.map((one) => one.code),
        after: known.map((one) => one.code).sort(),
      },
    ],
  };
}

/** A service that is off gets no token, as its credential is off with it. */
async function switchClient({ tx, row }: ActionContext, on: boolean): Promise<void> {
  if (row.client_id === null) return;
  await run(
    tx,
    'UPDATE oauth_client SET enabled = $2, version = version + 1, updated_at = now() WHERE client_id = $1',
    [row.client_id, on],
  );
  if (!on) await endTokensOf(tx, String(row.client_id));
}

import { isIP } from 'node:net';
import { fill, textOf, type Label } from '../../../kernel/contract/label.ts';
import { isoInstant } from '../../../kernel/contract/time.rules.ts';
import { run, runOne, type Executor } from '../../../kernel/server/database.ts';
import { idOf } from '../../../kernel/server/http/call-parts.ts';
import { invalid, ruleBroken } from '../../../kernel/server/http/errors.ts';
import { endClientTokens, endFamilies, endSessions } from '../../../kernel/server/people/session-changes.ts';
import { endpoint } from '../../../kernel/server/registration.ts';
import { bindResource, type BoundResource } from '../../../kernel/server/resource/bind.ts';
import { containing } from '../../../kernel/server/resource/like-text.ts';
import type { ActionContext, ActionResult } from '../../../kernel/server/resource/run-action.ts';
import { CLIENT_SCOPE, clientSight } from '../../../domain/oauth/client-notice.server.ts';
import { LIVE_SECRET } from '../../../domain/oauth/client-secret.server.ts';
import { forPlatform } from '../../../domain/services/platform-only.server.ts';
import { endTokensOf } from '../../frame/sign-in/client-commands.server.ts';
import { clientJobs } from './client-jobs.server.ts';
import { clientCalls } from './client-report.server.ts';
import { oauthClient, type TokenPart } from './oauth-client.contract.ts';
import { clientProblems } from './client-shape.server.ts';
import { endSecretOf, removeSecretOf, replaceSecret, secretListOf } from './secret-actions.server.ts';
import { SCOPES } from './oauth-client.rules.ts';

const ROOT = '/admin/oauthClient';
const BUILTIN: Label = ['内置客户端不能停用', 'Built-in client'];
/** SQL: how long a session lives without a call. */
const IDLE = `make_interval(mins => coalesce((SELECT (v.value #>> '{}')::int FROM setting v WHERE v.key = 'auth.session.idle_minutes'), 30))`;

/** SQL: live tokens of client `t` of each kind. */
const LIVE_SESSION = `x.ended_at IS NULL AND x.absolute_expires_at > now() AND x.last_seen_at > now() - ${IDLE}`;
const LIVE_TOKEN = `x.revoked_at IS NULL AND x.expires_at > now()`;
const LIVE_REFRESH = `f.ended_at IS NULL AND x.used_at IS NULL AND x.expires_at > now()`;
const TOKENS = `((SELECT count(*) FROM session x WHERE x.client_id = t.client_id AND ${LIVE_SESSION})
  + (SELECT count(*) FROM client_token x WHERE x.client_id = t.client_id AND ${LIVE_TOKEN})
  + (SELECT count(*) FROM refresh_token x JOIN token_family f ON f.id = x.family_id WHERE f.client_id = t.client_id AND ${LIVE_REFRESH}))::int`;

const bound: BoundResource = bindResource(oauthClient, {
  table: 'oauth_client',
  scope: CLIENT_SCOPE,
  joins: { owner: { table: 'staff', column: 'owner_id' } },
  search: `lower(t.client_id || ' ' || t.name)`,
  columns: {
    code: 't.client_id',
    grant: `t.grant_types[1]`,
    allowAddresses: `(SELECT coalesce(array_agg(CASE WHEN masklen(a) = CASE family(a) WHEN 4 THEN 32 ELSE 128 END THEN host(a) ELSE a::text END), '{}') FROM unnest(t.allow_addresses) a)`,
    secrets: `(SELECT count(*)::int FROM client_secret s WHERE s.client_id = t.client_id AND ${LIVE_SECRET})`,
    secretExpiresAt: `(SELECT min(s.expires_at) FROM client_secret s WHERE s.client_id = t.client_id AND ${LIVE_SECRET})`,
    secretExpiring: `EXISTS (SELECT FROM client_secret s WHERE s.client_id = t.client_id AND ${LIVE_SECRET} AND s.expires_at <= now() + interval '30 days')`,
    tokens: TOKENS,
    unused: `(coalesce(t.last_used_at, t.created_at) <= now() - interval '90 days')`,
  },
  writes: { code: 'client_id', owner: 'owner_id' },
  unique: { oauth_client_pkey: ['客户端ID已存在', 'The client id exists already'] },
  filters: {
    grant: (value, parameters) => `t.grant_types && ${parameters.bind(value.split(','))}::text[]`,
  },
  extra: { serviceCode: `(SELECT v.code FROM service_client v WHERE v.client_id = t.client_id)` },
  ruleReads: ['builtin', 'type', 'serviceCode', 'enabled'],
  rowRules: {
    disable: (row) => (row.builtin ? BUILTIN : undefined),
    remove: (row) =>
      row.builtin
        ? BUILTIN
        : row.serviceCode
          ? fill(['该客户端属于服务 {code}', 'The client belongs to the service {code}'], {
              code: String(row.serviceCode),
            })
          : undefined,
    addSecret: (row) =>
      row.type === 'public' && !row.builtin
        ? ['公开客户端没有密钥', 'A public client has no secret']
        : undefined,
  },
  before: [checkClient],
  handlers: {
    create: async ({ input }) => ({
      set: { type: input.type },
    }),
    addSecret: (context) => replaceSecret(context, clientOf(context)),
    removeSecret: (context) => removeSecretOf(context, clientOf(context)),
    endSecret: (context) => endSecretOf(context, clientOf(context)),
    revoke,
    disable: async (context) => {
      await endTokensOf(context.tx, clientOf(context));
      return { set: { enabled: false } };
    },
    remove: async (context) => {
      const clientId = clientOf(context);
      const live = await runOne<{ n: number }>(
        context.tx,
        `SELECT ${TOKENS} AS n FROM oauth_client t WHERE t.client_id = $1`,
        [clientId],
      );
      if (live!.n > 0 && context.input.confirmCode !== clientId)
        throw invalid({
          confirmCode: fill(
            [
              '仍有 {n} 个有效令牌，请输入客户端ID确认',
              '{n} {n|token is|tokens are} live: type the client id to confirm',
            ],
            { n: live!.n },
          ),
        });
      await endTokensOf(context.tx, clientId);
    },
  },
  detail: async (db, _id, row) => ({ secretList: await secretListOf(db, String(row.code)) }),
  also: {
    sights: [clientSight],
    jobs: clientJobs,
    options: [
      {
        target: 'clientOwner',
        anyOf: ['oauthClientDetailsManager', 'serviceManager'],
        find: async ({ platform, caller }, query) =>
          caller.tenantKind !== 3
            ? []
            : (
                await run<{ id: number; title: string; note: string }>(
                  platform.database.db,
                  `SELECT s.id, s.name AS title, s.account AS note FROM staff s JOIN tenant n ON n.id = s.tenant_id
                    WHERE n.kind = 3 AND CASE WHEN cardinality($1::bigint[]) > 0 THEN s.id = ANY($1::bigint[])
                               ELSE s.state = 'normal' AND (s.name ILIKE $2 OR s.account ILIKE $2) END
                    ORDER BY s.account LIMIT $3 OFFSET $4`,
                  [query.ids.map(Number), containing(query.searchVal), query.limit, query.offset],
                )
              ).map((row) => ({ ...row, id: String(row.id) })),
      },
    ],
  },
  endpoints: forPlatform([
    endpoint({
      method: 'GET',
      path: `${ROOT}/scopes`,
      title: ['可选范围', 'Scopes to choose from'],
      access: { code: oauthClient.menu },
      handle: async ({ platform, facts }) => {
        const groups = await run<{ code: string; title_zh: string; title_en: string }>(
          platform.database.db,
          `SELECT DISTINCT m.code, m.title_zh, m.title_en FROM menu m JOIN menu_place p ON p.parent_code = m.code
            WHERE NOT m.retired ORDER BY m.code`,
        );
        return [
          ...Object.entries(SCOPES).map(([scope, label]) => ({
            value: scope,
            label: `${scope} · ${textOf(label, facts.language)}`,
          })),
          ...groups.map((one) => ({
            value: `menu:${one.code}`,
            label: `menu:${one.code} · ${textOf([one.title_zh, one.title_en || one.title_zh], facts.language)}`,
          })),
        ];
      },
    }),
    clientCalls,
    endpoint({
      method: 'GET',
      path: `${ROOT}/:id/tokens`,
      title: ['令牌列表', 'Tokens'],
      access: { code: `${oauthClient.menu}:btn_token` },
      handle: async (call) => {
        const row = await bound.find(call, idOf(call.params.id));
        return tokensOf(call.platform.database.db, String(row.code));
      },
    }),
    endpoint({
      method: 'GET',
      path: `${ROOT}/:id/test`,
      title: ['测试', 'Test'],
      access: { code: `${oauthClient.menu}:btn_test` },
      handle: async (call) => {
        const row = await bound.find(call, idOf(call.params.id));
        const { db } = call.platform.database;
        const address = call.facts.address.replace(/^::ffff:(?=\d+\.)/i, '');
        const state = await runOne<{ secrets: number; fits: boolean | null }>(
          db,
          `SELECT (SELECT count(*)::int FROM client_secret s WHERE s.client_id = c.client_id AND ${LIVE_SECRET}) AS secrets,
                  cardinality(c.allow_addresses) = 0 OR $2::inet <<= ANY (c.allow_addresses) AS fits
             FROM oauth_client c WHERE c.client_id = $1`,
          [row.code, isIP(address) === 0 ? null : address],
        );
        const isPublic = row.type === 'public';
        return {
          address,
          checks: [
            { key: 'enabled', passes: row.enabled === true },
            { key: 'secret', passes: isPublic || state!.secrets > 0 },
            { key: 'address', passes: state!.fits === true },
          ],
          grantTypes: row.grantTypes,
          clientId: row.code,
          isPublic,
          redirectUri: (row.redirectUris as string[])[0] ?? null,
        };
      },
    }),
  ]),
});

/** OAuth clients, platform only. */
export const registration = bound.registration;

const clientOf = ({ row }: ActionContext): string => String(row.client_id);
/** The client as it will be is checked, not as it was. */
async function checkClient({ action, input, row, tx, columns }: ActionContext): Promise<void> {
  if (action !== 'create' && action !== 'update') return;
  const kept = <T>(name: string, column: string, none: T): T => (input[name] ?? row[column] ?? none) as T;
  const shape = {
    type: kept('type', 'type', 'confidential'),
    builtin: row.builtin === true,
    grantTypes: kept<string[]>('grantTypes', 'grant_types', []),
    scopes: kept<string[]>('scopes', 'scopes', []),
    redirectUris: kept<string[]>('redirectUris', 'redirect_uris', []),
    autoApprove: kept<string[]>('autoApprove', 'auto_approve', []),
  };
  const problems = shape.builtin
    ? input.grantTypes !== undefined || input.scopes !== undefined
      ? {
          grantTypes: [
            '内置客户端的授权类型与范围不能修改',
            'Grants and scopes of a built-in client stay',
          ] as Label,
        }
      : {}
    : clientProblems(shape);
  const addresses = (input.allowAddresses ?? []) as string[];
  const bad = addresses.find((one) => !isRange(one));
  if (bad !== undefined)
    problems.allowAddresses = [`地址或网段不正确：${bad}`, `Not an address or range: ${bad}`];
  if (Object.keys(problems).length > 0) throw invalid(problems);
  if (addresses.length > 0) {
    // Written as what it means: 10.0.0.7/8 is 10.0.0.0/8.
    const ranges = await run<{ range: string }>(
      tx,
      'SELECT DISTINCT network(a)::text AS range FROM unnest($1::inet[]) a ORDER BY 1',
      [addresses],
    );
    columns.allow_addresses = ranges.map((one) => one.range);
  }
  const groups = shape.scopes.flatMap((scope) => (scope.startsWith('menu:') ? [scope.slice(5)] : []));
  const known = await run<{ code: string }>(tx, 'SELECT DISTINCT parent_code AS code FROM menu_place');
  const missing = groups.find((group) => !known.some((one) => one.code === group));
  if (missing !== undefined)
    throw invalid({ scopes: [`没有菜单组 ${missing}`, `There is no menu group ${missing}`] });
}

function isRange(text: string): boolean {
  const match = /^([0-9a-fA-F.:]+)(?:\/(\d{1,3}))?$/.exec(text);
  const kind = match ? isIP(match[1]!) : 0;
  return kind !== 0 && (match![2] === undefined || Number(match![2]) <= (kind === 6 ? 128 : 32));
}

async function revoke(context: ActionContext): Promise<ActionResult> {
  const { tx, input } = context;
  const clientId = clientOf(context);
  const id = Number(input.token);
  if (input.kind !== 'all' && !Number.isSafeInteger(id))
    throw invalid({ token: ['请选择令牌', 'Please choose a token'] });
  const ofClient = async (table: string, column: string) => {
    const row = await runOne(tx, `SELECT 1 FROM ${table} WHERE ${column} = $1 AND client_id = $2`, [
      id,
      clientId,
    ]);
    if (!row) throw ruleBroken(['令牌已失效', 'The token is not live any more']);
  };
  let count: number;
  switch (input.kind) {
    case 'all':
      count = await endTokensOf(tx, clientId);
      break;
    case 'session':
      await ofClient('session', 'id');
      count = await endSessions(tx, { sessionId: id, clientId }, 'kicked');
      break;
    case 'client':
      await ofClient('client_token', 'id');
      count = await endClientTokens(tx, { clientId, tokenId: id });
      break;
    case 'refresh': {
      const token = await runOne<{ family_id: number }>(
        tx,
        'SELECT r.family_id FROM refresh_token r JOIN token_family f ON f.id = r.family_id WHERE r.id = $1 AND f.client_id = $2 AND f.ended_at IS NULL',
        [id, clientId],
      );
      if (!token) throw ruleBroken(['令牌已失效', 'The token is not live any more']);
      count = 1 + (await endFamilies(tx, { clientId, familyId: token.family_id }));
      break;
    }
    default:
      count =
        (await endSessions(tx, { staffId: id, clientId }, 'kicked')) +
        (await endFamilies(tx, { clientId, staffId: id }));
  }
  if (count === 0) throw ruleBroken(['令牌已失效', 'The token is not live any more']);
  context.platform.changed('session');
  return { remark: `${String(input.kind)} ${count}`, result: { count } };
}

/** Live tokens of a client, the newest first, at most 500. Never the tokens themselves. */
async function tokensOf(db: Executor, clientId: string): Promise<TokenPart[]> {
  const rows = await run<{
    id: number;
    kind: TokenPart['kind'];
    staff_id: number | null;
    account: string;
    scopes: string[] | null;
    issued_at: Date;
    last_used_at: Date | null;
    expires_at: Date;
    address: string;
    user_agent: string;
  }>(
    db,
    `SELECT * FROM (
       SELECT x.id, 'session' AS kind, x.staff_id, s.name || ' (' || s.account || ')' AS account, x.scopes, x.created_at AS issued_at,
              x.last_seen_at AS last_used_at, least(x.absolute_expires_at, x.last_seen_at + ${IDLE}) AS expires_at, x.address, x.user_agent
         FROM session x JOIN staff s ON s.id = x.staff_id WHERE x.client_id = $1 AND ${LIVE_SESSION}
       UNION ALL
       SELECT x.id, 'client', NULL, c.name, x.scopes, x.issued_at, x.last_used_at, x.expires_at, x.address, x.user_agent
         FROM client_token x JOIN oauth_client c ON c.client_id = x.client_id WHERE x.client_id = $1 AND ${LIVE_TOKEN}
       UNION ALL
       SELECT x.id, 'refresh', f.staff_id, s.name || ' (' || s.account || ')', f.scopes, x.issued_at, NULL, x.expires_at, x.address, x.user_agent
         FROM refresh_token x JOIN token_family f ON f.id = x.family_id JOIN staff s ON s.id = f.staff_id
        WHERE f.client_id = $1 AND ${LIVE_REFRESH}) live
      ORDER BY issued_at DESC, kind, id LIMIT 500`,
    [clientId],
  );
  return rows.map((row) => ({
    id: String(row.id),
    kind: row.kind,
    staffId: row.staff_id === null ? null : String(row.staff_id),
    account: row.account,
    scopes: row.scopes ?? [],
    issuedAt: isoInstant(row.issued_at),
    lastUsedAt: row.last_used_at && isoInstant(row.last_used_at),
    expiresAt: isoInstant(row.expires_at),
    address: row.address,
    device: row.user_agent,
  }));
}

import { z } from 'zod';
import {
  LIVE_BOSS_SESSION,
  bossSession,
  bossSignIn,
  endBossSessions,
  endOldBossSessions,
  sendCode,
  takeCode,
} from '../../../domain/boss-account/boss-account.server.ts';
import {
  BOSS_PERMISSIONS,
  BOSS_ROLES,
  permissionsOf,
  type BossPermission,
  type BossRole,
} from '../../../domain/boss-account/boss-account.rules.ts';
import { saidTwice, partsOfSaid } from '../../../domain/coupon/said-twice.rules.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { run, runOne, transaction, transactionBeside } from '../../../kernel/server/database.ts';
import { invalid, Refusal, ruleBroken } from '../../../kernel/server/http/errors.ts';
import { endpoint } from '../../../kernel/server/registration.ts';
import { bindResource } from '../../../kernel/server/resource/bind.ts';
import type { ActionContext, ActionResult } from '../../../kernel/server/resource/run-action.ts';
import { bossAccount } from './boss-account.contract.ts';

const ROOT = '/jinmao/web/bossAccount';
/** What the program behind the merchants' app holds. */
const APP_SCOPE = 'member_event';
const ONE_OWNER: Label = ['该商户已有老板账户', 'Merchant already has an owner'];
const KEEP_OWNER: Label = ['请先转移老板', 'Transfer ownership first'];

/** Accounts of the merchants' app: the platform's alone. */
export const registration = bindResource(bossAccount, {
  table: 'boss_account',
  lines: { links: { table: 'boss_link', own: 'boss_account_id', joins: { merchant: 'tenant' } } },
  scope: { tenant: 'none', project: 'none', owner: 't.created_by', platformOnly: true },
  keyword: (value, parameters) => {
    const exact = parameters.bind(value);
    return `(t.phone = ${exact} OR t.name = ${exact})`;
  },
  columns: {
    shops: `(SELECT json_agg(json_build_object('name', m.name, 'role', l.role) ORDER BY l.position) FROM boss_link l JOIN tenant m ON m.id = l.merchant_id WHERE l.boss_account_id = t.id)`,
    permissions: `ARRAY(SELECT DISTINCT x FROM boss_link l, unnest(l.permissions) x WHERE l.boss_account_id = t.id ORDER BY x)`,
    merchant: { id: 'NULL::bigint', title: 'NULL::text' },
    role: 'NULL::text',
    devices: `(SELECT count(*)::int FROM boss_session s WHERE s.boss_account_id = t.id AND ${LIVE_BOSS_SESSION})`,
    lastLogin: 't.last_login_at',
  },
  filters: {
    merchant: (value, parameters) => {
      const ids = value.split(',');
      if (ids.length > 500 || ids.some((id) => !/^\d{1,15}$/.test(id)))
        return ['没有此选项', 'There is no such choice'];
      return `EXISTS (SELECT FROM boss_link l WHERE l.boss_account_id = t.id AND l.merchant_id = ANY(${parameters.bind(ids.map(Number))}::bigint[]))`;
    },
    role: (value, parameters) =>
      `EXISTS (SELECT FROM boss_link l WHERE l.boss_account_id = t.id AND l.role = ANY(${parameters.bind(value.split(','))}::text[]))`,
  },
  unique: {
    boss_account_phone: ['该手机号已有账户', 'This phone has an account'],
    boss_link_owner: ONE_OWNER,
    boss_link_once: ['同一商户只能填写一次', 'A merchant stands here once'],
  },
  words: {
    shops: (value, { language }) => partsOfSaid(value)[language === 'en' ? 1 : 0],
  },
  before: [checkLinks],
  handlers: {
    disable: async ({ tx, id, input }) => {
      await endBossSessions(tx, id, 'disabled');
      return { set: { locked_until: null }, remark: String(input.reason) };
    },
    unlock: async ({ tx, id }) => {
      await run(tx, 'DELETE FROM boss_wrong_code WHERE boss_account_id = $1', [id]);
      return { set: { locked_until: null } };
    },
    kick: async ({ tx, id, input }) => {
      const ended = await endBossSessions(tx, id, 'kicked');
      return { remark: `${String(input.reason)} (${ended})`, result: { ended } };
    },
    sendCode: async ({ tx, id }) => {
      await sendCode(tx, id, 'transfer');
      return {};
    },
    transferOwner,
  },
  present: (rows) => {
    for (const row of rows) {
      if (row.shops !== undefined) {
        const shops = (row.shops ?? []) as readonly { name: string; role: BossRole }[];
        row.shops = saidTwice([
          shops.map((one) => `${one.name}（${BOSS_ROLES[one.role].label[0]}）`).join('、'),
          shops.map((one) => `${one.name} (${BOSS_ROLES[one.role].label[1]})`).join(', '),
        ]);
      }
    }
    return Promise.resolve();
  },
  endpoints: [
    endpoint({
      method: 'POST',
      path: `${ROOT}/app/code`,
      title: ['商户端登录验证码', 'Code of the merchants’ app'],
      access: { program: APP_SCOPE },
      body: z.strictObject({ phone: z.string().regex(/^1\d{10}$/) }),
      handle: async ({ platform, body }) => {
        await transaction(platform.database.db, async (tx) => {
          const account = await runOne<{ id: number }>(
            tx,
            `SELECT id FROM boss_account WHERE phone = $1 AND state <> 'disabled'`,
            [body.phone],
          );
          if (account) await sendCode(tx, account.id, 'sign_in');
        }).catch((error: unknown) => {
          // Sent just now: said to nobody, as only phones with an account would hear it.
          if (!(error instanceof Refusal)) throw error;
        });
        return { sent: true };
      },
    }),
    endpoint({
      method: 'POST',
      path: `${ROOT}/app/signIn`,
      title: ['商户端登录', 'Sign-in of the merchants’ app'],
      access: { program: APP_SCOPE },
      body: z.strictObject({
        phone: z.string().regex(/^1\d{10}$/),
        code: z.string().regex(/^\d{6}$/),
        device: z.string().trim().min(1).max(80),
      }),
      handle: async ({ platform, body }) => {
        const { token, session } = await bossSignIn(platform.database.db, body);
        platform.changed('bossAccount');
        return { token, ...wire(session) };
      },
    }),
    endpoint({
      method: 'POST',
      path: `${ROOT}/app/session`,
      title: ['商户端会话', 'Session of the merchants’ app'],
      access: { program: APP_SCOPE },
      body: z.strictObject({ token: z.string().min(20).max(100) }),
      handle: async ({ platform, body }) => {
        const session = await bossSession(platform.database.db, body.token);
        if (!session) throw new Refusal(401, 40001, ['登录已失效', 'The session has ended']);
        return wire(session);
      },
    }),
  ],
  also: {
    jobs: [
      {
        name: 'boss.sessions_end',
        title: ['商户端会话到期', 'Sessions of the merchants’ app that are over'],
        cron: '20 19 * * *',
        run: async (_payload, platform) => {
          if ((await endOldBossSessions(platform.database.db)) > 0) platform.changed('bossAccount');
        },
      },
    ],
  },
}).registration;

function wire(session: NonNullable<Awaited<ReturnType<typeof bossSession>>>) {
  return {
    accountId: String(session.accountId),
    name: session.name,
    merchants: session.links.map(({ merchantId, ...link }) => ({ merchantId: String(merchantId), ...link })),
  };
}

/** Permissions fit the roles, a merchant keeps its owner, and who loses a merchant is signed out. */
async function checkLinks({ tx, action, id, input }: ActionContext): Promise<void> {
  if (action === 'remove') {
    const owned = await runOne(tx, `SELECT FROM boss_link WHERE boss_account_id = $1 AND role = 'owner'`, [
      id,
    ]);
    if (owned) throw ruleBroken(KEEP_OWNER);
    return;
  }
  if ((action !== 'create' && action !== 'update') || !Array.isArray(input.links)) return;
  const links = input.links as {
    merchant: string | number;
    role: BossRole;
    permissions?: readonly BossPermission[];
  }[];
  for (const [index, link] of links.entries()) {
    const kept = permissionsOf(link.role, link.permissions ?? []);
    if ('problem' in kept)
      throw invalid({
        links: [`第${index + 1}行：${kept.problem[0]}`, `Row ${index + 1}: ${kept.problem[1]}`],
      });
    link.permissions = kept.kept;
  }
  const merchants = links.map((link) => Number(link.merchant));
  if (new Set(merchants).size < merchants.length)
    throw invalid({ links: ['同一商户只能填写一次', 'A merchant stands here once'] });
  // Behind a lock of each merchant, so that two owners never come at once; the index holds in any case.
  const owners = links.filter((link) => link.role === 'owner').map((link) => Number(link.merchant));
  const taken = await run(
    tx,
    `SELECT FROM boss_link WHERE role = 'owner' AND merchant_id = ANY($1::bigint[]) AND boss_account_id IS DISTINCT FROM $2`,
    [owners, action === 'update' ? id : null],
  );
  if (taken.length > 0) throw ruleBroken(ONE_OWNER, { fields: { links: ONE_OWNER } });
  if (action !== 'update') return;
  const lost = await run<{ role: string }>(
    tx,
    `SELECT role FROM boss_link WHERE boss_account_id = $1 AND ((role = 'owner' AND NOT merchant_id = ANY($2::bigint[])) OR NOT merchant_id = ANY($3::bigint[]))`,
    [id, owners, merchants],
  );
  if (lost.some((one) => one.role === 'owner')) throw ruleBroken(KEEP_OWNER);
  if (lost.length > 0) await endBossSessions(tx, id, 'link removed');
}

/** Another account becomes the owner of a merchant; the old one stays as manager. Needs the code sent to the old owner, or evidence. */
async function transferOwner({ tx, platform, id, input }: ActionContext): Promise<ActionResult> {
  const merchant = Number(input.merchant);
  await run(tx, 'SELECT 1 FROM tenant WHERE id = $1 FOR NO KEY UPDATE', [merchant]);
  const held = await runOne(
    tx,
    `SELECT FROM boss_link WHERE boss_account_id = $1 AND merchant_id = $2 AND role = 'owner'`,
    [id, merchant],
  );
  if (!held)
    throw invalid({ merchant: ['该账户不是此商户的老板', 'The account does not own this merchant'] });
  const next = await runOne<{ id: number }>(
    tx,
    `SELECT id FROM boss_account WHERE phone = $1 AND state <> 'disabled' FOR UPDATE`,
    [input.to],
  );
  if (!next || next.id === id)
    throw invalid({ to: ['没有该手机号的其他账户', 'No other account has this phone'] });
  const evidence = String(input.evidence ?? '').trim();
  if (input.code) {
    // A wrong guess counts although the transfer is refused.
    const right = await transactionBeside(platform.database.db, (beside) =>
      takeCode(beside, id, 'transfer', String(input.code)),
    );
    if (!right) throw invalid({ code: ['验证码不正确或已失效', 'The code is not right or over'] });
  } else if (evidence.length < 10)
    throw invalid({
      evidence: [
        '不使用验证码时须填写凭证说明，至少10字',
        'Without a code, evidence of at least 10 characters',
      ],
    });
  await run(
    tx,
    `UPDATE boss_link SET role = 'manager', permissions = array_remove(permissions, 'withdraw') WHERE boss_account_id = $1 AND merchant_id = $2`,
    [id, merchant],
  );
  await run(
    tx,
    `INSERT INTO boss_link (boss_account_id, position, merchant_id, role, permissions)
     SELECT $1, coalesce(max(position), 0) + 1, $2, 'owner', $3 FROM boss_link WHERE boss_account_id = $1
     ON CONFLICT (boss_account_id, merchant_id) DO UPDATE SET role = 'owner', permissions = excluded.permissions`,
    [next.id, merchant, Object.keys(BOSS_PERMISSIONS)],
  );
  await endBossSessions(tx, id, 'ownership moved');
  await run(tx, 'UPDATE boss_account SET version = version + 1, updated_at = now() WHERE id = $1', [next.id]);
  return { remark: [String(input.reason), evidence].filter((one) => one !== '').join('；') };
}

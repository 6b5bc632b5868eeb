import { containing } from '../../../kernel/server/like-text.ts';
import { isoInstant } from '../../../kernel/contract/time.rules.ts';
import { bindResource } from '../../../kernel/server/bind-resource.ts';
import { run, runOne, type Executor, type Tx } from '../../../kernel/server/database.ts';
import { invalid, notFound, ruleBroken } from '../../../kernel/server/errors.ts';
import type { ActionContext, ActionResult } from '../../../kernel/server/run-action.ts';
import { endpoint } from '../../../kernel/server/service.ts';
import { endSessions } from '../../../kernel/server/session-changes.ts';
import { whitelistVerdict } from '../../frame/sign-in/whitelist.server.ts';
import { whitelist } from './whitelist.contract.ts';
import { whitelistImport } from './whitelist-import.server.ts';
import { whitelistReminder } from './whitelist-reminder.server.ts';
import { checkRule, isAddress } from './whitelist-rule.server.ts';

const ENFORCE = 'login.whitelist.enforce';
const LIVE = `CASE WHEN NOT t.enabled THEN 'disabled' WHEN t.expires_at IS NOT NULL AND t.expires_at <= now() THEN 'expired' WHEN t.starts_at IS NOT NULL AND t.starts_at > now() THEN 'waiting' ELSE 'live' END`;

const bound = bindResource(whitelist, {
  table: 'login_whitelist',
  from: 'login_whitelist t LEFT JOIN staff s ON s.id = t.staff_id LEFT JOIN staff c ON c.id = t.created_by',
  columns: {
    staff: { id: 't.staff_id', title: `s.name || ' (' || s.account || ')'` },
    range: `t.range::text`,
    live: LIVE,
    endSessions: 'false',
    creator: 'c.name',
  },
  writes: { range: 'range', endSessions: false },
  // Rules bind sign-in as a whole, so only the platform keeps them.
  scope: { tenant: 'none', project: 'none', owner: 't.created_by', platformOnly: true },
  filters: {
    range: (value, parameters) => {
      // What is no address lies in no range.
      if (!isAddress(value)) return 'FALSE';
      return `t.range >>= ${parameters.bind(value)}::inet`;
    },
  },
  extra: { on: 't.enabled' },
  ruleReads: ['on'],
  rowRules: {
    enable: (row) => (row.on ? ['规则已启用', 'The rule is enabled'] : undefined),
    disable: (row) => (row.on ? undefined : ['规则已停用', 'The rule is disabled']),
  },
  handlers: {
    create,
    update: changeRule,
    enable: async (context) => {
      const { row } = context;
      await refuseTwin(
        context.tx,
        row.staff_id as number | null,
        row.range as string | null,
        String(row.purpose),
        context.id,
      );
      await keepOneself(
        context,
        async () =>
          void (await run(context.tx, 'UPDATE login_whitelist SET enabled = true WHERE id = $1', [
            context.id,
          ])),
      );
      return { set: { enabled: true } };
    },
    disable: async (context) => {
      await keepOneself(
        context,
        async () =>
          void (await run(context.tx, 'UPDATE login_whitelist SET enabled = false WHERE id = $1', [
            context.id,
          ])),
      );
      return { set: { enabled: false } };
    },
    remove: async (context) => {
      await keepOneself(
        context,
        async () =>
          void (await run(context.tx, 'UPDATE login_whitelist SET enabled = false WHERE id = $1', [
            context.id,
          ])),
      );
    },
    test: async ({ tx, input }) => {
      if (!isAddress(String(input.address)))
        throw invalid({ address: ['地址不正确', 'The address is not valid'] });
      const staff = await runOne<{ id: number }>(tx, 'SELECT id FROM staff WHERE id = $1', [input.staff]);
      if (!staff) throw notFound();
      const enforced = await isEnforced(tx);
      const { allowed, rowId } = await whitelistVerdict(tx, staff.id, String(input.address), enforced);
      return { result: { allowed, rowId: rowId === null ? null : String(rowId), enforced } };
    },
    enforce: async (context) => {
      const on = context.input.on === true;
      await keepOneself(context, async () => {
        await run(
          context.tx,
          `INSERT INTO setting (key, value, updated_by) VALUES ($1, $2::jsonb, $3) ON CONFLICT (key) DO UPDATE SET value = excluded.value, version = setting.version + 1, updated_at = now(), updated_by = excluded.updated_by`,
          [ENFORCE, JSON.stringify(on), context.caller.staffId],
        );
      });
      context.platform.settings.forget();
    },
  },
  also: {
    imports: [whitelistImport],
    jobs: [whitelistReminder],
    options: [
      {
        // Rules may bind accounts of every tenant; only the platform keeps them.
        target: 'whitelistAccount',
        anyOf: ['WhiteManage'],
        find: async ({ caller, platform }, query) => {
          if (caller.tenantKind !== 3) return [];
          const rows = await run<{ id: number; title: string; note: string }>(
            platform.database.db,
            `SELECT s.id, s.name || ' (' || s.account || ')' AS title, n.name AS note FROM staff s JOIN tenant n ON n.id = s.tenant_id
              WHERE CASE WHEN cardinality($1::bigint[]) > 0 THEN s.id = ANY($1::bigint[])
                         ELSE s.state <> 'left' AND (s.name ILIKE $2 OR s.account ILIKE $2) END
              ORDER BY s.account LIMIT $3 OFFSET $4`,
            [query.ids.map(Number), containing(query.searchVal), query.limit, query.offset],
          );
          return rows.map((row) => ({ ...row, id: String(row.id) }));
        },
      },
    ],
  },
  endpoints: [
    endpoint({
      method: 'GET',
      path: '/admin/whitelist/enforcement',
      title: ['全员限制状态', 'Enforcement'],
      access: { code: 'WhiteManage' },
      handle: async (call) => ({
        enforced: await isEnforced(call.platform.database.db),
        address: call.facts.address,
        rows:
          call.caller.tenantKind === 3
            ? (await runOne<{ n: number }>(
                call.platform.database.db,
                `SELECT count(*) AS n FROM login_whitelist WHERE enabled AND purpose = 'allow' AND staff_id IS NULL AND (expires_at IS NULL OR expires_at > now())`,
              ))!.n
            : 0,
      }),
    }),
    endpoint({
      method: 'GET',
      path: '/admin/whitelist/hits',
      title: ['命中记录', 'Hits'],
      access: { code: 'WhiteManage:btn_hit' },
      handle: async (call) => {
        if (call.caller.tenantKind !== 3) return [];
        const rows = await run<{
          id: number;
          account: string;
          address: string;
          at: Date;
          result: string;
          whitelist_id: number | null;
        }>(
          call.platform.database.db,
          `SELECT id, account, address, at, result, whitelist_id FROM whitelist_hit WHERE at > now() - interval '90 days' ORDER BY id DESC LIMIT 500`,
        );
        return rows.map((row) => ({
          id: String(row.id),
          account: row.account,
          address: row.address,
          at: isoInstant(row.at),
          result: row.result,
          whitelistId: row.whitelist_id === null ? null : String(row.whitelist_id),
        }));
      },
    }),
  ],
});

/** Login whitelist, platform only. */
export const service = bound.service;

async function create(context: ActionContext): Promise<ActionResult> {
  const { tx, input, caller } = context;
  await checkRule(tx, input, String(input.purpose), new Date());
  const range = (input.range as string | null | undefined) ?? null;
  await refuseTwin(tx, (input.staff as number | undefined) ?? null, range, String(input.purpose), 0);
  const expires =
    (input.expiresAt as string | undefined) ??
    (input.purpose === 'skip_code' ? new Date(Date.now() + 90 * 86_400_000).toISOString() : null);
  let id = 0;
  await keepOneself(context, async () => {
    const row = await runOne<{ id: number }>(
      tx,
      `INSERT INTO login_whitelist (staff_id, range, purpose, starts_at, expires_at, reason, created_by, updated_by) VALUES ($1, $2::cidr, $3, $4, $5, $6, $7, $7) RETURNING id`,
      [
        input.staff ?? null,
        range,
        input.purpose,
        input.startsAt ?? null,
        expires,
        input.reason,
        caller.staffId,
      ],
    );
    id = row!.id;
  });
  if (input.endSessions === true) await endUnfitting(tx, context);
  return { id };
}

/** The rule as it will be is checked, not as it was: a field that was not sent keeps its value, an emptied one loses it. */
async function changeRule(context: ActionContext): Promise<ActionResult> {
  const { tx, row, input, id } = context;
  const kept = (name: string, column: string): unknown => (name in input ? input[name] : row[column]);
  const next = {
    staff: kept('staff', 'staff_id') as number | null,
    range: kept('range', 'range') as string | null,
    expiresAt: kept('expiresAt', 'expires_at'),
    startsAt: kept('startsAt', 'starts_at'),
  };
  await checkRule(tx, next, String(row.purpose), row.created_at as Date);
  if (row.purpose === 'skip_code' && !next.expiresAt)
    throw invalid({ expiresAt: ['免验证码必须有到期时间', 'Skip code needs an end'] });
  if (row.enabled) await refuseTwin(tx, next.staff, next.range, String(row.purpose), id);
  await keepOneself(context, async () => {
    await run(
      tx,
      `UPDATE login_whitelist SET staff_id = $2, range = $3::cidr, starts_at = $4, expires_at = $5 WHERE id = $1`,
      [id, next.staff, next.range, next.startsAt, next.expiresAt],
    );
  });
  if (input.endSessions === true) await endUnfitting(tx, context);
  return {};
}

async function refuseTwin(
  tx: Tx,
  staffId: number | null,
  range: string | null,
  purpose: string,
  exceptId: number,
): Promise<void> {
  const twin = await runOne(
    tx,
    `SELECT 1 FROM login_whitelist WHERE enabled AND staff_id IS NOT DISTINCT FROM $1 AND range IS NOT DISTINCT FROM $2::cidr AND purpose = $3 AND id <> $4`,
    [staffId, range, purpose, exceptId],
  );
  if (twin) throw ruleBroken(['相同的规则已存在', 'The same rule exists']);
}

/** Sessions whose account may no longer sign in from their address end at once with 40001. */
async function endUnfitting(tx: Tx, context: ActionContext): Promise<void> {
  const enforced = await isEnforced(tx);
  const sessions = await run<{ id: number; staff_id: number; address: string }>(
    tx,
    'SELECT id, staff_id, address FROM session WHERE ended_at IS NULL',
  );
  for (const session of sessions)
    if (!(await whitelistVerdict(tx, session.staff_id, session.address, enforced)).allowed)
      await endSessions(tx, { sessionId: session.id }, 'whitelist');
  context.platform.changed('session');
}

/** Makes the change, then refuses it (and so undoes it) when the caller could no longer sign in from the own address. */
async function keepOneself(context: ActionContext, change: () => Promise<void>): Promise<void> {
  await change();
  const verdict = await whitelistVerdict(
    context.tx,
    context.caller.staffId,
    context.facts.address,
    await isEnforced(context.tx),
  );
  if (!verdict.allowed)
    throw ruleBroken([
      `启用后您将无法登录，请先加入当前地址 ${context.facts.address}`,
      `You would lock yourself out, add ${context.facts.address} first`,
    ]);
}

async function isEnforced(tx: Executor): Promise<boolean> {
  return (
    (await runOne<{ value: unknown }>(tx, 'SELECT value FROM setting WHERE key = $1', [ENFORCE]))?.value ===
    true
  );
}

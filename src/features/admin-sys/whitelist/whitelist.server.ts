import { containing } from '../../../kernel/server/resource/like-text.ts';
import { isoInstant } from '../../../kernel/contract/time.rules.ts';
import { bindResource } from '../../../kernel/server/resource/bind.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { run, runOne, type Tx } from '../../../kernel/server/database.ts';
import { invalid, notFound, ruleBroken } from '../../../kernel/server/http/errors.ts';
import type { ActionContext, ActionResult } from '../../../kernel/server/resource/run-action.ts';
import { Parameters, scopeCondition } from '../../../kernel/server/people/scope.ts';
import { endpoint } from '../../../kernel/server/registration.ts';
import { endSessions } from '../../../kernel/server/people/session-changes.ts';
import {
  ENFORCE,
  isEnforced,
  stopSignIns,
  whitelistVerdict,
  whitelistVerdicts,
} from '../../frame/sign-in/whitelist.server.ts';
import { protectAdministrators, protectedStaff } from '../permission-group/reach-rules.server.ts';
import { whitelist } from './whitelist.contract.ts';
import { whitelistImport } from './whitelist-import.server.ts';
import { whitelistReminder } from './whitelist-reminder.server.ts';
import { checkRule, isAddress } from './whitelist-rule.server.ts';
import { RULE_SCOPE, STAFF_SCOPE, staffInSight, ruleSight } from './whitelist-scope.server.ts';

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
  scope: RULE_SCOPE,
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
      await protectNamed(context);
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
      await protectNamed(context);
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
      await protectNamed(context);
      await keepOneself(
        context,
        async () =>
          void (await run(context.tx, 'UPDATE login_whitelist SET enabled = false WHERE id = $1', [
            context.id,
          ])),
      );
    },
    test: async ({ tx, caller, input }) => {
      if (!isAddress(String(input.address)))
        throw invalid({ address: ['地址不正确', 'The address is not valid'] });
      const staffId = Number(input.staff);
      if (!(await staffInSight(tx, caller, [staffId])).has(staffId)) throw notFound();
      const enforced = await isEnforced(tx);
      const { allowed, rowId } = await whitelistVerdict(tx, staffId, String(input.address), enforced);
      const shown = rowId !== null && (await ruleInSight(tx, caller, rowId));
      return { result: { allowed, rowId: shown ? String(rowId) : null, enforced } };
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
    sights: [ruleSight],
    jobs: [whitelistReminder],
    options: [
      {
        // Rules may bind accounts of every tenant; only the platform keeps them.
        target: 'whitelistAccount',
        anyOf: ['WhiteManage'],
        find: async ({ caller, platform }, query) => {
          const parameters = new Parameters();
          const ids = parameters.bind(query.ids.map(Number));
          const word = parameters.bind(containing(query.searchVal));
          const rows = await run<{ id: number; title: string; note: string }>(
            platform.database.db,
            `SELECT s.id, s.name || ' (' || s.account || ')' AS title, n.name AS note FROM staff s JOIN tenant n ON n.id = s.tenant_id
              WHERE CASE WHEN cardinality(${ids}::bigint[]) > 0 THEN s.id = ANY(${ids}::bigint[])
                         ELSE s.state <> 'left' AND (s.name ILIKE ${word} OR s.account ILIKE ${word}) END
                AND ${scopeCondition(caller, whitelist.menu, STAFF_SCOPE, parameters)}
              ORDER BY s.account LIMIT ${parameters.bind(query.limit)} OFFSET ${parameters.bind(query.offset)}`,
            parameters.values,
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
      handle: async (call) => {
        const { db } = call.platform.database;
        const parameters = new Parameters();
        const scope = scopeCondition(call.caller, whitelist.menu, RULE_SCOPE, parameters);
        const common = await runOne<{ n: number }>(
          db,
          `SELECT count(*) AS n FROM login_whitelist t
            WHERE t.enabled AND t.purpose = 'allow' AND t.staff_id IS NULL AND (t.expires_at IS NULL OR t.expires_at > now()) AND ${scope}`,
          parameters.values,
        );
        return { enforced: await isEnforced(db), address: call.facts.address, rows: common!.n };
      },
    }),
    endpoint({
      method: 'GET',
      path: '/admin/whitelist/hits',
      title: ['命中记录', 'Hits'],
      access: { code: 'WhiteManage:btn_hit' },
      handle: async (call) => {
        const parameters = new Parameters();
        const rules = scopeCondition(call.caller, whitelist.menu, RULE_SCOPE, parameters);
        const staff = scopeCondition(call.caller, whitelist.menu, STAFF_SCOPE, parameters);
        const rows = await run<{
          id: number;
          account: string;
          address: string;
          at: Date;
          result: string;
          whitelist_id: number | null;
        }>(
          call.platform.database.db,
          // Who made a rule for everybody sees no sign-ins of accounts out of sight by that.
          `SELECT h.id, h.account, h.address, h.at, h.result, h.whitelist_id
             FROM whitelist_hit h LEFT JOIN login_whitelist t ON t.id = h.whitelist_id
             LEFT JOIN staff s ON lower(s.account) = lower(h.account)
            WHERE h.at > now() - interval '90 days' AND (${staff}) AND (t.id IS NULL OR (${rules}))
            ORDER BY h.id DESC LIMIT 500`,
          parameters.values,
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
export const registration = bound.registration;

async function create(context: ActionContext): Promise<ActionResult> {
  const { tx, input, caller } = context;
  await checkRule(tx, input, String(input.purpose), new Date());
  await mayName(tx, caller, input.staff);
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
  await protectNamed(context);
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
  if (next.staff !== row.staff_id) await mayName(tx, context.caller, next.staff);
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

/**
 * Throws 422 when the caller does not see the staff a rule is to name, 30101 when it is an administrator and the caller is
 * none: a rule says from where somebody signs in, and ends sessions.
 */
async function mayName(tx: Tx, caller: Caller, staff: unknown): Promise<void> {
  if (typeof staff !== 'number') return;
  if (!(await staffInSight(tx, caller, [staff])).has(staff))
    throw invalid({ staff: ['请选择列表中的账号', 'Please choose an account of the list'] });
  await protectAdministrators(tx, caller, staff);
}

/** Rules of administrators are changed, switched and taken away by administrators only. */
async function protectNamed({ tx, caller, row }: ActionContext): Promise<void> {
  if (typeof row.staff_id === 'number') await protectAdministrators(tx, caller, row.staff_id);
}

async function ruleInSight(tx: Tx, caller: Caller, ruleId: number): Promise<boolean> {
  const parameters = new Parameters();
  const id = parameters.bind(ruleId);
  const row = await runOne(
    tx,
    `SELECT 1 FROM login_whitelist t WHERE t.id = ${id} AND ${scopeCondition(caller, whitelist.menu, RULE_SCOPE, parameters)}`,
    parameters.values,
  );
  return row !== undefined;
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

/** Sessions whose account may no longer sign in from their address end at once with 40001, those being opened too. */
async function endUnfitting(tx: Tx, context: ActionContext): Promise<void> {
  await stopSignIns(tx);
  const ending = (await sessionsWith(tx, 'ended_at IS NULL')).filter((session) => !session.fits);
  if (ending.length > 0)
    await endSessions(tx, { sessionId: ending.map((session) => session.id) }, 'whitelist');
  context.platform.changed('session');
}

/**
 * Makes the change, then refuses it (and so undoes it) when the caller could no longer sign in from the own address, or,
 * for callers who are none, an administrator from the address of its session: rules without an account bind them too.
 */
async function keepOneself(context: ActionContext, change: () => Promise<void>): Promise<void> {
  const { tx, caller, facts } = context;
  const before = await administratorsWhoFit(tx, caller);
  await change();
  const verdict = await whitelistVerdict(tx, caller.staffId, facts.address, await isEnforced(tx));
  if (!verdict.allowed)
    throw ruleBroken([
      `启用后您将无法登录，请先加入当前地址 ${facts.address}`,
      `You would lock yourself out, add ${facts.address} first`,
    ]);
  const after = await administratorsWhoFit(tx, caller);
  if ([...before].some((session) => !after.has(session)))
    throw ruleBroken([
      '平台管理员将无法从其当前地址登录，请由平台管理员操作',
      'A platform administrator could no longer sign in from where it works: ask one to do this',
    ]);
}

/** Sessions of administrators used within a day whose address the rules allow; none for callers who are administrators. */
async function administratorsWhoFit(tx: Tx, caller: Caller): Promise<ReadonlySet<number>> {
  const administrators = await protectedStaff(tx, caller);
  if (administrators.size === 0) return new Set();
  const used = await sessionsWith(
    tx,
    `staff_id = ANY($1::bigint[]) AND ended_at IS NULL AND absolute_expires_at > now() AND last_seen_at > now() - interval '1 day'`,
    [[...administrators]],
  );
  return new Set(used.filter((session) => session.fits).map((session) => session.id));
}

/** Sessions of a condition, and whether the rules still allow each of them its address. */
async function sessionsWith(
  tx: Tx,
  condition: string,
  values: readonly unknown[] = [],
): Promise<{ readonly id: number; readonly fits: boolean }[]> {
  const sessions = await run<{ id: number; staffId: number; address: string }>(
    tx,
    `SELECT id, staff_id AS "staffId", address FROM session WHERE ${condition} ORDER BY id`,
    values,
  );
  const verdicts = await whitelistVerdicts(tx, sessions, await isEnforced(tx));
  return sessions.map(({ id }, index) => ({ id, fits: verdicts[index]!.allowed }));
}

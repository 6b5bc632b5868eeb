import { endOfBusinessDay, isBusinessDay } from '../../../kernel/contract/time.rules.ts';
import { writeAudit } from '../../../kernel/server/audit/audit.ts';
import { run, type Executor } from '../../../kernel/server/database.ts';
import { Refusal } from '../../../kernel/server/http/errors.ts';
import type {
  ImportCall,
  ImportProblem,
  ImportRow,
  ImportTarget,
} from '../../../kernel/server/tables/import-target.ts';
import { ADMINISTRATOR, protectedStaff } from '../permission-group/reach-rules.server.ts';
import { checkRule } from './whitelist-rule.server.ts';
import { staffInSight } from './whitelist-scope.server.ts';

const PURPOSES: Readonly<Record<string, string>> = {
  允许登录: 'allow',
  免验证码: 'skip_code',
  'allow sign-in': 'allow',
  'skip code': 'skip_code',
  allow: 'allow',
  skip_code: 'skip_code',
};

/** Whitelist rules from a table, platform only. */
export const whitelistImport: ImportTarget = {
  source: 'whitelist',
  menu: 'WhiteManage',
  element: 'btn_import',
  title: ['登录白名单', 'Login whitelist'],
  maxRows: 5_000,
  columns: [
    { name: 'account', title: ['账号', 'Account'], max: 20, example: 'limin' },
    { name: 'range', title: ['地址/网段', 'Address'], max: 50, example: '10.0.0.0/8' },
    {
      name: 'purpose',
      title: ['用途', 'Purpose'],
      required: true,
      max: 20,
      example: '允许登录',
      note: ['允许登录或免验证码', 'Allow sign-in or skip code'],
    },
    {
      name: 'expires',
      title: ['到期', 'Expires'],
      max: 10,
      example: '2027-03-31',
      note: ['当天结束时到期', 'Ends with that day'],
    },
    { name: 'reason', title: ['原因', 'Reason'], required: true, max: 100, example: '办公网络' },
  ],
  check: async (call, rows) => (await readRules(call.platform.database.db, call, rows)).problems,
  commit: async (tx, call, rows) => {
    const { rules } = await readRules(tx, call, rows);
    for (const rule of rules)
      await run(
        tx,
        `INSERT INTO login_whitelist (staff_id, range, purpose, expires_at, reason, created_by, updated_by) VALUES ($1, $2::cidr, $3, $4, $5, $6, $6)`,
        [rule.staff, rule.range, rule.purpose, rule.expiresAt, rule.reason, call.caller.staffId],
      );
    await writeAudit(tx, {
      caller: call.caller,
      menu: 'WhiteManage',
      action: 'import',
      entity: 'whitelist',
      after: { rows: rules.length },
    });
    call.platform.changed('whitelist');
    return rules.length;
  },
};

interface Rule {
  readonly staff: number | null;
  readonly range: string | null;
  readonly purpose: string;
  readonly expiresAt: Date | null;
  readonly reason: string;
}

async function readRules(
  db: Executor,
  call: ImportCall,
  rows: readonly ImportRow[],
): Promise<{ rules: Rule[]; problems: ImportProblem[] }> {
  const problems: ImportProblem[] = [];
  const rules: Rule[] = [];
  if (call.caller.tenantKind !== 3)
    return {
      rules,
      problems: rows.map((row) => ({
        row: row.number,
        message: ['只有平台可以维护白名单', 'Only the platform keeps the whitelist'],
      })),
    };
  const accounts = await run<{ id: number; account: string }>(
    db,
    'SELECT id, lower(account) AS account FROM staff WHERE lower(account) = ANY($1::text[])',
    [rows.map((row) => row.values.account!.toLowerCase())],
  );
  const seen = await staffInSight(
    db,
    call.caller,
    accounts.map((row) => row.id),
  );
  const ids = new Map(accounts.filter((row) => seen.has(row.id)).map((row) => [row.account, row.id]));
  const administrators = await protectedStaff(db, call.caller);
  const live = await run<{ key: string }>(
    db,
    `SELECT concat_ws('|', coalesce(staff_id, 0), coalesce(range::text, ''), purpose) AS key FROM login_whitelist WHERE enabled`,
  );
  const taken = new Set(live.map((row) => row.key));
  for (const row of rows) {
    const { account, range, purpose, expires, reason } = row.values as Record<string, string>;
    const bad = (column: string, message: ImportProblem['message']) =>
      problems.push({ row: row.number, column, message });
    const staff = account ? ids.get(account.toLowerCase()) : null;
    const kind = PURPOSES[purpose!.toLowerCase()];
    if (staff === undefined) bad('account', ['账号不存在', 'There is no such account']);
    else if (staff && administrators.has(staff)) bad('account', ADMINISTRATOR);
    else if (!kind) bad('purpose', ['请填写允许登录或免验证码', 'Allow sign-in or skip code']);
    else if (expires && !isBusinessDay(expires)) bad('expires', ['日期不正确', 'The date is not valid']);
    else if (Array.from(reason!).length < 4) bad('reason', ['至少4个字', 'At least 4 characters']);
    // A file cannot ask "are you sure": what would bind the importer is left to the form, which checks the own address.
    else if (kind === 'allow' && staff === call.caller.staffId)
      bad('account', ['自己的账号请在页面上添加', 'Add rules of your own account on the screen']);
    else {
      const expiresAt = expires
        ? endOfBusinessDay(expires)
        : kind === 'skip_code'
          ? new Date(Date.now() + 90 * 86_400_000)
          : null;
      const rule: Rule = { staff, range: range || null, purpose: kind, expiresAt, reason: reason! };
      try {
        await checkRule(db, rule as unknown as Record<string, unknown>, kind, new Date());
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        bad('range', error.label);
        continue;
      }
      const key = `${staff ?? 0}|${range ? (range.includes('/') ? range : `${range}/${range.includes(':') ? 128 : 32}`) : ''}|${kind}`;
      if (taken.has(key)) bad('range', ['相同的规则已存在', 'The same rule exists']);
      else {
        taken.add(key);
        rules.push(rule);
      }
    }
  }
  return { rules, problems };
}

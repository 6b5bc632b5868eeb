import { picturesOf } from '../../property/picture-columns.server.ts';
import { businessDayOf } from '../../../kernel/contract/time.rules.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { run, transaction, runOne } from '../../../kernel/server/database.ts';
import { checkAttachable } from '../../../kernel/server/files/files.ts';
import { ruleBroken } from '../../../kernel/server/http/errors.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import type { Platform } from '../../../kernel/server/platform.ts';
import type { Job } from '../../../kernel/server/registration.ts';
import { bindResource } from '../../../kernel/server/resource/bind.ts';
import type { DbRow } from '../../../kernel/server/resource/binding.ts';
import { nextCode } from '../../../kernel/server/resource/codes.ts';
import type { ActionContext, ActionResult } from '../../../kernel/server/resource/run-action.ts';
import { statementAdjustment } from './initiate.contract.ts';
import { PLATFORM_SCOPE } from './platform-scope.server.ts';

const OWN: Label = ['不能复核自己提交的调整', 'You cannot check your own adjustment'];
const ON_STATEMENT: Label = ['已进入结算单，不能撤回', 'It stands on a statement already'];
const STANDS = `EXISTS (SELECT FROM statement_line c WHERE c.source_type = 'statement_adjustment' AND c.source_id = t.id AND c.active)`;

const byOther = (row: DbRow, caller: Caller): Label | undefined =>
  Number(row.makerId) === caller.staffId ? OWN : undefined;

/** Adjustments of statements. */
export const registration = bindResource(statementAdjustment, {
  table: 'statement_adjustment',
  from: `statement_adjustment t LEFT JOIN tenant m ON m.id = t.tenant_id LEFT JOIN staff k ON k.id = t.checker_id`,
  scope: PLATFORM_SCOPE('t.created_by'),
  codePrefix: 'SA',
  search: 'lower(t.code)',
  joins: { merchant: { table: 'tenant', column: 'tenant_id' } },
  columns: {
    merchant: { id: 't.tenant_id', title: 'm.name' },
    checker: { id: 't.checker_id', title: 'k.name' },
    evidence: picturesOf('t.evidence_ids'),
    statement: `(SELECT s.code FROM statement_line c JOIN statement s ON s.id = c.statement_id WHERE c.source_type = 'statement_adjustment' AND c.source_id = t.id AND c.active)`,
  },
  writes: { evidence: 'evidence_ids', merchant: 'tenant_id' },
  extra: { makerId: 't.maker_id', stands: STANDS },
  ruleReads: ['makerId', 'stands'],
  rowRules: {
    approve: byOther,
    reject: byOther,
    withdraw: (row, caller) =>
      row.stands === true
        ? ON_STATEMENT
        : Number(row.makerId) === caller.staffId
          ? undefined
          : ['只能撤回自己的调整', 'Only its maker withdraws it'],
  },
  // A draft claims it without touching its row: looked at again behind the row's lock.
  checks: {
    withdraw: async ({ tx, id }) => {
      const stands = await runOne(
        tx,
        `SELECT FROM statement_line WHERE source_type = 'statement_adjustment' AND source_id = $1 AND active`,
        [id],
      );
      if (stands) throw ruleBroken(ON_STATEMENT);
    },
  },
  handlers: { create, approve: decide, reject: decide },
  also: { jobs: [annualFees()] },
}).registration;

/** A small one stands at once; above the limit a second person looks at it. */
async function create({ tx, caller, columns, input, platform }: ActionContext): Promise<ActionResult> {
  const merchant = await runOne(tx, `SELECT FROM tenant WHERE id = $1 AND kind = 2`, [columns.tenant_id]);
  if (!merchant) throw ruleBroken(['只能对商户做调整', 'Adjustments are made for merchants']);
  await checkAttachable(tx, caller, 'evidence', input.evidence as string[]);
  const limit = await platform.settings.numberIn(tx, 'settle.adjust_check_from', {
    tenantId: Number(columns.tenant_id),
  });
  columns.maker_id = caller.staffId;
  return { to: Number(input.amount) > limit ? 'pending' : 'approved' };
}

function decide({ caller, input }: ActionContext): Promise<ActionResult> {
  return Promise.resolve({
    set: { checker_id: caller.staffId, checked_at: new Date() },
    ...(input.reason ? { remark: String(input.reason) } : {}),
  });
}

/** The yearly fee of each agreement, once on its anniversary. */
function annualFees(): Job {
  return {
    name: 'settle.annual_fee',
    title: ['协议年费', 'Annual fees of agreements'],
    cron: '40 16 * * *',
    run: async (_payload, platform, context) => {
      const made = await makeAnnualFees(platform, businessDayOf(new Date()));
      if (made > 0) platform.changed(statementAdjustment.name);
      context?.print(`${made} 笔 / fees`);
    },
  };
}

/** Makes the fees of agreements whose anniversary is on a day; a repeat makes none. Returns how many. */
export async function makeAnnualFees(platform: Platform, today: string): Promise<number> {
  const { db } = platform.database;
  const due = await run<{ agreement: number; tenant_id: number; fee: number; name: string }>(
    db,
    `SELECT a.id AS agreement, a.tenant_id, a.annual_fee AS fee, t.name FROM merchant_agreement a JOIN tenant t ON t.id = a.tenant_id
      WHERE a.state = 'active' AND a.annual_fee > 0 AND t.merchant_kind IS DISTINCT FROM 'self' AND a.starts_on < $1::date
        AND to_char(a.starts_on, 'MM-DD') IN (to_char($1::date, 'MM-DD'), CASE WHEN to_char($1::date, 'MM-DD') = '02-28' AND to_char($1::date + 1, 'MM-DD') = '03-01' THEN '02-29' END)
      ORDER BY a.id`,
    [today],
  );
  let made = 0;
  for (const one of due)
    made += await transaction(db, async (tx) => {
      const row = await runOne(
        tx,
        `INSERT INTO statement_adjustment (code, tenant_id, type, direction, amount, reason, state, origin)
         VALUES ($1, $2, 'annual_fee', 'minus', $3, $4, 'approved', $5) ON CONFLICT (origin) DO NOTHING RETURNING id`,
        [
          await nextCode(tx, 'SA'),
          one.tenant_id,
          one.fee,
          `${today.slice(0, 4)} 年度协议年费`,
          `annual:${one.agreement}:${today.slice(0, 4)}`,
        ],
      );
      return row ? 1 : 0;
    });
  return made;
}

import { fill, type Label } from '../../../kernel/contract/label.ts';
import { run, runOne, type Tx } from '../../../kernel/server/database.ts';
import { invalid, ruleBroken } from '../../../kernel/server/http/errors.ts';
import { bindResource } from '../../../kernel/server/resource/bind.ts';
import {
  insertRow,
  type ActionContext,
  type ActionResult,
} from '../../../kernel/server/resource/run-action.ts';
import { ASSIGNED_BUSINESS } from '../../../domain/payee/payee.rules.ts';
import { payeeAssignment } from './payee-assignment.contract.ts';
import { propose } from './payee-change-commands.server.ts';
import { OBJECT_COLUMN, requireObject, type PayeeObject } from './payee-objects.server.ts';

const PAST: Label = ['生效时间不能早于现在', 'The start must not be in the past'];
const PAST_END: Label = ['失效时间不能早于现在', 'The end must not be in the past'];
const ORDER: Label = ['失效时间必须晚于生效时间', 'The end must be after the start'];
/** A form that was open a little while names a moment that has just passed. */
const GRACE_MS = 10 * 60_000;

const bound = bindResource(payeeAssignment, {
  table: 'payee_assignment',
  from: 'payee_assignment t LEFT JOIN project p ON p.id = t.project_id LEFT JOIN organisation o ON o.id = t.organisation_id LEFT JOIN payee_account a ON a.id = t.account_id',
  joins: { account: 'payee_account' },
  columns: { object: OBJECT_COLUMN, businesses: 'ARRAY[t.business_type]' },
  writes: { object: false, businesses: false },
  scope: { tenant: 'a.tenant_id', project: 'none', owner: 'a.created_by' },
  extra: {
    accountState: 'a.state',
    waits: `EXISTS (SELECT FROM payee_change c WHERE c.account_id = t.account_id AND c.state = 'in_review')`,
    live: `(t.effective_from <= now())`,
  },
  ruleReads: ['accountState', 'waits', 'live', 'state'],
  rowRules: {
    end: (row) =>
      row.waits ? ['该账户有待审批的变更', 'A change of this account waits for approval'] : undefined,
    remove: (row) =>
      row.accountState !== 'draft' && row.accountState !== 'rejected' && row.state === 'active'
        ? ['账户已启用，请设置失效时间', 'The account is in use: set the end of the assignment instead']
        : row.state === 'in_review'
          ? ['待审批，请先撤回变更', 'It waits for approval: take the change back first']
          : undefined,
  },
  handlers: { create, end },
});

/** Assignments of accounts. */
export const registration = bound.registration;

/** One row for each business; of an account in use they wait until somebody else agrees. */
async function create(context: ActionContext): Promise<ActionResult> {
  const { tx, caller, input } = context;
  const account = await lockAccount(tx, Number(input.account));
  const object = await requireObject(tx, caller, Number(input.object));
  const businesses = businessesOf(input.businesses as readonly string[]);
  const from = new Date(input.effectiveFrom as string);
  const to = input.effectiveTo ? new Date(input.effectiveTo as string) : null;
  if (from.getTime() < Date.now() - GRACE_MS) throw invalid({ effectiveFrom: PAST });
  if (to && to <= from) throw invalid({ effectiveTo: ORDER });
  const waits = account.state !== 'draft' && account.state !== 'rejected' && account.state !== 'in_review';
  const changeId = waits
    ? await propose(context, {
        accountId: account.id,
        kind: 'assign',
        changes: [
          { field: 'object', before: null, after: await objectName(tx, object) },
          { field: 'businessType', before: null, after: businesses.join(', ') },
          { field: 'effectiveFrom', before: null, after: from.toISOString() },
          { field: 'effectiveTo', before: null, after: to?.toISOString() ?? null },
        ],
      })
    : null;
  const ids: number[] = [];
  for (const business of businesses)
    ids.push(
      await stored(tx, {
        account_id: account.id,
        level: object.level,
        project_id: object.projectId,
        organisation_id: object.organisationId,
        business_type: business,
        channel: account.channel,
        effective_from: from,
        effective_to: to,
        state: waits ? 'in_review' : 'active',
        change_id: changeId,
        created_by: caller.staffId,
        updated_by: caller.staffId,
      }),
    );
  context.platform.changed('payeeAccount');
  return {
    id: ids[0]!,
    to: waits ? 'in_review' : 'active',
    result: { ids: ids.map(String), proposed: waits },
  };
}

async function end(context: ActionContext): Promise<ActionResult> {
  const { tx, id, row, input } = context;
  const account = await lockAccount(tx, Number(row.account_id));
  const to = new Date(input.effectiveTo as string);
  if (to.getTime() < Date.now() - GRACE_MS) throw invalid({ effectiveTo: PAST_END });
  if (to <= (row.effective_from as Date)) throw invalid({ effectiveTo: ORDER });
  if (account.state === 'draft' || account.state === 'rejected') {
    await freeUntil(tx, id, row, to);
    return { set: { effective_to: to } };
  }
  await freeUntil(tx, id, row, to);
  await propose(context, {
    accountId: account.id,
    kind: 'end',
    changes: [
      {
        field: 'effectiveTo',
        before: (row.effective_to as Date | null)?.toISOString() ?? null,
        after: to.toISOString(),
      },
    ],
    assignmentId: id,
    endsAt: to,
  });
  return {
    event: ['提交失效时间变更', 'New end proposed'],
    remark: to.toISOString(),
    result: { proposed: true },
  };
}

interface LockedAccount {
  readonly id: number;
  readonly code: string;
  readonly state: string;
  readonly channel: string;
}

async function lockAccount(tx: Tx, id: number): Promise<LockedAccount> {
  return (await runOne<LockedAccount>(
    tx,
    `SELECT id, code, state, channel FROM payee_account WHERE id = $1 FOR NO KEY UPDATE`,
    [id],
  ))!;
}

function businessesOf(given: readonly string[]): string[] {
  const unknown = given.some((one) => !(one in ASSIGNED_BUSINESS));
  if (unknown) throw invalid({ businesses: ['没有此业务', 'There is no such business'] });
  // All of them says everything the others could.
  return given.includes('*') ? ['*'] : [...new Set(given)];
}

/** Inserts a rule; the database refuses one that overlaps another, also of a call that runs at the same time. */
async function stored(tx: Tx, values: Readonly<Record<string, unknown>>): Promise<number> {
  await run(tx, 'SAVEPOINT assignment');
  try {
    const id = await insertRow(tx, 'payee_assignment', values);
    await run(tx, 'RELEASE SAVEPOINT assignment');
    return id;
  } catch (error) {
    if ((error as { code?: string }).code !== '23P01') throw error;
    await run(tx, 'ROLLBACK TO SAVEPOINT assignment');
    throw ruleBroken(overlap(await twinOf(tx, values, 0)));
  }
}

/** Refuses an end that would reach into another rule of the same object, business and channel. */
async function freeUntil(
  tx: Tx,
  id: number,
  row: Readonly<Record<string, unknown>>,
  to: Date,
): Promise<void> {
  const twin = await twinOf(tx, { ...row, effective_to: to }, id);
  if (twin) throw ruleBroken(overlap(twin));
}

async function twinOf(
  tx: Tx,
  values: Readonly<Record<string, unknown>>,
  except: number,
): Promise<string | undefined> {
  const row = await runOne<{ code: string }>(
    tx,
    `SELECT a.code FROM payee_assignment g JOIN payee_account a ON a.id = g.account_id
      WHERE g.state IN ('in_review', 'active') AND g.level = $1 AND g.project_id IS NOT DISTINCT FROM $2 AND g.organisation_id IS NOT DISTINCT FROM $3
        AND g.business_type = $4 AND g.channel = $5 AND tstzrange(g.effective_from, g.effective_to) && tstzrange($6::timestamptz, $7::timestamptz) AND g.id <> $8
      ORDER BY g.id LIMIT 1`,
    [
      values.level,
      values.project_id,
      values.organisation_id,
      values.business_type,
      values.channel,
      values.effective_from,
      values.effective_to,
      except,
    ],
  );
  return row?.code;
}

/** Names the account whose rule is in the way; one that is not committed yet has no name. */
function overlap(code: string | undefined): Label {
  return fill(['生效时间与 {code} 重叠', 'Overlaps with {code}'], { code: code ?? '–' });
}

async function objectName(tx: Tx, object: PayeeObject): Promise<string> {
  if (object.projectId === null && object.organisationId === null) return '全部公司';
  const row = await runOne<{ name: string }>(
    tx,
    object.projectId === null
      ? 'SELECT name FROM organisation WHERE id = $1'
      : 'SELECT name FROM project WHERE id = $1',
    [object.projectId ?? object.organisationId],
  );
  return row!.name;
}

import { containing } from '../../../kernel/server/resource/like-text.ts';
import { planRun, postBills, reasonCounts, type RunWanted } from '../../../domain/charging/billing.server.ts';
import { firstOfMonth } from '../../../domain/charging/calendar.rules.ts';
import { requireProjectsInReach } from '../../../domain/permission/project-reach.server.ts';
import { companyOf } from '../../../domain/work-order/create-work-order.server.ts';
import { yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import { run, runOne, type Executor } from '../../../kernel/server/database.ts';
import { invalid, notFound, ruleBroken } from '../../../kernel/server/http/errors.ts';
import type { Platform } from '../../../kernel/server/platform.ts';
import { staffIdOf } from '../../../kernel/server/people/caller.ts';
import { endpoint } from '../../../kernel/server/registration.ts';
import { idOf } from '../../../kernel/server/http/call-parts.ts';
import { bindResource, type BoundResource } from '../../../kernel/server/resource/bind.ts';
import type { DbRow } from '../../../kernel/server/resource/binding.ts';
import type { ActionContext } from '../../../kernel/server/resource/run-action.ts';
import { billingRun } from './bill.contract.ts';

/** Bills and left-out houses a preview shows at most. */
const SHOWN = 500;

const bound: BoundResource = bindResource(billingRun, {
  table: 'billing_run',
  from: 'billing_run t LEFT JOIN staff s ON s.id = t.posted_by',
  joins: { project: 'project' },
  columns: {
    name: `(r_project.name || ' ' || to_char(t.month, 'YYYY-MM'))`,
    items: `(SELECT coalesce(json_agg(json_build_object('id', i.id::text, 'title', i.name) ORDER BY i.position, i.id), '[]') FROM fee_item i WHERE i.id = ANY(t.item_ids))`,
    postedBy: { id: 't.posted_by', title: 's.name' },
  },
  writes: { items: false },
  scope: { tenant: 't.tenant_id', project: 't.project_id', owner: 't.created_by' },
  keyword: (value, parameters) =>
    `EXISTS (SELECT FROM project q WHERE q.id = t.project_id AND q.name ILIKE ${parameters.bind(containing(value))})`,
  before: [prepare],
  handlers: {
    post: async ({ tx, platform, id, row, caller }) => {
      const plan = await planRun(tx, wantedOf(row), await dueDays(tx, platform, Number(row.project_id)));
      const posted = await postBills(tx, Number(row.project_id), plan.bills, {
        runId: id,
        staffId: staffIdOf(caller),
      });
      platform.changed('bill');
      return {
        set: {
          ...posted,
          skipped: plan.skipped.length,
          reasons: JSON.stringify(reasonCounts(plan.skipped)),
          posted_at: new Date(),
          posted_by: staffIdOf(caller),
        },
        remark: `${posted.bills} · ${yuanFromFen(posted.amount)}`,
        result: { bills: posted.bills },
      };
    },
    revoke: async ({ tx, platform, id, input }) => {
      const bills = await run<{ id: number; settled: boolean }>(
        tx,
        `SELECT id, paid_principal + paid_late_fee > 0 OR disputed OR EXISTS (SELECT FROM online_bill_hold h WHERE h.bill_id = bill.id) AS settled FROM bill WHERE run_id = $1 AND state <> 'void' ORDER BY id FOR NO KEY UPDATE`,
        [id],
      );
      if (bills.some((one) => one.settled))
        throw ruleBroken([
          '已有缴费、争议或线上支付中的账单，不能撤销',
          'A bill of it is paid, in dispute or being paid online',
        ]);
      await run(
        tx,
        `UPDATE bill SET state = 'void', void_reason = $2, version = version + 1, updated_at = now() WHERE id = ANY($1::bigint[])`,
        [bills.map((one) => one.id), String(input.reason)],
      );
      platform.changed('bill');
      return { remark: String(input.reason) };
    },
  },
  endpoints: [
    endpoint({
      method: 'GET',
      path: '/jinmao/web/billingRun/:id/plan',
      title: ['出账预览', 'What a run would bill'],
      access: { code: billingRun.menu },
      handle: async (call) => {
        const id = idOf(call.params.id);
        await bound.find(call, id);
        const row = (await runOne<DbRow>(
          call.platform.database.db,
          'SELECT * FROM billing_run WHERE id = $1',
          [id],
        ))!;
        const plan = await planRun(
          call.platform.database.db,
          wantedOf(row),
          await dueDays(call.platform.database.db, call.platform, Number(row.project_id)),
        );
        return {
          bills: plan.bills.slice(0, SHOWN).map((one) => ({
            house: one.house,
            item: one.item,
            from: one.from,
            to: one.to,
            due: one.due,
            amount: yuanFromFen(one.amount),
          })),
          skipped: plan.skipped.slice(0, SHOWN),
          counts: { bills: plan.bills.length, skipped: plan.skipped.length },
          amount: yuanFromFen(plan.amount),
        };
      },
    }),
  ],
});

/** Billing runs with their preview. */
export const registration = bound.registration;

const wantedOf = (row: DbRow): RunWanted => ({
  projectId: Number(row.project_id),
  itemIds: (row.item_ids as number[]).map(Number),
  month: String(row.month),
});

const dueDays = (db: Executor, platform: Platform, projectId: number) =>
  platform.settings.numberIn(db, 'fee.due_days', { projectId });

async function prepare({ tx, platform, action, input, columns, caller }: ActionContext): Promise<void> {
  if (action !== 'create') return;
  const ids = input.items as readonly number[];
  const projectId = Number(input.project);
  requireProjectsInReach(caller, [projectId]);
  const company = await runOne<{ tenant_id: number }>(
    tx,
    `SELECT tenant_id FROM (${companyOf('$1::bigint')}) c`,
    [projectId],
  );
  if (!company) throw ruleBroken(['该项目没有物业公司', 'No company runs this project']);
  const known = await run<{ id: number; enabled: boolean }>(
    tx,
    'SELECT id, enabled FROM fee_item WHERE id = ANY($1::bigint[]) AND tenant_id = $2',
    [ids, company.tenant_id],
  );
  if (known.length !== new Set(ids).size) throw notFound();
  if (known.some((one) => !one.enabled))
    throw invalid({ items: ['收费项目已停用', 'A fee item is disabled'] });
  const month = firstOfMonth(String(input.month));
  const plan = await planRun(tx, { projectId, itemIds: ids, month }, await dueDays(tx, platform, projectId));
  Object.assign(columns, {
    tenant_id: company.tenant_id,
    item_ids: ids,
    month,
    bills: plan.bills.length,
    amount: plan.amount,
    skipped: plan.skipped.length,
    reasons: JSON.stringify(reasonCounts(plan.skipped)),
  });
}

import { z } from 'zod';
import { lateFeesOf, readBills } from '../../../domain/charging/bill-record.server.ts';
import { addDays, firstOfMonth } from '../../../domain/charging/calendar.rules.ts';
import { today } from '../../../domain/charging/collect.server.ts';
import type { LateFeeTerms } from '../../../domain/charging/late-fee.rules.ts';
import { requireProjectsInReach } from '../../../domain/permission/project-reach.server.ts';
import { fenFromYuan, yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import { run } from '../../../kernel/server/database.ts';
import { Parameters, scopeCondition } from '../../../kernel/server/people/scope.ts';
import { endpoint } from '../../../kernel/server/registration.ts';
import { bindResource } from '../../../kernel/server/resource/bind.ts';
import { CHARGING_MENU, lateFeePolicy } from './fee-item.contract.ts';
import { ownCompany } from './own-company.server.ts';

/** Bills a simulation looks at most at. */
const MOST = 5_000;
const percentText = z.string().regex(/^\d{1,3}(\.\d{1,4})?$/);
const moneyText = z.string().regex(/^\d{1,7}(\.\d{1,2})?$/);
const ppm = (percent: string) => Math.round(Number(percent) * 10_000);

/** Late-fee policies of companies and projects. */
export const registration = bindResource(lateFeePolicy, {
  table: 'late_fee_policy',
  joins: { company: { table: 'tenant', column: 'tenant_id' }, project: 'project' },
  columns: { items: `(SELECT count(*)::integer FROM fee_item x WHERE x.late_fee_policy_id = t.id)` },
  scope: { tenant: 't.tenant_id', project: 'none', owner: 't.created_by' },
  search: 'lower(t.name)',
  unique: { late_fee_policy_name: ['该公司已有同名规则', 'The company has a policy of this name'] },
  usedBy: { fee_item: ['收费项目', 'fee items'] },
  before: [
    ownCompany,
    async ({ columns, action }) => {
      if (action !== 'create' && action !== 'update') return;
      for (const name of ['once_fen', 'once_percent']) if (columns[name] === null) columns[name] = 0;
    },
  ],
  endpoints: [
    endpoint({
      method: 'POST',
      path: '/jinmao/web/lateFeePolicy/simulate',
      title: ['试算滞纳金规则', 'Try a late-fee policy'],
      access: { code: `${CHARGING_MENU}:btn_lateFee` },
      body: z.strictObject({
        project: z
          .string()
          .regex(/^\d{1,15}$/)
          .optional(),
        graceDays: z.number().int().min(0).max(365),
        dailyPercent: percentText,
        onceFen: moneyText,
        oncePercent: percentText,
        capPercent: z.number().int().min(0).max(100),
        monthCap: moneyText.nullable(),
      }),
      handle: async ({ caller, platform, body }) => {
        const { db } = platform.replica;
        if (body.project) requireProjectsInReach(caller, [Number(body.project)]);
        const month = firstOfMonth(today(), -1);
        const values = new Parameters();
        const seen = scopeCondition(
          caller,
          CHARGING_MENU,
          { tenant: 't.tenant_id', project: 't.project_id', owner: 't.created_by' },
          values,
        );
        const ids = await run<{ id: number }>(
          db,
          `SELECT t.id FROM bill t WHERE t.state <> 'void' AND t.due_date BETWEEN ${values.bind(month)}::date AND ${values.bind(addDays(firstOfMonth(month, 1), -1))}::date
              AND ${seen}${body.project ? ` AND t.project_id = ${values.bind(Number(body.project))}` : ''} ORDER BY t.id LIMIT ${MOST}`,
          values.values,
        );
        const terms: LateFeeTerms = {
          graceDays: body.graceDays,
          dailyPpm: ppm(body.dailyPercent),
          onceFen: fenFromYuan(body.onceFen)!,
          oncePpm: ppm(body.oncePercent),
          capPercent: body.capPercent,
          monthCap: body.monthCap === null ? null : fenFromYuan(body.monthCap)!,
        };
        const bills = await readBills(
          db,
          ids.map((one) => one.id),
        );
        const sum = async (as: typeof bills) => {
          const fees = [...(await lateFeesOf(db, as, today())).values()];
          return {
            charged: fees.filter((one) => one.amount > 0).length,
            amount: yuanFromFen(fees.reduce((all, one) => all + one.amount, 0)),
          };
        };
        return {
          month: month.slice(0, 7),
          bills: bills.length,
          before: await sum(bills),
          after: await sum(bills.map((one) => ({ ...one, terms }))),
        };
      },
    }),
  ],
}).registration;

import type { Label } from '../../../kernel/contract/label.ts';
import { run, type Executor } from '../../../kernel/server/database.ts';
import { ruleBroken } from '../../../kernel/server/http/errors.ts';
import { Parameters, scopeCondition } from '../../../kernel/server/people/scope.ts';
import type { BoundResource } from '../../../kernel/server/resource/bind.ts';
import {
  importFacts,
  type ImportCall,
  type ImportProblem,
  type ImportRow,
  type ImportTarget,
} from '../../../kernel/server/tables/import-target.ts';
import { TRACKING } from './redemption.contract.ts';

/** Redemptions shipped from a table, each by the very action of the button. Source: group 01, os_integralCash, btn_ship. */
export function shipImport(bound: () => BoundResource): ImportTarget {
  return {
    source: 'redemptionShip',
    menu: 'os_integralCash',
    element: 'btn_ship',
    title: ['批量发货', 'Shipments of redemptions'],
    maxRows: 2_000,
    columns: [
      { name: 'code', title: ['兑换编号', 'Number'], required: true, max: 40, example: 'RD20261121000001' },
      { name: 'company', title: ['物流公司', 'Carrier'], required: true, max: 30, example: '顺丰速运' },
      {
        name: 'trackingNo',
        title: ['物流单号', 'Tracking no.'],
        required: true,
        max: 40,
        example: 'SF1234567890',
      },
    ],
    check: async (call, rows) => (await read(call.platform.database.db, call, rows)).problems,
    commit: async (tx, call, rows) => {
      const { found, problems } = await read(tx, call, rows);
      if (problems.length > 0) throw ruleBroken(problems[0]!.message);
      const context = { ...call, facts: importFacts(call) };
      for (const { values } of rows)
        await bound().actIn(tx, context, 'ship', found.get(values.code!.toUpperCase())!.id, {
          company: values.company,
          trackingNo: values.trackingNo,
        });
      call.platform.changed('redemption');
      return rows.length;
    },
  };
}

interface Found {
  readonly id: number;
  readonly code: string;
  readonly state: string;
}

async function read(db: Executor, call: ImportCall, rows: readonly ImportRow[]) {
  const parameters = new Parameters();
  const codes = parameters.bind([...new Set(rows.map((row) => row.values.code!.toUpperCase()))]);
  const scope = { tenant: 'NULL::bigint', project: 't.project_id', owner: 't.created_by' } as const;
  const list = await run<Found>(
    db,
    `SELECT t.id, t.code, t.state FROM points_redemption t WHERE t.code = ANY(${codes}::text[]) AND ${scopeCondition(call.caller, 'os_integralCash', scope, parameters)}`,
    parameters.values,
  );
  const found = new Map(list.map((one) => [one.code, one]));
  const problems: ImportProblem[] = [];
  const seen = new Set<string>();
  for (const { number, values } of rows) {
    const say = (column: string, message: Label) => problems.push({ row: number, column, message });
    const code = values.code!.toUpperCase();
    const one = found.get(code);
    if (!one) say('code', ['兑换编号不存在', 'There is no such redemption']);
    else if (one.state !== 'to_fulfil')
      say('code', ['不是待发放的邮寄兑换', 'It does not wait to be shipped']);
    else if (seen.has(code)) say('code', ['兑换编号重复', 'The number stands twice']);
    seen.add(code);
    if (values.company!.length < 2) say('company', ['至少2个字', 'At least 2 characters']);
    if (!new RegExp(`^${TRACKING.source}$`).test(values.trackingNo!)) say('trackingNo', TRACKING.message);
  }
  return { found, problems };
}

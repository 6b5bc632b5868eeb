import { percentOf } from '../../../domain/residents/registration.rules.ts';
import { residentScope } from '../../../domain/residents/residents.server.ts';
import { run, runOne } from '../../../kernel/server/database.ts';
import { Parameters } from '../../../kernel/server/people/scope.ts';
import { endpoint } from '../../../kernel/server/registration.ts';
import { bindResource, type BoundResource } from '../../../kernel/server/resource/bind.ts';
import { readListRequest, whereOf } from '../../../kernel/server/resource/list-query.ts';
import { registrationLog } from './registration-log.contract.ts';

const TOP_REASONS = 3;

const bound: BoundResource = bindResource(registrationLog, {
  table: 'registration_log',
  from: `registration_log t LEFT JOIN member m ON m.id = t.member_id LEFT JOIN project p ON p.id = t.project_id
    LEFT JOIN house x ON x.id = t.house_id LEFT JOIN building_unit u ON u.id = x.unit_id LEFT JOIN building b ON b.id = u.building_id`,
  columns: {
    member: 'm.name',
    project: { id: 't.project_id', title: 'p.name' },
    house: `b.name || u.name || x.number`,
  },
  extra: { version: '1' },
  scope: residentScope('t.project_id', 't.created_by'),
  endpoints: [
    endpoint({
      method: 'GET',
      path: '/jinmao/web/registrationLog/strip',
      title: ['注册概况', 'Attempts at a glance'],
      access: { code: registrationLog.menu },
      rawQuery: true,
      handle: async (call) => {
        const request = readListRequest(registrationLog, call.query as Record<string, unknown>);
        const parameters = new Parameters();
        const where = await whereOf(
          bound.resource,
          bound.binding,
          bound.columns,
          call,
          registrationLog.menu,
          request,
          parameters,
        );
        const { db } = call.platform.replica;
        const counts = (await runOne<{ attempts: number; succeeded: number; crowded: number }>(
          db,
          `SELECT count(*) AS attempts, count(*) FILTER (WHERE t.result = 'succeeded') AS succeeded, count(*) FILTER (WHERE t.crowded) AS crowded
             FROM ${bound.columns.from} WHERE ${where}`,
          parameters.values,
        ))!;
        const reasons = await run<{ reason: string; times: number }>(
          db,
          `SELECT t.reason, count(*) AS times FROM ${bound.columns.from} WHERE ${where} AND t.result = 'failed'
            GROUP BY t.reason ORDER BY times DESC, t.reason LIMIT ${TOP_REASONS}`,
          parameters.values,
        );
        const rate = percentOf(counts.succeeded, counts.attempts);
        return {
          attempts: counts.attempts,
          successRate: rate === null ? null : rate.toFixed(2),
          crowded: counts.crowded,
          reasons,
        };
      },
    }),
  ],
});

export const registration = bound.registration;

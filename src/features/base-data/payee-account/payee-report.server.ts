import { z } from 'zod';
import { endOfBusinessDay, startOfBusinessDay } from '../../../kernel/contract/time.rules.ts';
import { run, type Executor } from '../../../kernel/server/database.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { Parameters, scopeCondition } from '../../../kernel/server/people/scope.ts';
import { bindReport } from '../../../kernel/server/report/bind.ts';
import { endpoint } from '../../../kernel/server/registration.ts';
import { PAYEE_MENU, PAYEE_SCOPE } from '../../../domain/payee/payee-alert.server.ts';
import { BUSINESS_TYPES } from '../../../domain/payee/payee.rules.ts';
import { channelsInUse, coverageOf } from './payee-coverage.server.ts';
import { payeeReceived } from './payee-received.contract.ts';

interface Received {
  readonly month: string;
  readonly accountId: number;
  readonly account: string;
  readonly channel: string;
  readonly count: number;
  readonly amount: number;
  readonly fee: number;
}

const MEASURES = ['count', 'amount', 'fee', 'net'] as const;
type Measure = (typeof MEASURES)[number];

/** What came into accounts, and which account applies where. */
export const registration = bindReport(payeeReceived, {
  compute: async ({ caller, platform }, request) => {
    const { db } = platform.replica;
    const { account, channel } = request.parameters;
    const rows = await received(db, caller, { from: request.from, to: request.to, account, channel });
    const before = await received(db, caller, {
      from: request.previousFrom,
      to: request.previousTo,
      account,
      channel,
    });
    const value = (row: Received, name: Measure) => (name === 'net' ? row.amount - row.fee : row[name]);
    const sum = (list: readonly Received[], name: Measure) =>
      list.reduce((total, row) => total + value(row, name), 0);
    const accounts = [...new Map(rows.map((row) => [row.accountId, row.account]))];
    return {
      figures: Object.fromEntries(
        MEASURES.map((name) => [name, { value: sum(rows, name), previous: sum(before, name), spark: [] }]),
      ),
      charts: {
        accounts: accounts.map(([id, label]) => {
          const own = rows.filter((row) => row.accountId === id);
          return {
            key: String(id),
            label,
            values: Object.fromEntries(
              (['amount', 'fee', 'net'] as const).map((name) => [name, sum(own, name) / 100]),
            ),
          };
        }),
      },
      rows: rows.map((row) => ({
        ...row,
        account: { id: String(row.accountId), title: row.account },
        net: row.amount - row.fee,
      })),
      sums: Object.fromEntries(MEASURES.map((name) => [name, sum(rows, name)])),
    };
  },
  endpoints: [
    endpoint({
      method: 'GET',
      path: '/jinmao/web/payeeAccount/coverage',
      title: ['收款账户覆盖', 'Coverage'],
      access: { code: PAYEE_MENU },
      query: z.strictObject({ channel: z.enum(['alipay', 'wechat', 'bank']).optional() }),
      handle: async (call) => {
        const { db } = call.platform.database;
        const { projectIds } = call.caller;
        const inUse = await channelsInUse(db);
        const channel = call.query.channel ?? inUse[0] ?? 'alipay';
        const projects = await run<{ id: number; name: string; centre: string }>(
          db,
          `SELECT p.id, p.name, o.name AS centre FROM project p JOIN organisation o ON o.id = p.centre_id
            WHERE p.enabled AND ($1::bigint[] IS NULL OR p.id = ANY($1::bigint[])) ORDER BY o.id, p.id`,
          [projectIds],
        );
        const covered = await coverageOf(db, { projectIds, channel });
        const names = new Map(
          (
            await run<{ id: number; code: string; name: string }>(
              db,
              'SELECT id, code, name FROM payee_account WHERE id = ANY($1::bigint[])',
              [[...new Set(covered.map((one) => one.accountId))]],
            )
          ).map((one) => [one.id, one]),
        );
        const cells = new Map(covered.map((one) => [`${one.projectId} ${one.business}`, one.accountId]));
        return {
          channel,
          channels: inUse,
          rows: projects.map((project) => ({
            projectId: String(project.id),
            projectName: project.name,
            centreName: project.centre,
            cells: Object.fromEntries(
              Object.keys(BUSINESS_TYPES).map((business) => {
                const id = cells.get(`${project.id} ${business}`);
                const account = id === undefined ? undefined : names.get(id);
                return [
                  business,
                  account ? { accountId: String(account.id), code: account.code, name: account.name } : null,
                ];
              }),
            ),
          })),
        };
      },
    }),
  ],
});

async function received(
  db: Executor,
  caller: Caller,
  question: {
    readonly from: string;
    readonly to: string;
    readonly account: string | undefined;
    readonly channel: string | undefined;
  },
): Promise<Received[]> {
  const parameters = new Parameters();
  const parts = [
    `f.at >= ${parameters.bind(startOfBusinessDay(question.from))}`,
    `f.at < ${parameters.bind(endOfBusinessDay(question.to))}`,
    scopeCondition(caller, PAYEE_MENU, PAYEE_SCOPE, parameters),
  ];
  if (question.account)
    parts.push(`t.id = ANY(${parameters.bind(question.account.split(',').map(Number))}::bigint[])`);
  if (question.channel) parts.push(`t.channel = ${parameters.bind(question.channel)}`);
  return run<Received>(
    db,
    `SELECT to_char(f.at AT TIME ZONE 'Asia/Shanghai', 'YYYY-MM') AS month, t.id AS "accountId", t.name AS account, t.channel,
            count(*) AS count, sum(f.amount)::bigint AS amount, sum(f.fee)::bigint AS fee
       FROM payee_flow f JOIN payee_account t ON t.id = f.account_id WHERE ${parts.join(' AND ')}
      GROUP BY 1, t.id, t.name, t.channel ORDER BY 1 DESC, t.id`,
    parameters.values,
  );
}

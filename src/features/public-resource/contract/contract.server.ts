import { contractApprovals } from '../../../domain/contract/contract-approval.server.ts';
import { contractJobs } from '../../../domain/contract/contract-jobs.server.ts';
import {
  changeSight,
  contractSight,
  mineSight,
  MINE_MENU,
  MINE_SCOPE,
} from '../../../domain/contract/contract-sight.server.ts';
import { dictionaryOptions } from '../../../domain/dictionary/dictionary.server.ts';
import { run, runOne, transaction } from '../../../kernel/server/database.ts';
import { notFound } from '../../../kernel/server/http/errors.ts';
import { Parameters, scopeCondition } from '../../../kernel/server/people/scope.ts';
import { endpoint, type Invariant, type Job, type TodoKind } from '../../../kernel/server/registration.ts';
import { bindResource, type BoundResource } from '../../../kernel/server/resource/bind.ts';
import { dueJob } from '../../../kernel/server/resource/due-job.ts';
import { TODAY } from '../../../kernel/server/today.ts';
import { contractBinding } from './contract-binding.server.ts';
import { previewBody, previewOf } from './contract-changes.server.ts';
import { contractOptions } from './contract-options.server.ts';
import { contract, LEDGER, MINE } from './contract.contract.ts';

const bound: BoundResource = bindResource(contract, {
  ...contractBinding,
  endpoints: [
    endpoint({
      method: 'POST',
      path: '/jinmao/web/contract/:id/changePreview',
      title: ['变更预览', 'What a change comes to'],
      access: {
        anyOf: [
          `${LEDGER}:btn_change`,
          `${LEDGER}:btn_terminate`,
          `${MINE}:btn_change`,
          `${MINE}:btn_terminate`,
        ],
      },
      body: previewBody,
      handle: async ({ caller, platform, params, body }) => {
        const id = Number(params.id);
        const parameters = new Parameters();
        const seen = await runOne(
          platform.database.db,
          `SELECT 1 FROM contract t WHERE t.id = ${parameters.bind(Number.isSafeInteger(id) ? id : 0)} AND ((${scopeCondition(caller, LEDGER, contractBinding.scope, parameters)}) OR (${scopeCondition(caller, MINE, MINE_SCOPE, parameters)}))`,
          parameters.values,
        );
        if (!seen) throw notFound();
        return transaction(platform.database.db, (tx) => previewOf(tx, platform, id, body));
      },
    }),
  ],
  also: {
    approvals: contractApprovals,
    sights: [contractSight, mineSight, changeSight],
    options: [
      dictionaryOptions({ catalogue: 'business', dictionary: 'contract_kind' }),
      dictionaryOptions({ catalogue: 'business', dictionary: 'contract_end_reason' }),
      ...contractOptions,
    ],
    jobs: [stateJob(), ...contractJobs],
    todos: [drafts()],
    invariants: invariants(),
  },
});

/** All contracts in scope. */
export const registration = bound.registration;

/** Contracts whose day has come: terminations, the notice before the end, the end. Missed days are caught up. */
function stateJob(): Job {
  const spec = {
    name: 'contract.state',
    title: ['合同状态', 'States of contracts'],
    cron: '10 16 * * *',
  } as const;
  const steps = [
    { action: 'end', when: `t.terminated_on <= ${TODAY}` },
    { action: 'expire', when: `t.ends_on < ${TODAY}` },
    { action: 'nearEnd', when: `${TODAY} >= t.ends_on - t.notice_days` },
  ].map((step) => dueJob(() => bound, { ...spec, ...step }));
  return {
    ...spec,
    run: async (payload, platform, context) => {
      for (const step of steps) await step.run(payload, platform, context);
    },
  };
}

/** Drafts somebody has to hand in, renewals among them. */
function drafts(): TodoKind {
  return {
    kind: 'contractDraft',
    label: ['待提交合同', 'Contracts to hand in'],
    menu: MINE_MENU,
    route: `/publicResource/${MINE_MENU}?tab=drafts`,
    order: 170,
    count: async ({ caller, platform }) => {
      const parameters = new Parameters();
      const seen = scopeCondition(caller, MINE_MENU, MINE_SCOPE, parameters);
      const row = await runOne<{ count: number; oldest: Date | null }>(
        platform.database.db,
        `SELECT count(*)::int AS count, min(t.created_at) AS oldest FROM contract t
          WHERE t.state IN ('draft', 'rejected') AND t.owner_id = ${parameters.bind(caller.staffId)} AND ${seen}`,
        parameters.values,
      );
      return { count: row!.count, oldest: row!.oldest, overdue: 0 };
    },
  };
}

/** What must hold of contracts whatever happened. */
function invariants(): Invariant[] {
  const check = (name: string, broken: string): Invariant => ({
    name,
    check: async ({ database: { db } }) => {
      const looked = await run<{ n: number }>(db, 'SELECT count(*)::int AS n FROM contract');
      const rows = await run<{ what: string }>(db, `${broken} LIMIT 200`);
      return { looked: looked[0]!.n, problems: rows.map((row) => row.what) };
    },
  });
  return [
    check(
      'contract.amount',
      `SELECT t.code || ': amount ' || t.amount || ', lines say ' || coalesce(x.sum, 0) AS what FROM contract t LEFT JOIN (
         SELECT contract_id, sum(amount) AS sum FROM contract_payment WHERE state <> 'void' AND kind IN ('rent', 'fee', 'adjustment') GROUP BY 1) x
         ON x.contract_id = t.id WHERE t.amount <> coalesce(x.sum, 0)`,
    ),
    check(
      'contract.lines mirror receivables',
      `SELECT t.code || ' line ' || p.no || ': ' || p.state || ', receivable ' || r.state AS what FROM contract_payment p JOIN contract t ON t.id = p.contract_id
         JOIN receivable r ON r.id = p.receivable_id
        WHERE r.state <> 'written_off' AND p.state <> CASE r.state WHEN 'open' THEN 'issued' ELSE r.state END`,
    ),
    check(
      'contract.receivables have one line',
      `SELECT r.code || ': no line of contract ' || r.source_code AS what FROM receivable r
        WHERE r.source_kind = 'contract' AND r.source_id IN (SELECT id FROM contract) AND NOT EXISTS (SELECT FROM contract_payment p WHERE p.receivable_id = r.id)`,
    ),
    check(
      'contract.paid',
      `SELECT t.code || ' line ' || p.no || ': paid ' || p.paid || ', payouts say ' || coalesce(x.sum, 0) AS what FROM contract_payment p JOIN contract t ON t.id = p.contract_id
         LEFT JOIN (SELECT payment_id, sum(amount) AS sum FROM contract_payout GROUP BY 1) x ON x.payment_id = p.id WHERE p.paid <> coalesce(x.sum, 0)`,
    ),
    check(
      'contract.positions are let',
      `SELECT t.code || ': position ' || o.code || ' is not let' AS what FROM contract t JOIN contract_position x ON x.contract_id = t.id JOIN position o ON o.id = x.place_id
        WHERE t.state IN ('active', 'expiring') AND NOT EXISTS (SELECT FROM position_occupancy y WHERE y.contract_id = t.id AND y.position_id = x.place_id AND y.kind = 'lease' AND y.released_at IS NULL)`,
    ),
  ];
}

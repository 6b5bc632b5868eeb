import { partyNames, wordsOf } from '../../../domain/contract/contract-approval.server.ts';
import { yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import { isoInstant } from '../../../kernel/contract/time.rules.ts';
import { run, type Executor } from '../../../kernel/server/database.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import type { DbRow } from '../../../kernel/server/resource/binding.ts';
import { TODAY } from '../../../kernel/server/today.ts';
import { filledTemplate } from '../contract-template/contract-template.rules.ts';
import { picturesOf } from '../../property/picture-columns.server.ts';

/** What changes took off a line (`p`) that is paid out. */
const LOWERED = `coalesce((SELECT sum(a.amount) FROM contract_payment a WHERE a.adjusts_id = p.id AND a.amount < 0 AND a.state <> 'void'), 0)`;
/** SQL of what is owed for a line (`p`) with its receivable (`r`); what was written off is not. */
export const OWED = `(CASE WHEN r.state = 'written_off' THEN 0 WHEN p.receivable_id IS NOT NULL THEN r.principal + r.charges - r.received
  WHEN p.state IN ('planned', 'part') THEN greatest(p.amount + ${LOWERED} - p.paid, 0) ELSE 0 END)`;

/** Lines of the plan, positions on their floor plans, changes, versions, approvals, reminders and the chain of renewals. */
export async function contractDetail(
  db: Executor,
  id: number,
  row: DbRow,
  caller: Caller,
): Promise<Record<string, unknown>> {
  const read = <T extends object>(text: string) => run<T>(db, text, [id]);
  const payments = await read<{
    id: number;
    no: number;
    kind: string;
    name: string;
    from: string | null;
    to: string | null;
    due_on: string;
    amount: number;
    received: number;
    owed: number;
    days: number;
    state: string;
    receivable: string | null;
    manual: boolean;
    reason: string;
    explain: unknown;
  }>(
    `SELECT p.id, p.no, p.kind, p.name, p.period_from::text AS from, p.period_to::text AS to, p.due_on::text AS due_on, p.amount, coalesce(r.received, p.paid)::bigint AS received,
            ${OWED}::bigint AS owed,
            (CASE WHEN t.state IN ('active', 'expiring', 'expired', 'terminated') AND ${OWED} > 0 THEN greatest(0, ${TODAY} - p.due_on) ELSE 0 END)::int AS days,
            p.state, r.code AS receivable, p.manual, p.reason, p.explain
       FROM contract_payment p JOIN contract t ON t.id = p.contract_id LEFT JOIN receivable r ON r.id = p.receivable_id WHERE p.contract_id = $1 ORDER BY p.due_on, p.no`,
  );
  const places = await read<Record<string, unknown>>(
    `SELECT o.id::text AS id, o.code, o.name, o.location, x.from_on::text AS "fromOn", x.to_on::text AS "toOn", (x.price / 100.0)::numeric(20, 2)::text AS price,
            o.pin_x AS "pinX", o.pin_y AS "pinY", (${picturesOf('ARRAY[o.plan_id]')}) AS plan
       FROM contract_position x JOIN position o ON o.id = x.place_id WHERE x.contract_id = $1 ORDER BY x.position, x.id`,
  );
  const changes = await read<{
    id: number;
    kind: string;
    effective_on: string;
    before: Parameters<typeof wordsOf>[0];
    after: Parameters<typeof wordsOf>[0];
    reason: string;
    state: string;
    at: Date;
    by: string | null;
  }>(
    `SELECT c.id, c.kind, c.effective_on::text AS effective_on, c.before, c.after, c.reason, c.state, c.created_at AS at, s.name AS by
       FROM contract_change c LEFT JOIN staff s ON s.id = c.created_by WHERE c.contract_id = $1 ORDER BY c.id DESC`,
  );
  const versions = await read<{
    no: number;
    diff: readonly { field: string; before: unknown; after: unknown }[];
    reason: string;
    at: Date;
    by: string | null;
    approval: string | null;
  }>(
    `SELECT v.no, v.diff, v.reason, v.created_at AS at, s.name AS by, i.code AS approval FROM contract_version v LEFT JOIN staff s ON s.id = v.created_by
       LEFT JOIN approval_instance i ON i.id = v.instance_id WHERE v.contract_id = $1 ORDER BY v.no DESC`,
  );
  const approvals = await read<{
    id: number;
    code: string;
    zh: string;
    en: string;
    state: string;
    at: Date;
    by: string;
  }>(
    `SELECT i.id, i.code, i.title_zh AS zh, i.title_en AS en, i.state, i.started_at AS at, s.name AS by FROM approval_instance i JOIN staff s ON s.id = i.starter_id
      WHERE (i.biz_type = 'contract' AND i.biz_id = $1)
         OR (i.biz_type IN ('contract_change', 'contract_terminate') AND i.biz_id IN (SELECT c.id FROM contract_change c WHERE c.contract_id = $1))
      ORDER BY i.id DESC`,
  );
  const reminders = await read<{
    kind: string;
    days: number;
    target: string;
    sent: Date;
    seen: boolean;
    escalated: boolean;
  }>(
    `SELECT m.kind, m.threshold_days AS days, m.target_date::text AS target, m.sent_at AS sent, m.escalated_at IS NOT NULL AS escalated,
            EXISTS (SELECT FROM notification n WHERE n.kind = 'contractReminder' AND n.row_ids @> ARRAY[m.contract_id] AND n.created_at = m.sent_at AND n.read_at IS NOT NULL) AS seen
       FROM contract_reminder m WHERE m.contract_id = $1 ORDER BY m.sent_at DESC, m.id DESC`,
  );
  const sides = changes.flatMap((one) => [one.before, one.after]);
  const told = versions.flatMap((one) =>
    one.diff.flatMap(({ field, before, after }) =>
      [before, after].map((value) => ({ columns: { [field]: value } })),
    ),
  );
  const names = await partyNames(db, [...sides, ...told]);
  const named = (field: string, value: unknown) => names.get(`${field} ${String(value)}`) ?? value;
  const inReach = caller.projectIds === null ? '' : 'AND c.project_id = ANY($2::bigint[])';
  const chain = await run<{ id: string; code: string; startsOn: string; endsOn: string; state: string }>(
    db,
    `WITH RECURSIVE up AS (SELECT id, renew_of FROM contract WHERE id = $1 UNION SELECT c.id, c.renew_of FROM contract c JOIN up ON c.id = up.renew_of),
            down AS (SELECT id FROM contract WHERE id = $1 UNION SELECT c.id FROM contract c JOIN down ON c.renew_of = down.id)
     SELECT c.id::text AS id, c.code, c.starts_on::text AS "startsOn", c.ends_on::text AS "endsOn", c.state FROM contract c
      WHERE c.id IN (SELECT id FROM up UNION SELECT id FROM down) ${inReach} ORDER BY c.starts_on`,
    caller.projectIds === null ? [id] : [id, caller.projectIds],
  );
  return {
    template: await templateOf(db, row),
    payments: payments.map(({ due_on, ...line }) => ({
      ...line,
      id: String(line.id),
      dueOn: due_on,
      amount: yuanFromFen(line.amount),
      received: yuanFromFen(line.received),
      owed: yuanFromFen(line.owed),
    })),
    placesNow: places,
    changes: changes.map((one) => ({
      id: String(one.id),
      kind: one.kind,
      effectiveOn: one.effective_on,
      before: wordsOf(one.before, names),
      after: wordsOf(one.after, names),
      reason: one.reason,
      state: one.state,
      at: isoInstant(one.at),
      by: one.by ?? '',
    })),
    versions: versions.map((one) => ({
      ...one,
      diff: one.diff.map((each) => ({
        ...each,
        before: named(each.field, each.before),
        after: named(each.field, each.after),
      })),
      at: isoInstant(one.at),
      by: one.by ?? '',
    })),
    approvals: approvals.map((one) => ({ ...one, id: String(one.id), at: isoInstant(one.at) })),
    reminders: reminders.map((one) => ({ ...one, sent: isoInstant(one.sent) })),
    chain: chain.length > 1 ? chain : [],
  };
}

/** The text contracts of the kind are printed with, its fields filled in; null where the kind has none. */
async function templateOf(db: Executor, row: DbRow): Promise<string | null> {
  const [found] = await run<{ body: string }>(db, 'SELECT body FROM contract_template WHERE kind_id = $1', [
    row.kind,
  ]);
  if (!found) return null;
  const said = (name: string) => String(row[name] ?? '') || '—';
  return filledTemplate(found.body, {
    code: said('code'),
    name: said('name'),
    kind: said('kind__title'),
    project: said('project__title'),
    partyA: said('partyA__title'),
    partyB: said('partyB'),
    licenceNo: said('licenceNo'),
    contact: said('contact'),
    contactPhone: said('contactPhone'),
    startsOn: said('startsOn'),
    endsOn: said('endsOn'),
    positions: said('places'),
    amount: printed(row.amount),
    deposit: printed(row.deposit),
  });
}

/** Yuan as they stand on paper: 29,520.00. */
const printed = (fen: unknown) => yuanFromFen(Number(fen)).replace(/\B(?=(\d{3})+\.)/g, ',');

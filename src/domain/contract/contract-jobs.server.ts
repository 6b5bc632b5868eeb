import type { Label } from '../../kernel/contract/label.ts';
import { addDays, businessDayOf } from '../../kernel/contract/time.rules.ts';
import { writeTimeline } from '../../kernel/server/audit/audit.ts';
import { run, runOne, transaction, type Tx } from '../../kernel/server/database.ts';
import { Refusal } from '../../kernel/server/http/errors.ts';
import { SYSTEM } from '../../kernel/server/people/caller.ts';
import type { Platform } from '../../kernel/server/platform.ts';
import type { Job } from '../../kernel/server/registration.ts';
import { leadersAbove } from '../approval/approvers.server.ts';
import { afterBusinessHours } from '../business-calendar/business-hours.server.ts';
import { notify } from '../notification/notify.server.ts';
import { issueDue, issueUntil } from './contract-money.server.ts';
import { holdForContract } from './contract-occupancy.server.ts';
import { renewContract } from './contract-renewal.server.ts';
import { mineSight, MINE_MENU } from './contract-sight.server.ts';
import { lockContract, partsOf } from './contract-terms.server.ts';
import { addMonths } from './plan.rules.ts';

const PAYMENT_DAYS = 7;
const SIGNED_DAYS = 15;
/** Working hours of three business days. */
const UNREAD_HOURS = 22.5;

/** Jobs of contracts beside the one that moves their states. Cron patterns are UTC: 16:30 is 00:30 of the business day. */
export const contractJobs: readonly Job[] = [
  {
    name: 'contract.issue',
    title: ['合同计划生成应收', 'Receivables of contracts'],
    cron: '30 16 * * *',
    run: async (_payload, platform, context) => {
      const made = await issueDue(platform, await issueUntil(platform, businessDayOf(new Date())));
      if (made > 0) context?.print(`${made} 行 / lines`);
    },
  },
  {
    name: 'contract.remind',
    title: ['合同提醒', 'Reminders of contracts'],
    cron: '30 0 * * *',
    run: async (_payload, platform, context) => {
      const sent = await remindContracts(platform, businessDayOf(new Date()));
      const escalated = await escalateReminders(platform, new Date());
      if (sent + escalated > 0) context?.print(`${sent} + ${escalated}`);
    },
  },
  {
    name: 'contract.autoRenew',
    title: ['合同自动续签', 'Contracts renew themselves'],
    cron: '0 17 * * *',
    run: async (_payload, platform, context) => {
      const made = await renewDue(platform, businessDayOf(new Date()));
      if (made > 0) context?.print(`${made} 份 / contracts`);
    },
  },
];

interface Due {
  readonly id: number;
  readonly code: string;
  readonly name: string;
  readonly owner_id: number;
  readonly kind: 'ending' | 'payment' | 'signed_copy';
  readonly days: number;
  readonly target: string;
}

/** Sends what is due on a day to owners and their leaders, each once; returns how many. Source: group 17, contract.remind. */
export async function remindContracts(platform: Platform, today: string): Promise<number> {
  const { db } = platform.database;
  const usual = (await platform.settings.list('contract.remind_days')).map(Number);
  const due = await run<Due>(
    db,
    `WITH live AS (SELECT t.*, coalesce(t.terminated_on, t.ends_on) AS last FROM contract t WHERE t.state IN ('active', 'expiring'))
     SELECT t.id, t.code, t.name, t.owner_id, 'ending' AS kind, d.days, t.last::text AS target FROM live t
       CROSS JOIN LATERAL (SELECT min(x) AS days FROM unnest(CASE WHEN t.remind_days = '' THEN $2::int[] ELSE string_to_array(t.remind_days, ',')::int[] END) x
         WHERE t.last - x <= $1::date) d WHERE d.days IS NOT NULL AND t.last >= $1::date
     UNION ALL
     SELECT DISTINCT t.id, t.code, t.name, t.owner_id, 'payment', ${PAYMENT_DAYS}, p.due_on::text FROM live t JOIN contract_payment p ON p.contract_id = t.id
      WHERE p.state IN ('planned', 'issued', 'part') AND p.kind <> 'deposit_return' AND p.due_on BETWEEN $1::date AND $1::date + ${PAYMENT_DAYS}
     UNION ALL
     SELECT t.id, t.code, t.name, t.owner_id, 'signed_copy', ${SIGNED_DAYS}, ((t.approved_at AT TIME ZONE 'Asia/Shanghai')::date + ${SIGNED_DAYS})::text FROM live t
      WHERE cardinality(t.signed_ids) = 0 AND (t.approved_at AT TIME ZONE 'Asia/Shanghai')::date + ${SIGNED_DAYS} <= $1::date
     ORDER BY 1, 5`,
    [today, usual],
  );
  let sent = 0;
  for (const one of due)
    sent += await transaction(db, async (tx) => {
      const made = await runOne(
        tx,
        `INSERT INTO contract_reminder (contract_id, kind, threshold_days, target_date) VALUES ($1, $2, $3, $4)
         ON CONFLICT (contract_id, kind, threshold_days, target_date) DO NOTHING RETURNING id`,
        [one.id, one.kind, one.days, one.target],
      );
      if (!made) return 0;
      const leaders = await leadersAbove(tx, one.owner_id, [one.owner_id]);
      await tellOf(tx, one.id, [one.owner_id, ...leaders], wordsOf(one));
      return 1;
    });
  return sent;
}

function wordsOf({ kind, code, name, target }: Due): Label {
  switch (kind) {
    case 'ending':
      return [`合同 ${code} ${name} 将于 ${target} 到期`, `Contract ${code} ${name} ends on ${target}`];
    case 'payment':
      return [
        `合同 ${code} ${name} 有款项 ${target} 到期`,
        `Contract ${code} ${name}: a payment is due on ${target}`,
      ];
    case 'signed_copy':
      return [`合同 ${code} ${name} 缺签署件`, `Contract ${code} ${name} lacks its signed copy`];
  }
}

const tellOf = (tx: Tx, id: number, staffIds: readonly number[], title: Label) =>
  notify(tx, {
    kind: 'contractReminder',
    staffIds: [...new Set(staffIds)],
    rows: { sight: mineSight, ids: [id] },
    title,
    route: `/publicResource/${MINE_MENU}?detail=${id}`,
  });

/** What reminders are about. */
const REMINDED = {
  ending: ['到期', 'end'],
  payment: ['付款', 'payment'],
  signed_copy: ['签署件', 'signed copy'],
  deposit: ['押金', 'deposit'],
} as const satisfies Readonly<Record<string, Label>>;

/** Reminders nobody read for three business days go to the leader's leader, once; returns how many. */
export async function escalateReminders(platform: Platform, now: Date): Promise<number> {
  const { db } = platform.database;
  const unread = await run<{
    id: number;
    contract_id: number;
    code: string;
    name: string;
    owner_id: number;
    kind: keyof typeof REMINDED;
    sent_at: Date;
  }>(
    db,
    `SELECT m.id, m.contract_id, t.code, t.name, t.owner_id, m.kind, m.sent_at FROM contract_reminder m JOIN contract t ON t.id = m.contract_id
      WHERE m.escalated_at IS NULL AND t.state IN ('active', 'expiring') AND m.sent_at > $1::timestamptz - interval '30 days'
        AND NOT EXISTS (SELECT FROM notification n WHERE n.kind = 'contractReminder' AND n.row_ids @> ARRAY[m.contract_id] AND n.created_at = m.sent_at AND n.read_at IS NOT NULL)
      ORDER BY m.id`,
    [now],
  );
  let told = 0;
  for (const one of unread) {
    if ((await afterBusinessHours(db, one.sent_at, UNREAD_HOURS)) > now) continue;
    await transaction(db, async (tx) => {
      const taken = await runOne(
        tx,
        'UPDATE contract_reminder SET escalated_at = $2 WHERE id = $1 AND escalated_at IS NULL RETURNING id',
        [one.id, now],
      );
      if (!taken) return;
      told++;
      const [leader] = await leadersAbove(tx, one.owner_id, [one.owner_id]);
      const above = leader === undefined ? [] : await leadersAbove(tx, leader, [one.owner_id, leader]);
      await tellOf(tx, one.contract_id, above, [
        `合同 ${one.code} ${one.name} 的${REMINDED[one.kind][0]}提醒 3 个工作日未读`,
        `The reminder of contract ${one.code} ${one.name} (${REMINDED[one.kind][1]}) is unread for 3 business days`,
      ]);
    });
  }
  return told;
}

/** Drafts renewals of contracts that renew themselves; positions are held where they are free. Returns how many. */
export async function renewDue(platform: Platform, today: string): Promise<number> {
  const { db } = platform.database;
  const due = await run<{ id: number }>(
    db,
    `SELECT t.id FROM contract t WHERE t.auto_renew_months > 0 AND t.state IN ('active', 'expiring') AND t.terminated_on IS NULL
        AND t.ends_on - t.notice_days <= $1::date AND t.ends_on >= $1::date AND NOT EXISTS (SELECT FROM contract x WHERE x.renew_of = t.id) ORDER BY t.id`,
    [today],
  );
  for (const { id } of due) await transaction(db, (tx) => renewOne(tx, id));
  if (due.length > 0)
    for (const name of ['contract', 'position', 'positionOccupancy']) platform.changed(name);
  return due.length;
}

async function renewOne(tx: Tx, id: number): Promise<void> {
  const old = await lockContract(tx, id);
  // Another run was first.
  if (await runOne(tx, 'SELECT 1 FROM contract WHERE renew_of = $1', [id])) return;
  const endsOn = addDays(addMonths(addDays(old.ends_on, 1), old.auto_renew_months), -1);
  const made = await renewContract(tx, old, { endsOn, rate: 0, staffId: null });
  const busy: string[] = [];
  for (const one of (await partsOf(tx, made.id)).positions)
    try {
      await holdForContract(
        tx,
        { ...SYSTEM, staffId: old.owner_id },
        { id: made.id, projectId: old.project_id, clientId: old.client_id, name: old.name },
        [one],
      );
    } catch (error) {
      // Somebody else has it: the owner is told.
      if (!(error instanceof Refusal)) throw error;
      busy.push(one.code!);
    }
  await writeTimeline(tx, {
    entity: 'contract',
    entityId: made.id,
    action: 'create',
    label: ['自动续签生成', 'Made by automatic renewal'],
    to: 'draft',
    remark: old.code,
  });
  await tellOf(
    tx,
    made.id,
    [old.owner_id],
    busy.length === 0
      ? [
          `合同 ${old.code} 已生成续签草稿 ${made.code}，请提交`,
          `A draft ${made.code} renews contract ${old.code}: hand it in`,
        ]
      : [
          `合同 ${old.code} 已生成续签草稿 ${made.code}；点位 ${busy.join('、')} 不空闲，请核对`,
          `A draft ${made.code} renews contract ${old.code}; positions ${busy.join(', ')} are not free`,
        ],
  );
}

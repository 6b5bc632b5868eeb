import { bookDunning, proposeDunning } from '../../../domain/receivable/dunning.server.ts';
import { tellReceivables } from '../../../domain/receivable/receivable.server.ts';
import { holdersOf } from '../../../domain/approval/approvers.server.ts';
import { queueSms } from '../../../domain/message/queue-message.server.ts';
import { notify } from '../../../domain/notification/notify.server.ts';
import { listSight } from '../../../domain/notification/row-sight.server.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import { businessDayOf } from '../../../kernel/contract/time.rules.ts';
import { run, runOne, transaction, type Tx } from '../../../kernel/server/database.ts';
import { invalid, Refusal, ruleBroken } from '../../../kernel/server/http/errors.ts';
import { staffIdOf } from '../../../kernel/server/people/caller.ts';
import type { ScopeColumns } from '../../../kernel/server/people/scope.ts';
import type { Platform } from '../../../kernel/server/platform.ts';
import type { Job, Registration } from '../../../kernel/server/registration.ts';
import { fromInput } from '../../../kernel/server/resource/abilities/sets.ts';
import { bindResource, type BoundResource } from '../../../kernel/server/resource/bind.ts';
import type { ActionContext, ActionResult } from '../../../kernel/server/resource/run-action.ts';
import { RECEIPT_MENU } from '../receipt/receipt.contract.ts';
import { RECEIVABLE_MENU } from '../receivable/receivable.contract.ts';
import { RECEIVABLE_SCOPE } from '../receivable/request-approval.server.ts';
import { receivableDunning } from './dunning.contract.ts';
import { TODAY } from '../../../kernel/server/today.ts';

const SCOPE: ScopeColumns = { tenant: 'NULL::bigint', project: 't.project_id', owner: 't.owner_id' };

/** Receivables and receipts as those read of them who see the lists. */
export const receivableSight = listSight({
  entity: 'receivable',
  menu: RECEIVABLE_MENU,
  table: 'receivable',
  scope: RECEIVABLE_SCOPE,
});
export const receiptSight = listSight({
  entity: 'receipt',
  menu: RECEIPT_MENU,
  table: 'receipt',
  scope: { tenant: 'NULL::bigint', project: 't.project_id', owner: 't.recorder_id' },
});

/** SQL: a text with as much of the name as the list shows. */
const said = (column: string) => `replace(${column}, '{payer}', left(y.name, 1) || '**')`;

const bound: BoundResource = bindResource(receivableDunning, {
  table: 'receivable_dunning',
  from: `receivable_dunning t LEFT JOIN payer y ON y.id = t.payer_id LEFT JOIN project p ON p.id = t.project_id LEFT JOIN staff o ON o.id = t.owner_id`,
  scope: SCOPE,
  searchExact: ['y.name'],
  columns: {
    payer: 'y.name',
    project: { id: 't.project_id', title: 'p.name' },
    level: 't.level::text',
    textZh: said('t.text_zh'),
    textEn: said('t.text_en'),
    owner: { id: 't.owner_id', title: 'o.name' },
    lines: `(SELECT string_agg(r.code, '、' ORDER BY r.due_on, r.code) FROM receivable_dunning_line l JOIN receivable r ON r.id = l.receivable_id WHERE l.dunning_id = t.id)`,
    result: `nullif(t.result, '')`,
    skipReason: `nullif(t.skip_reason, '')`,
  },
  tabs: {
    waiting: () => `t.state = 'waiting'`,
    calling: () => `t.state = 'calling'`,
    all: () => 'TRUE',
  },
  sets: { skip: { skip_reason: fromInput('reason') } },
  handlers: {
    send,
    answer,
  },
  also: { sights: [receivableSight, receiptSight], jobs: jobs() },
});

/** Proposals and records of dunning. */
export const registration: Registration = bound.registration;

const NIGHT: Label = ['短信仅在 08:00–20:00 发送', 'SMS are sent between 08:00 and 20:00'];
const GONE: Label = [
  '应收已收清、有争议或已承诺付款，请跳过',
  'Paid, disputed or promised meanwhile: skip it',
];

/** Sends a proposal and books what its level costs; a phone task waits for its result. */
async function send({ tx, row, id, caller, platform }: ActionContext): Promise<ActionResult> {
  const channels = row.channels as readonly string[];
  const now = new Date();
  const hour = new Date(now.getTime() + 8 * 3_600_000).getUTCHours();
  const sms = channels.includes('sms');
  if (sms && (hour < 8 || hour >= 20)) throw ruleBroken(NIGHT);
  const staffId = caller.staffId === 0 ? null : staffIdOf(caller);
  const capBp = await platform.settings.numberIn(tx, 'receivable.charge_cap_bp', {
    projectId: Number(row.project_id),
  });
  const asked = await bookDunning(tx, id, businessDayOf(now), capBp, staffId);
  if (asked.length === 0) throw ruleBroken(GONE);
  if (sms) {
    const to = await runOne<{ phone: string; name: string }>(
      tx,
      `SELECT m.phone, y.name FROM payer y JOIN member m ON m.id = y.member_id WHERE y.id = $1 AND m.phone <> ''`,
      [row.payer_id],
    );
    if (to)
      await queueSms(tx, {
        phone: to.phone,
        purpose: 'dunning',
        body: String(row.text_zh).replaceAll('{payer}', to.name),
      });
  }
  const call = channels.includes('phone');
  if (call && row.owner_id !== null)
    await notify(tx, {
      kind: 'receivable',
      staffIds: [Number(row.owner_id)],
      rows: { sight: receivableSight, ids: asked },
      title: [`电话催收任务（${String(row.level)} 级）`, `Call a payer (level ${String(row.level)})`],
      body: [`合计 ${yuanFromFen(Number(row.sum))}`, `${yuanFromFen(Number(row.sum))} in all`],
      route: `/lifeService/${RECEIVABLE_MENU}?part=dunning&tab=calling`,
    });
  tellReceivables(platform);
  return { to: call ? 'calling' : 'done', set: { sent_at: now, sent_by: staffId } };
}

/** What the payer said; a promise keeps its lines from being asked for until its day. */
async function answer({ tx, row, id, input }: ActionContext): Promise<ActionResult> {
  const promised = (input.promised as string | null | undefined) ?? null;
  if (promised !== null && promised < businessDayOf(new Date()))
    throw invalid({ promised: ['承诺日期不能早于今天', 'It cannot lie before today'] });
  if (promised !== null)
    await run(
      tx,
      `UPDATE receivable SET promised_on = $2, version = version + 1, updated_at = now()
        WHERE state IN ('open', 'part') AND id IN (SELECT receivable_id FROM receivable_dunning_line WHERE dunning_id = $1)`,
      [id, promised],
    );
  return {
    set: { result: input.answer, promised_on: promised },
    remark: [String(input.answer), promised, yuanFromFen(Number(row.sum))].filter(Boolean).join(' · '),
  };
}

function jobs(): readonly Job[] {
  return [
    {
      name: 'dunning.propose',
      title: ['生成催收建议', 'Propose dunning'],
      // 09:30 in business time.
      cron: '30 1 * * *',
      run: async (_payload, platform, context) => {
        const { db } = platform.database;
        const today = businessDayOf(new Date());
        const payers = await run<{ id: number }>(
          db,
          `SELECT DISTINCT t.payer_id AS id FROM receivable t WHERE t.state IN ('open', 'part') AND t.due_on < ${TODAY}
              AND NOT EXISTS (SELECT FROM receivable_dunning d WHERE d.payer_id = t.payer_id AND (d.day = ${TODAY} OR d.state = 'waiting')) ORDER BY 1`,
        );
        let made = 0;
        for (const { id } of payers) {
          context?.signal.throwIfAborted();
          const proposed = await transaction(db, (tx) => proposeDunning(tx, id, today));
          if (!proposed) continue;
          made++;
          if (proposed.autoSend)
            await transaction(db, (tx) => bound.actAsSystem(tx, platform, 'send', proposed.id)).catch(
              (error: unknown) => {
                // At night or paid meanwhile: somebody looks at it.
                if (!(error instanceof Refusal)) throw error;
              },
            );
        }
        if (made > 0) platform.changed('receivableDunning');
        if (made > 0) context?.print(`${made} 条建议 / proposals`);
      },
    },
    {
      name: 'dunning.promise',
      title: ['承诺付款失约提醒', 'Broken promises'],
      // 09:00 in business time.
      cron: '0 1 * * *',
      run: (_payload, platform) =>
        remind(
          platform,
          'receivable',
          `SELECT t.id, 'promise:' || t.promised_on AS what, t.code, t.promised_on::text AS day, ARRAY[coalesce(t.owner_id, t.created_by)] AS staff
             FROM receivable t WHERE t.state IN ('open', 'part') AND t.promised_on < ${TODAY} AND coalesce(t.owner_id, t.created_by) IS NOT NULL`,
          async (tx, one) => {
            await notify(tx, {
              kind: 'receivable',
              staffIds: one.staff!,
              rows: { sight: receivableSight, ids: [one.id] },
              title: [
                `应收 ${one.code} 承诺 ${one.day} 付款，已失约`,
                `${one.code}: promised for ${one.day}, not paid`,
              ],
              route: `/lifeService/accountsReceivableDetails/${one.id}/todo`,
            });
          },
        ),
    },
    {
      name: 'receipt.stale',
      title: ['收款长时间未确认提醒', 'Receipts nobody confirmed'],
      // 10:00 in business time.
      cron: '0 2 * * *',
      run: async (_payload, platform) => {
        const days = Math.trunc(await platform.settings.number('receipt.stale_days'));
        await remind(
          platform,
          'receipt',
          `SELECT t.id, 'stale' AS what, t.code, t.received_on::text AS day, t.recorder_id AS recorder, s.tenant_id AS tenant
             FROM receipt t LEFT JOIN staff s ON s.id = t.recorder_id
            WHERE t.state = 'to_confirm' AND t.created_at < now() - make_interval(days => ${days})`,
          async (tx, one) => {
            if (!one.tenant) return;
            const staffIds = await holdersOf(tx, one.tenant, `${RECEIPT_MENU}:btn_confirm`, [
              one.recorder ?? 0,
            ]);
            await notify(tx, {
              kind: 'receivable',
              staffIds,
              rows: { sight: receiptSight, ids: [one.id] },
              title: [
                `收款 ${one.code} 待确认超过 ${days} 天`,
                `${one.code} waits for its confirmation for ${days} days`,
              ],
              route: `/lifeService/accountsConfirmDetails/${one.id}/todo`,
            });
          },
        );
      },
    },
  ];
}

interface Reminded {
  readonly id: number;
  readonly what: string;
  readonly code: string;
  readonly day: string;
  readonly staff?: readonly number[];
  readonly recorder?: number | null;
  readonly tenant?: number | null;
}

/** Tells of each row once. */
async function remind(
  platform: Platform,
  entity: string,
  rows: string,
  tell: (tx: Tx, one: Reminded) => Promise<void>,
): Promise<void> {
  const { db } = platform.database;
  const due = await run<Reminded>(
    db,
    `SELECT x.* FROM (${rows}) x WHERE NOT EXISTS (SELECT FROM receivable_reminder m WHERE m.entity = $1 AND m.row_id = x.id AND m.what = x.what)
      ORDER BY x.id LIMIT 5000`,
    [entity],
  );
  for (const one of due)
    await transaction(db, async (tx) => {
      const made = await runOne(
        tx,
        'INSERT INTO receivable_reminder (entity, row_id, what) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING RETURNING row_id',
        [entity, one.id, one.what],
      );
      if (made) await tell(tx, one);
    });
}

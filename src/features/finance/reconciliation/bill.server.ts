import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import {
  awaitBill,
  importBill,
  matchBill,
  type BillFile,
  type BillRow,
} from '../../../domain/settlement/channel-bill.server.ts';
import { identityOf, type MatchResult } from '../../../domain/settlement/match.rules.ts';
import { isSandbox } from '../../../domain/payment-channel/channels.server.ts';
import { yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import { addDays, businessDayOf } from '../../../kernel/contract/time.rules.ts';
import { run, runOne, transaction, type Executor, type Tx } from '../../../kernel/server/database.ts';
import { openFileStore } from '../../../kernel/server/files/file-store.ts';
import { checkAttachable } from '../../../kernel/server/files/files.ts';
import { invalid, Refusal, ruleBroken } from '../../../kernel/server/http/errors.ts';
import type { Platform } from '../../../kernel/server/platform.ts';
import { Parameters, scopeCondition } from '../../../kernel/server/people/scope.ts';
import type { Job, OptionSource, TodoKind } from '../../../kernel/server/registration.ts';
import { NOW } from '../../../kernel/server/resource/abilities/sets.ts';
import { bindResource, type BoundResource } from '../../../kernel/server/resource/bind.ts';
import { nextCode } from '../../../kernel/server/resource/codes.ts';
import { dueJob } from '../../../kernel/server/resource/due-job.ts';
import type { ActionContext, ActionResult } from '../../../kernel/server/resource/run-action.ts';
import { sqlInvariant } from '../../../kernel/server/sql-invariant.ts';
import { PLATFORM_SCOPE } from '../initiate/platform-scope.server.ts';
import { readBill } from './bill-file.server.ts';
import { channelBill, reconciliation, RECONCILIATION_MENU } from './reconciliation.contract.ts';

const BILL_SCOPE = PLATFORM_SCOPE('t.created_by');

const bound: BoundResource = bindResource(channelBill, {
  table: 'channel_bill',
  from: 'channel_bill t LEFT JOIN payee_account y ON y.id = t.payee_account_id',
  scope: BILL_SCOPE,
  search: 'lower(t.code)',
  columns: {
    channel: 't.channel::text',
    account: {
      id: 't.payee_account_id',
      title: `trim(y.name || CASE WHEN y.number_tail <> '' THEN ' ****' || y.number_tail ELSE '' END)`,
    },
    difference: 't.their_amount - t.our_amount',
    open: `(SELECT count(*)::int FROM reconciliation r WHERE r.bill_id = t.id AND r.state IN ('open', 'to_check'))`,
    held: `(SELECT count(*)::int FROM reconciliation r WHERE r.bill_id = t.id AND r.state = 'held')`,
    identity: 'NULL::text',
  },
  filters: {
    channel: (value, parameters) => `t.channel::text = ANY(${parameters.bind(value.split(','))}::text[])`,
  },
  sets: { autoClose: { closed_at: NOW } },
  handlers: {
    upload,
    pull: async ({ platform, input, caller }) => {
      const day = String(input.billDate);
      if (day >= businessDayOf(new Date()))
        throw invalid({ billDate: ['只能取今天之前的账单', 'A day before today'] });
      const bills = await pullDay(platform, day, caller.staffId);
      return { result: { bills } };
    },
    rematch: async ({ tx, id, platform }) => {
      await matchBill(tx, id, await platform.settings.numberIn(tx, 'recon.edge_minutes'));
      platform.changed(reconciliation.name);
    },
    close: async ({ tx, id, caller }) => {
      const open = await runOne<{ n: number }>(
        tx,
        `SELECT count(*)::int AS n FROM reconciliation WHERE bill_id = $1 AND state IN ('open', 'to_check', 'waiting')`,
        [id],
      );
      if (open!.n > 0) throw ruleBroken([`还有 ${open!.n} 笔差异未处理`, `${open!.n} differences are open`]);
      return { set: { closed_at: new Date(), closed_by: caller.staffId } };
    },
    reopen: async ({ tx, id, input }) => {
      const settled = await runOne(
        tx,
        `SELECT FROM reconciliation r JOIN sales_order o ON o.payment_id = r.payment_id JOIN statement_line l ON l.order_id = o.id AND l.active
           JOIN statement s ON s.id = l.statement_id WHERE r.bill_id = $1 AND s.state NOT IN ('draft', 'void') LIMIT 1`,
        [id],
      );
      if (settled)
        throw ruleBroken([
          '已有结算单使用该账单的支付，不能重开',
          'A statement uses a payment of this bill: it stays closed',
        ]);
      return { set: { closed_at: null, closed_by: null }, remark: String(input.reason) };
    },
  },
  detail: async (db, id) => ({ identity: await identityText(db, id) }),
  also: {
    options: [collectAccounts()],
    todos: [billsAwaited()],
    invariants: [
      sqlInvariant(
        'recon.identity',
        `SELECT b.code AS what, ARRAY[b.their_amount - b.our_amount] AS found, ARRAY[coalesce(sum((CASE r.type WHEN 'pay' THEN 1 ELSE -1 END) * CASE r.result
            WHEN 'amount_differs' THEN r.their_amount - r.our_amount WHEN 'only_channel' THEN r.their_amount WHEN 'only_ours' THEN -r.our_amount
            WHEN 'cross_day' THEN CASE WHEN r.bill_row_id IS NULL THEN -r.our_amount ELSE r.their_amount END ELSE 0 END), 0)] AS wanted
           FROM channel_bill b LEFT JOIN reconciliation r ON r.bill_id = b.id WHERE b.state IN ('balanced', 'closed') GROUP BY b.id`,
      ),
    ],
    jobs: [
      {
        name: 'recon.pull',
        title: ['取渠道账单', 'Pull bills of the channels'],
        cron: '30 2-12 * * *',
        run: async (_payload, platform, context) => {
          const bills = await pullDay(platform, addDays(businessDayOf(new Date()), -1), null);
          context?.print(`${bills} 张 / bills`);
        },
      } satisfies Job,
      dueJob(() => bound, {
        name: 'recon.close',
        title: ['对平账单自动关账', 'Close bills in order'],
        cron: '0 19 * * *',
        action: 'autoClose',
        when: `t.imported_at < now() - make_interval(days => coalesce((SELECT (s.value #>> '{}')::int FROM setting s WHERE s.key = 'recon.close_days' LIMIT 1), 3))
          AND NOT EXISTS (SELECT FROM reconciliation r WHERE r.bill_id = t.id AND r.state = 'waiting')`,
      }),
    ],
  },
});

/** Bills of the channels. */
export const registration = bound.registration;

/** Reads the file and matches it; the platform's own accounts and merchants' collect accounts. */
async function upload({ tx, platform, input, caller }: ActionContext): Promise<ActionResult> {
  const accountId = Number(input.account);
  const account = await runOne<{ channel: string }>(
    tx,
    `SELECT channel FROM payee_account WHERE id = $1 AND purpose = 'collect' AND channel IN ('alipay', 'wechat')`,
    [accountId],
  );
  if (!account) throw invalid({ account: ['没有该收款账户', 'There is no such account'] });
  const day = String(input.billDate);
  if (day >= businessDayOf(new Date()))
    throw invalid({ billDate: ['只能上传今天之前的账单', 'A day before today'] });
  const fileId = String(input.file);
  await checkAttachable(tx, caller, 'file', [fileId]);
  const stored = (await runOne<{ name: string; storage_key: string }>(
    tx,
    'SELECT name, storage_key FROM stored_file WHERE id = $1::uuid',
    [fileId],
  ))!;
  const content = await buffer(await openFileStore(platform.config).read(stored.storage_key));
  const rows = await readBill(content, day);
  const bill = await importRows(tx, platform, {
    channel: account.channel === 'alipay' ? 1 : 2,
    accountId,
    date: day,
    rows,
    sha256: createHash('sha256').update(content).digest('hex'),
    fileName: stored.name,
    source: 'upload',
  });
  return { result: { rows: rows.length, id: String(bill) } };
}

/** Imports rows of a day as a bill. */
export async function importRows(
  tx: Tx,
  platform: Platform,
  file: Omit<BillFile, 'code' | 'edgeMinutes'>,
): Promise<number> {
  const id = await importBill(tx, {
    ...file,
    code: () => nextCode(tx, 'CB'),
    edgeMinutes: await platform.settings.numberIn(tx, 'recon.edge_minutes'),
  });
  platform.changed(channelBill.name);
  platform.changed(reconciliation.name);
  return id;
}

/**
 * Takes the bills of a day from channels that are the sandbox: from its own trades. Days with payments of ours and no bill are noted as
 * awaited. Returns how many came.
 */
export async function pullDay(platform: Platform, day: string, staffId: number | null): Promise<number> {
  const { db } = platform.database;
  const accounts = await run<{ id: number; channel: string }>(
    db,
    `SELECT id, channel FROM payee_account WHERE purpose = 'collect' AND channel IN ('alipay', 'wechat') AND (built_in OR state IN ('active', 'stopped')) ORDER BY id`,
  );
  let bills = 0;
  for (const account of accounts) {
    const channel = account.channel === 'alipay' ? 1 : 2;
    const rows = isSandbox(platform, channel) ? await sandboxRows(db, account.id, channel, day) : [];
    const known = await runOne(
      db,
      `SELECT FROM channel_bill WHERE channel = $1 AND payee_account_id = $2 AND bill_date = $3 AND state NOT IN ('awaiting', 'failed')`,
      [channel, account.id, day],
    );
    if (known) continue;
    if (rows.length === 0) {
      await transaction(db, (tx) =>
        awaitBill(tx, { channel, accountId: account.id, date: day, code: () => nextCode(tx, 'CB') }),
      );
      continue;
    }
    await transaction(db, (tx) =>
      importRows(tx, platform, {
        channel,
        accountId: account.id,
        date: day,
        rows,
        sha256: createHash('sha256')
          .update(`${account.id} ${day} ${JSON.stringify(rows)}`)
          .digest('hex'),
        fileName: `${day}.csv`,
        source: 'pull',
      }),
    ).catch((error: unknown) => {
      // Another run was first.
      if (!(error instanceof Refusal)) throw error;
    });
    bills += 1;
  }
  if (bills > 0) platform.log.info({ msg: 'channel bills pulled', day, bills, by: staffId });
  return bills;
}

async function sandboxRows(db: Executor, account: number, channel: number, day: string): Promise<BillRow[]> {
  return run<BillRow>(
    db,
    `WITH trades AS (SELECT t.*, coalesce(t.payee_account_id, (SELECT y.id FROM payee_account y WHERE y.built_in AND y.channel = CASE p.channel WHEN 1 THEN 'alipay' ELSE 'wechat' END ORDER BY y.id LIMIT 1)) AS account,
              p.fee FROM sandbox_trade t JOIN payment p ON p.checkout_code = t.checkout_code WHERE p.channel = $2)
     SELECT 'pay' AS type, trade_no AS "tradeNo", checkout_code AS "ourNo", amount, fee, paid_at AS at FROM trades WHERE account = $1 AND (paid_at AT TIME ZONE 'Asia/Shanghai')::date = $3::date
     UNION ALL
     SELECT 'refund', t.trade_no, r.refund_no, r.amount, 0, r.due_at FROM sandbox_refund r JOIN trades t ON t.trade_no = r.trade_no
      WHERE r.state = 'success' AND t.account = $1 AND (r.due_at AT TIME ZONE 'Asia/Shanghai')::date = $3::date
     ORDER BY at`,
    [account, channel, day],
  );
}

/** Days with payments whose bill has not come; after 20:00 of the next day somebody has to fetch it. Source: group 13, recon.pull. */
function billsAwaited(): TodoKind {
  return {
    kind: 'billAwaited',
    label: ['未取到渠道账单', 'Channel bills that did not come'],
    menu: RECONCILIATION_MENU,
    route: `/financialManage/${RECONCILIATION_MENU}?state=awaiting,failed`,
    order: 174,
    count: async ({ caller, platform }) => {
      const parameters = new Parameters();
      const seen = scopeCondition(caller, RECONCILIATION_MENU, BILL_SCOPE, parameters);
      const row = await runOne<{ count: number; oldest: Date | null; overdue: number }>(
        platform.database.db,
        `SELECT count(*)::int AS count, min(t.created_at) AS oldest,
                (count(*) FILTER (WHERE now() > (t.bill_date + 1 + time '20:00') AT TIME ZONE 'Asia/Shanghai'))::int AS overdue
           FROM channel_bill t WHERE t.state IN ('awaiting', 'failed') AND ${seen}`,
        parameters.values,
      );
      return row!;
    },
  };
}

/** The identity of a day with its numbers. */
async function identityText(db: Executor, id: number): Promise<string> {
  const bill = (await runOne<{ ours: number; channel: number }>(
    db,
    'SELECT our_amount AS ours, their_amount AS channel FROM channel_bill WHERE id = $1',
    [id],
  ))!;
  const rows = await run<{
    type: 'pay' | 'refund';
    result: MatchResult;
    ours: number | null;
    theirs: number | null;
  }>(
    db,
    `SELECT type, result, our_amount AS ours, CASE WHEN bill_row_id IS NULL THEN NULL ELSE their_amount END AS theirs FROM reconciliation WHERE bill_id = $1 AND result <> 'matched'`,
    [id],
  );
  const sums = identityOf(rows, bill);
  const [ours, diff, onlyChannel, onlyOurs, crossOut, crossIn, channel, residual] = [
    sums.ours,
    sums.diff,
    sums.onlyChannel,
    sums.onlyOurs,
    sums.crossOut,
    sums.crossIn,
    sums.channel,
    sums.residual,
  ].map(yuanFromFen);
  return `${ours} + ${diff} + ${onlyChannel} − ${onlyOurs} − ${crossOut} + ${crossIn} = ${channel} (${residual})`;
}

/** Accounts money comes in through. */
function collectAccounts(): OptionSource {
  return {
    target: 'collectAccount',
    anyOf: [RECONCILIATION_MENU],
    find: async ({ caller, platform }, query) => {
      if (caller.tenantKind !== 3) return [];
      const rows = await run<{ id: number; name: string; tail: string }>(
        platform.database.db,
        `SELECT id, name, number_tail AS tail FROM payee_account WHERE purpose = 'collect' AND channel IN ('alipay', 'wechat')
            AND CASE WHEN cardinality($1::bigint[]) > 0 THEN id = ANY($1::bigint[]) ELSE position(lower($2) IN lower(name || ' ' || number_tail)) > 0 END
          ORDER BY id LIMIT $3 OFFSET $4`,
        [query.ids.map(Number), query.searchVal, query.limit, query.offset],
      );
      return rows.map((row) => ({
        id: String(row.id),
        title: row.name,
        note: row.tail ? `****${row.tail}` : '',
      }));
    },
  };
}

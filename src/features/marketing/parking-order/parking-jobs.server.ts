import { CHANNEL_OF, type ParkingWay } from '../../../domain/parking/parking.rules.ts';
import { INSIDE } from '../../../domain/parking/stay.server.ts';
import { refundChannel } from '../../../domain/payment-channel/channels.server.ts';
import { ChannelSilent, type ChannelAnswer } from '../../../domain/payment-channel/payment-channel.ts';
import { openGate } from '../../../domain/road-gate/gate-vendor.server.ts';
import type { GateVendorCode } from '../../../domain/road-gate/road-gate.rules.ts';
import { openText } from '../../../domain/payee/sealed-text.server.ts';
import { yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import { run, runOne, transaction } from '../../../kernel/server/database.ts';
import { Refusal } from '../../../kernel/server/http/errors.ts';
import type { Platform } from '../../../kernel/server/platform.ts';
import type { Effect, Job } from '../../../kernel/server/registration.ts';
import type { BoundResource } from '../../../kernel/server/resource/bind.ts';
import { dueJob } from '../../../kernel/server/resource/due-job.ts';
import { OPEN_GATE } from './parking-actions.server.ts';

/** Prices that are no longer held, stays that last too long, refunds under way. */
export function parkingJobs(bound: () => BoundResource): readonly Job[] {
  return [
    dueJob(bound, {
      name: 'parking.quote',
      title: ['停车报价过期', 'Prices of parking that are no longer held'],
      cron: '* * * * *',
      action: 'unquote',
      when: 't.parent_id IS NULL AND t.quote_until < clock_timestamp()',
    }),
    {
      name: 'parking.abnormal',
      title: ['停放过久标记异常', 'Stays that last too long'],
      cron: '5 * * * *',
      run: (_payload, platform) => suspectLong(platform, bound()),
    },
    {
      name: 'parking.refund',
      title: ['停车退款', 'Refunds of parking'],
      cron: '* * * * *',
      run: (_payload, platform) => settleRefunds(platform, bound()),
    },
  ];
}

async function suspectLong(platform: Platform, bound: BoundResource): Promise<void> {
  const { db } = platform.database;
  const projects = await run<{ project_id: number }>(db, 'SELECT DISTINCT project_id FROM parking_lot');
  for (const { project_id: projectId } of projects) {
    const days = await platform.settings.number('parking.max_days', { projectId });
    const rows = await run<{ id: number }>(
      db,
      `SELECT id FROM parking_order WHERE project_id = $1 AND ${INSIDE} AND entry_at < clock_timestamp() - make_interval(days => $2) ORDER BY id LIMIT 500`,
      [projectId, days],
    );
    for (const { id } of rows)
      await transaction(db, (tx) =>
        bound.actAsSystem(tx, platform, 'suspect', id, { why: 'too_long' }),
      ).catch((error: unknown) => {
        // The car left meanwhile.
        if (!(error instanceof Refusal)) throw error;
      });
    if (rows.length > 0) platform.changed('parkingOrder');
  }
}

interface PendingRefund {
  readonly id: number;
  readonly order_id: number;
  readonly way: ParkingWay;
  readonly amount: number;
  readonly number: string;
  readonly reason: string;
  readonly code: string;
  readonly trade_no: string;
  readonly paid: number;
}

/** Asks the channels for what waits, and what became of it; a repeat with the same number never pays twice. */
async function settleRefunds(platform: Platform, bound: BoundResource): Promise<void> {
  const { db } = platform.database;
  const rows = await run<PendingRefund>(
    db,
    `SELECT r.id, r.order_id, r.way, r.amount, r.number, r.reason, o.code, p.number AS trade_no, p.amount AS paid
       FROM parking_payment r JOIN parking_order o ON o.id = r.order_id JOIN parking_payment p ON p.order_id = o.id AND p.kind = 'payment'
      WHERE r.kind = 'refund' AND r.state = 'pending' ORDER BY r.id LIMIT 200`,
  );
  for (const row of rows) {
    const channel = refundChannel(platform, CHANNEL_OF[row.way]!);
    let answer: ChannelAnswer;
    try {
      answer = await channel.query(row.number, row.trade_no);
      if (answer.state === 'none')
        answer = await channel.refund({
          refundNo: row.number,
          tradeNo: row.trade_no,
          checkoutCode: row.code,
          amount: row.amount,
          paid: row.paid,
          payeeAccountId: null,
          reason: row.reason,
        });
    } catch (error) {
      if (!(error instanceof ChannelSilent)) throw error;
      continue;
    }
    if (answer.state !== 'success' && answer.state !== 'failure') continue;
    await transaction(db, async (tx) => {
      const won = await runOne(
        tx,
        `UPDATE parking_payment SET state = $2, message = $3, ended_at = clock_timestamp() WHERE id = $1 AND state = 'pending' RETURNING 1 AS won`,
        [
          row.id,
          answer.state === 'success' ? 'succeeded' : 'failed',
          [answer.code, answer.message].filter(Boolean).join(' '),
        ],
      );
      if (won && answer.state === 'failure')
        await bound.actAsSystem(tx, platform, 'refundFailed', row.order_id, {
          amount: yuanFromFen(row.amount),
        });
    });
    platform.changed('parkingPayment');
    platform.changed('parkingOrder');
  }
}

/** Opens a gate for who paid or was let out, and keeps what its device made of it. */
export const openGateEffect: Effect = {
  kind: OPEN_GATE,
  deliver: async (payload: { readonly commandId: number }, platform) => {
    const { db } = platform.database;
    const row = await runOne<{
      gate_id: number;
      vendor: GateVendorCode;
      device_no: string;
      key: Uint8Array | null;
    }>(
      db,
      `SELECT g.id AS gate_id, g.vendor, g.device_no, g.key_sealed AS key FROM parking_command c JOIN road_gate g ON g.id = c.gate_id
        WHERE c.id = $1 AND c.outcome = 'sent'`,
      [payload.commandId],
    );
    if (!row) return;
    const outcome = await openGate(platform, {
      vendor: row.vendor,
      deviceNo: row.device_no,
      key: row.key ? openText(platform.config, 'gate', String(row.gate_id), row.key) : undefined,
    });
    await run(db, 'UPDATE parking_command SET outcome = $2 WHERE id = $1', [payload.commandId, outcome]);
    platform.changed('parkingCommand');
  },
};

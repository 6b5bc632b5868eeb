import type { Label } from '../../../kernel/contract/label.ts';
import { run, type Tx } from '../../../kernel/server/database.ts';
import { invalid, notFound, ruleBroken } from '../../../kernel/server/http/errors.ts';
import type { Platform } from '../../../kernel/server/platform.ts';
import { addEffect } from '../../../kernel/server/tasks/outbox.ts';
import { checkSensitive } from '../../../domain/sensitive-words/sensitive-words.server.ts';
import { CASE_ENTITY } from '../../../domain/after-sale/case.rules.ts';
import { lockCase, moveCase, type CaseRecord } from '../../../domain/after-sale/move-case.server.ts';
import { CASE_NOTICE } from './case-notice.server.ts';
import { escalateCase, trackCase, withdraw } from './case-steps.server.ts';
import type { CaseOutcome, CaseStep } from './case-money.server.ts';

const BUYER: Label = ['买家', 'Buyer'];
const TRACKING = /^[A-Za-z0-9-]{6,32}$/;

/** Whose case it is; a case of somebody else answers 404. */
export interface OwnCase {
  readonly caseId: number;
  readonly memberId: number;
}

/** The buyer takes an application back: 待审核, 待寄回 → 已撤销. Throws 30101 该售后单已被处理 in another state. */
export async function withdrawCase(tx: Tx, platform: Platform, own: OwnCase): Promise<void> {
  await moveOwn(tx, platform, own, ['applied', 'agreed'], ['撤销', 'Withdrawn'], 'withdraw', withdraw);
}

/** The buyer names the parcel: 待寄回 → 待收货. Throws 422 for a number that is none, 30101 in another state. */
export async function enterTracking(
  tx: Tx,
  platform: Platform,
  own: OwnCase & { readonly company: string; readonly trackingNo: string },
): Promise<void> {
  const company = own.company.trim();
  if (company === '' || company.length > 40)
    throw invalid({ company: ['请填写快递公司', 'Please name the express company'] });
  if (!TRACKING.test(own.trackingNo))
    throw invalid({ trackingNo: ['请输入6–32位字母、数字或-', 'Please enter 6–32 letters, digits or -'] });
  await moveOwn(tx, platform, own, ['agreed'], ['买家已寄回', 'Sent back'], 'tracking', (step) =>
    trackCase(step, { company, trackingNo: own.trackingNo }),
  );
  await addEffect(
    tx,
    CASE_NOTICE,
    { caseId: own.caseId, what: 'returned' },
    { key: `${CASE_NOTICE}:${own.caseId}:returned:${own.trackingNo}` },
  );
}

/** The buyer brings a refused case before the platform. Throws 30101 when its time is over or its units are gone. */
export async function escalateOwnCase(
  tx: Tx,
  platform: Platform,
  own: OwnCase & { readonly reason: string },
): Promise<void> {
  await moveOwn(
    tx,
    platform,
    own,
    ['refused'],
    ['申请平台介入', 'Brought before the platform'],
    'escalate',
    async (step) => ({
      ...(await escalateCase(step)),
      remark: own.reason,
    }),
  );
}

/** A line of the conversation. `side` and name are the writer's; `staffId` of a buyer is null. */
export interface CaseMessage {
  readonly caseId: number;
  readonly side: 'buyer' | 'merchant' | 'platform';
  readonly staffId: number | null;
  readonly who: string;
  readonly body: string;
  readonly images: readonly string[];
}

/**
 * Adds to the conversation of a case. Sensitive words are refused (422, naming them); a case that is over is closed for talk
 * (30101). The caller has looked at scope and files.
 */
export async function sayInCase(tx: Tx, platform: Platform, message: CaseMessage): Promise<void> {
  const row = await lockCase(tx, message.caseId);
  if (row.state === 'done' || row.state === 'withdrawn')
    throw ruleBroken(['售后已结束，不能再留言', 'The case is over']);
  const body = message.body.trim();
  if (body === '') throw invalid({ body: ['请输入内容', 'Please write something'] });
  const verdict = await checkSensitive(platform, body);
  if (verdict.level !== null) {
    const words = [...new Set(verdict.hits.map(({ word }) => word.word))];
    throw invalid({ body: [`内容含敏感词：${words.join('、')}`, `Sensitive words: ${words.join(', ')}`] });
  }
  await run(
    tx,
    'INSERT INTO after_sale_message (after_sale_id, side, staff_id, who, body, images) VALUES ($1, $2, $3, $4, $5, $6)',
    [row.id, message.side, message.staffId, message.who, body, message.images],
  );
  platform.changed(CASE_ENTITY);
}

async function moveOwn(
  tx: Tx,
  platform: Platform,
  own: OwnCase,
  from: readonly CaseRecord['state'][],
  label: Label,
  action: string,
  work: (step: CaseStep) => Promise<CaseOutcome>,
): Promise<void> {
  const row = await lockCase(tx, own.caseId);
  if (row.member_id !== own.memberId) throw notFound();
  // The work below looks at a case in the right state only; the move says so to whoever was second.
  const outcome: CaseOutcome = from.includes(row.state)
    ? await work({ tx, platform, row })
    : { to: row.state };
  await moveCase(tx, platform, row, {
    from,
    to: outcome.to,
    action,
    label,
    set: outcome.set ?? {},
    remark: outcome.remark ?? '',
    who: BUYER[0],
  });
}

import {
  depositOwners,
  DEPOSIT_TAKEN,
  enterByAction,
  NEGATIVES_OF,
  OWED_OF,
} from '../../../domain/settlement/deposit-entry.server.ts';
import { DEPOSIT_ASKED, depositSql } from '../../../domain/merchant/deposit.server.ts';
import { bindResource } from '../../../kernel/server/resource/bind.ts';
import { PLATFORM_SCOPE } from '../initiate/platform-scope.server.ts';
import { depositAccount } from './deposit.contract.ts';

const HELD = depositSql('t.id');
const SHORT = `greatest(0, ${DEPOSIT_ASKED} - ${HELD})::bigint`;
const LAST = (column: string) =>
  `(SELECT d.${column} FROM deposit_entry d WHERE d.tenant_id = t.id AND d.state = 'booked' ORDER BY d.booked_at DESC, d.id DESC LIMIT 1)`;

/** Deposits of resident merchants, with what may be entered. */
export const registration = bindResource(depositAccount, {
  table: 'tenant',
  entity: 'merchantFund',
  where: `t.kind = 2 AND t.merchant_kind IS DISTINCT FROM 'self'`,
  scope: PLATFORM_SCOPE('t.created_by'),
  keyword: (value, parameters) =>
    `position(lower(${parameters.bind(value)}) IN lower(t.account || ' ' || t.name)) > 0`,
  columns: {
    asked: `${DEPOSIT_ASKED}::bigint`,
    held: HELD,
    short: SHORT,
    waiting: `(SELECT count(*)::int FROM deposit_entry d WHERE d.tenant_id = t.id AND d.state = 'to_check')`,
    owed: OWED_OF,
    negatives: NEGATIVES_OF,
    lastType: LAST('type'),
    lastAt: LAST('booked_at'),
  },
  tabs: { short: () => `${SHORT} > 0`, owing: () => `${OWED_OF} > 0` },
  ruleReads: ['held', 'owed'],
  rowRules: {
    deduct: (row) => (Number(row.held) > 0 ? undefined : ['保证金不足', 'Deposit too low']),
    giveBack: (row) => (Number(row.held) > 0 ? undefined : ['保证金不足', 'Deposit too low']),
    cover: (row) =>
      Number(row.owed) === 0
        ? ['没有可抵的欠款', 'There is nothing to cover']
        : Number(row.held) > 0
          ? undefined
          : ['保证金不足', 'Deposit too low'],
  },
  unique: DEPOSIT_TAKEN,
  handlers: {
    receive: (context) => enterByAction(context, 'receive'),
    deduct: (context) => enterByAction(context, 'deduct'),
    cover: (context) => enterByAction(context, 'cover'),
    giveBack: (context) => enterByAction(context, 'return'),
  },
  also: { sights: [depositOwners] },
}).registration;

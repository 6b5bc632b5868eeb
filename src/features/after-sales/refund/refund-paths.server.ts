import { z } from 'zod';
import { textOf, type Label } from '../../../kernel/contract/label.ts';
import { fenFromYuan } from '../../../kernel/contract/money.rules.ts';
import type { BoundResource } from '../../../kernel/server/resource/bind.ts';
import { idOf } from '../../../kernel/server/http/call-parts.ts';
import type { Binding, DbRow } from '../../../kernel/server/resource/binding.ts';
import { holds, type Caller } from '../../../kernel/server/people/caller.ts';
import { run } from '../../../kernel/server/database.ts';
import { invalid, namedAsAsked, ruleBroken } from '../../../kernel/server/http/errors.ts';
import { fileValue, type StoredFile } from '../../../kernel/server/files/files.ts';
import { allowedActions, grantedActions } from '../../../kernel/server/resource/run-action.ts';
import { endpoint, type Call, type Endpoint } from '../../../kernel/server/registration.ts';
import { refund } from './refund.contract.ts';
import { FIXED_CASH, refusalOfAuditor } from './refund-actions.server.ts';
import { refundParts } from './refund-detail.server.ts';
import {
  filterSchema,
  idText,
  lastEvent,
  listRow,
  pagingSchema,
  reasonText,
  requestOf,
  requireRemark,
  searchRow,
  searchSchema,
  stateCode,
} from './refund-wire.server.ts';
import { BUSINESS_TYPES, VOUCHER_ELEMENTS } from './refund-words.rules.ts';

/** The nine refund calls of the specification, with their own field names. Source: group 21, refund calls. */
export function refundPaths(
  bound: Pick<BoundResource, 'rawPage' | 'count' | 'find' | 'act' | 'export'>,
  binding: Binding,
  wrap: (one: Endpoint) => Endpoint,
): Endpoint[] {
  const menu = { code: refund.menu };
  const audits = { anyOf: ['mm_orderRefund:btn_audit', 'mm_orderRefund:btn_auditFinance'] };
  const actionsOf = (row: DbRow, caller: Caller) =>
    allowedActions(refund, binding, grantedActions(refund, caller, refund.menu), row, caller);
  const answer = async (call: Call, id: number) => {
    const row = await bound.find(call, id);
    return { auditId: String(id), auditStatus: stateCode(row), level: row.levelNo };
  };
  return [
    endpoint({
      method: 'POST',
      path: '/jinmao/web/refundAudit/getRefundAuditList',
      title: ['退款审核列表', 'Refunds to audit'],
      access: menu,
      body: z.strictObject({ ...filterSchema, ...pagingSchema }),
      handle: async (call) => {
        const { rows, ...totals } = await bound.rawPage(call, requestOf(call.body));
        const list = rows.map((row) => listRow(row, call.facts.language, actionsOf(row, call.caller)));
        return { ...totals, list, rows: list };
      },
    }),
    endpoint({
      method: 'POST',
      path: '/jinmao/web/refundAudit/getRefundAuditCount',
      title: ['待我审核退款数', 'Number of refunds waiting for me'],
      access: menu,
      body: z.strictObject({ ...filterSchema, ...pagingSchema }),
      handle: async (call) => ({
        total: await bound.count(call, { ...requestOf(call.body), tab: 'mine' }, true),
      }),
    }),
    endpoint({
      method: 'GET',
      path: '/jinmao/web/refundAudit/viewReason',
      title: ['查看原因', 'View reason'],
      access: {
        anyOf: ['mm_orderRefund:btn_reason', 'mm_orderRefund:btn_audit', 'mm_orderRefund:btn_auditFinance'],
      },
      query: z.strictObject({ auditId: idText }),
      handle: async (call) => {
        const row = await bound.find(call, idOf(call.query.auditId));
        return reasonText(row, await lastEvent(call, row), call.facts.language);
      },
    }),
    wrap(
      endpoint({
        method: 'GET',
        path: '/jinmao/web/refundAudit/restartRefund',
        title: ['重新退款', 'Restart a refund'],
        access: { code: 'mm_orderRefund:btn_restart' },
        query: z.strictObject({ auditId: idText }),
        handle: async (call) => {
          const id = idOf(call.query.auditId);
          call.reply.header('Cache-Control', 'no-store');
          await bound.act(call, 'restart', id, {});
          return answer(call, id);
        },
      }),
    ),
    wrap(
      endpoint({
        method: 'POST',
        path: '/jinmao/web/bizRefundAudit/audit',
        title: ['审核退款', 'Audit a refund'],
        access: audits,
        body: z.strictObject({
          auditId: idText,
          isPass: z.union([
            z.literal(1),
            z.literal(2),
            z.literal('1').transform(() => 1),
            z.literal('2').transform(() => 2),
          ]),
          remark: z.string().max(500).nullish(),
          agreedPrice: z.union([z.string(), z.number()]).nullish(),
        }),
        handle: async (call) => {
          const { isPass, remark, agreedPrice } = call.body;
          const id = idOf(call.body.auditId);
          const row = await bound.find(call, id);
          const finance = row.state === 'reviewing' && row.levelNo === 2;
          if (isPass === 2) {
            requireRemark(remark);
            await namedAsAsked({ reason: 'remark' }, () =>
              bound.act(call, finance ? 'rejectFinance' : 'reject', id, { reason: remark }),
            );
          } else {
            const asked =
              agreedPrice === null || agreedPrice === undefined || agreedPrice === ''
                ? undefined
                : String(agreedPrice);
            const lower = asked === undefined ? {} : { agreedCash: asked, cashReason: remark ?? '' };
            if (asked !== undefined && fenFromYuan(asked) === undefined)
              throw invalid({ agreedPrice: BAD_MONEY });
            if (row.state === 'failed') refuseChange(row, asked);
            // The reason travels as remark on this path.
            await namedAsAsked({ cashReason: 'remark', agreedCash: 'agreedPrice' }, () =>
              bound.act(
                call,
                row.state === 'failed' ? againBy(row, call.caller) : finance ? 'approveFinance' : 'approve',
                id,
                row.state === 'failed' ? {} : lower,
              ),
            );
          }
          return answer(call, id);
        },
      }),
    ),
    endpoint({
      method: 'GET',
      path: '/jinmao/web/bizRefundAudit/detail',
      title: ['退款详情', 'A refund'],
      access: menu,
      query: z.strictObject({ id: idText.optional(), auditId: idText.optional() }),
      handle: async (call) => {
        const given = call.query.id ?? call.query.auditId;
        if (given === undefined) throw invalid({ id: REQUIRED });
        const row = await bound.find(call, idOf(given));
        const parts = await refundParts(call.platform.database.db, row.id as number, call.caller);
        return {
          ...searchRow(row, actionsOf(row, call.caller)),
          lines: parts.lines,
          suggested: { cash: parts.suggestedCash, rows: parts.suggested, notices: parts.notices },
          money: parts.money,
          coupons: parts.coupons,
          eventList: parts.events,
        };
      },
    }),
    endpoint({
      method: 'POST',
      path: '/jinmao/web/bizRefundAudit/search',
      title: ['搜索退款', 'Search refunds'],
      access: menu,
      body: z.strictObject({
        ...filterSchema,
        ...pagingSchema,
        ...searchSchema,
      }),
      handle: async (call) => {
        const { rows, ...totals } = await bound.rawPage(call, requestOf(call.body));
        return { ...totals, rows: rows.map((row) => searchRow(row, actionsOf(row, call.caller))) };
      },
    }),
    endpoint({
      method: 'POST',
      path: '/jinmao/web/refundAudit/exportRefundOrderExcel',
      title: ['导出退款', 'Export refunds'],
      access: { code: 'mm_orderRefund:btn_export' },
      body: z.strictObject({ ...filterSchema, ...pagingSchema }),
      handle: async (call) => {
        const request = requestOf(call.body);
        const { searchVal } = request;
        return {
          taskId: await bound.export(call, { ...request.filters, ...(searchVal ? { searchVal } : {}) }),
        };
      },
    }),
    endpoint({
      method: 'GET',
      path: '/jinmao/web/refundAudit/queryBusTypeList',
      title: ['退款业务类型', 'Business types of refunds'],
      access: menu,
      handle: async (call) =>
        Object.values(BUSINESS_TYPES).map((type) => ({
          id: type.code,
          name: textOf(type.label, call.facts.language),
        })),
    }),
    endpoint({
      method: 'GET',
      path: '/jinmao/web/refund/:id/vouchers',
      title: ['线下退款凭证', 'Vouchers of an offline refund'],
      // A receipt shows whom the money went to, in clear.
      access: { anyOf: VOUCHER_ELEMENTS.map((element) => `${refund.menu}:${element}`) },
      handle: async (call) => {
        const id = idOf(call.params.id);
        await bound.find(call, id);
        const files = await run<StoredFile>(
          call.platform.database.db,
          'SELECT f.* FROM refund r JOIN stored_file f ON f.id = ANY(r.offline_voucher) WHERE r.id = $1 ORDER BY f.created_at',
          [id],
        );
        return files.map((file) => fileValue(call.platform, call.caller, file));
      },
    }),
  ];
}

/** Passing a failed refund again: the restart of who may restart, else the auditor's own action; by the auditor's rule. */
function againBy(row: DbRow, caller: Caller): 'restart' | 'passAgain' {
  const refusal = refusalOfAuditor(row, caller);
  if (refusal) throw ruleBroken(refusal);
  return holds(caller, 'mm_orderRefund:btn_restart') ? 'restart' : 'passAgain';
}

function refuseChange(row: DbRow, asked: string | undefined): void {
  if (asked !== undefined && fenFromYuan(asked) !== row.cost) throw ruleBroken(FIXED_CASH);
}

const REQUIRED: Label = ['此项必填', 'This field is required'];
const BAD_MONEY: Label = ['金额不正确', 'The amount is not valid'];

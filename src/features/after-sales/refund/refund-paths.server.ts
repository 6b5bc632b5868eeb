import { z } from 'zod';
import { textOf, type Label, type Language } from '../../../kernel/contract/label.ts';
import { maskValue } from '../../../kernel/contract/mask.rules.ts';
import { fenFromYuan, yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import { isBusinessDay, isoInstant } from '../../../kernel/contract/time.rules.ts';
import { checkInput } from '../../../kernel/contract/input.ts';
import type { BoundResource } from '../../../kernel/server/bind-resource.ts';
import type { Binding, DbRow } from '../../../kernel/server/binding.ts';
import type { Caller } from '../../../kernel/server/caller.ts';
import { run, runOne } from '../../../kernel/server/database.ts';
import { invalid } from '../../../kernel/server/errors.ts';
import { fileValue, type StoredFile } from '../../../kernel/server/files.ts';
import { idOf } from '../../../kernel/server/bind-resource.ts';
import type { ListRequest } from '../../../kernel/server/list-query.ts';
import { allowedActions, grantedActions } from '../../../kernel/server/run-action.ts';
import { endpoint, type Call, type Endpoint } from '../../../kernel/server/service.ts';
import { APPLICANT_TYPES, BUSINESS_TYPES, refund } from './refund.contract.ts';
import { refundParts } from './refund-detail.server.ts';
import { REFUND_STATUS_WORDS } from './refund-order.server.ts';

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
      body: z.strictObject({ ...filters, ...paging }),
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
      body: z.strictObject({ ...filters, ...paging }),
      handle: async (call) => ({ total: await bound.count(call, { ...requestOf(call.body), tab: 'mine' }, true) }),
    }),
    endpoint({
      method: 'GET',
      path: '/jinmao/web/refundAudit/viewReason',
      title: ['查看原因', 'View reason'],
      access: { anyOf: ['mm_orderRefund:btn_reason', 'mm_orderRefund:btn_audit', 'mm_orderRefund:btn_auditFinance'] },
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
          isPass: z.union([z.literal(1), z.literal(2), z.literal('1').transform(() => 1), z.literal('2').transform(() => 2)]),
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
            await bound.act(call, finance ? 'rejectFinance' : 'reject', id, { reason: remark });
          } else {
            const asked = agreedPrice === null || agreedPrice === undefined || agreedPrice === '' ? undefined : String(agreedPrice);
            const lower = asked === undefined ? {} : { agreedCash: asked, cashReason: remark ?? '' };
            if (asked !== undefined && fenFromYuan(asked) === undefined) throw invalid({ agreedPrice: BAD_MONEY });
            await bound.act(call, finance ? 'approveFinance' : 'approve', id, lower);
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
        const parts = await refundParts(call.platform.database.db, row.id as number);
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
        ...filters,
        ...paging,
        ids: idList,
        subIds: idList,
        applyType: number.optional(),
        minPrice: moneyText,
        maxPrice: moneyText,
        level: number.optional(),
        hasAfterSale: z.union([z.boolean(), z.enum(['true', 'false'])]).nullish(),
        sort: z.string().max(40).nullish(),
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
      body: z.strictObject({ ...filters, ...paging }),
      handle: async (call) => {
        const request = requestOf(call.body);
        const { searchVal } = request;
        return { taskId: await bound.export(call, { ...request.filters, ...(searchVal ? { searchVal } : {}) }) };
      },
    }),
    endpoint({
      method: 'GET',
      path: '/jinmao/web/refundAudit/queryBusTypeList',
      title: ['退款业务类型', 'Business types of refunds'],
      access: menu,
      handle: async (call) =>
        Object.values(BUSINESS_TYPES).map((type) => ({ id: type.code, name: textOf(type.label, call.facts.language) })),
    }),
    endpoint({
      method: 'GET',
      path: '/jinmao/web/refund/:id/vouchers',
      title: ['线下退款凭证', 'Vouchers of an offline refund'],
      access: menu,
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

const idText = z.union([z.string().regex(/^\d{1,15}$/), z.number().int().positive()]).transform(String);
const idList = z.array(idText).max(500).nullish();
const number = z.union([z.number().int(), z.string().regex(/^\d{1,9}$/).transform(Number), z.literal('').transform(() => undefined), z.null().transform(() => undefined)]);
const optionalId = z.union([idText, z.literal('').transform(() => undefined), z.null().transform(() => undefined)]).optional();
const day = z.union([z.string().refine(isBusinessDay), z.literal(''), z.null()]).optional();
const moneyText = z.union([z.string().refine((text) => text === '' || fenFromYuan(text) !== undefined), z.number(), z.null()]).optional();

const filters = {
  companyId: optionalId,
  projectId: optionalId,
  centreCityId: optionalId,
  busType: number.optional(),
  auditStat: number.optional(),
  startTime: day,
  endTime: day,
  searchVal: z.string().max(200).nullish(),
};
const paging = {
  page: z.coerce.number().int().min(1).max(1_000_000).default(1),
  limit: z.coerce.number().int().min(1).max(200).default(10),
};

interface Asked {
  readonly page: number;
  readonly limit: number;
  readonly companyId?: string | undefined;
  readonly projectId?: string | undefined;
  readonly centreCityId?: string | undefined;
  readonly busType?: number | undefined;
  readonly auditStat?: number | undefined;
  readonly startTime?: string | null | undefined;
  readonly endTime?: string | null | undefined;
  readonly searchVal?: string | null | undefined;
  readonly ids?: readonly string[] | null | undefined;
  readonly subIds?: readonly string[] | null | undefined;
  readonly applyType?: number | undefined;
  readonly minPrice?: string | number | null | undefined;
  readonly maxPrice?: string | number | null | undefined;
  readonly level?: number | undefined;
  readonly hasAfterSale?: boolean | string | null | undefined;
  readonly sort?: string | null | undefined;
}

const REQUIRED: Label = ['此项必填', 'This field is required'];
const BAD_MONEY: Label = ['金额不正确', 'The amount is not valid'];
const BAD_CHOICE: Label = ['没有此选项', 'There is no such choice'];
const BAD_SORT: Label = ['不支持按此项排序', 'Sorting by this is not supported'];

/** Names the specification's sorts by, to the fields of the contract. */
const SORTS: Readonly<Record<string, string>> = { createTime: 'appliedAt', cost: 'cost', cash: 'cost', applyPrice: 'applyPrice' };

function requestOf(asked: Asked): ListRequest {
  const wanted: Record<string, string> = {};
  const put = (name: string, value: string | undefined) => {
    if (value !== undefined) wanted[name] = value;
  };
  put('merchant', asked.companyId);
  put('project', asked.projectId);
  put('centreCity', asked.centreCityId);
  put('businessType', wordOf('busType', BUSINESS_TYPES, asked.busType));
  put('state', wordOf('auditStat', refund.states!, asked.auditStat));
  put('applicantType', wordOf('applyType', APPLICANT_TYPES, asked.applyType));
  put('level', wordOf('level', refund.fields.level.choices, asked.level));
  put('appliedAt', rangeOf(asked.startTime, asked.endTime));
  put('cost', rangeOf(yuan(asked.minPrice), yuan(asked.maxPrice)));
  if (asked.ids && asked.ids.length > 0) put('ids', asked.ids.join(','));
  if (asked.subIds && asked.subIds.length > 0) put('subIds', asked.subIds.join(','));
  if (asked.hasAfterSale !== undefined && asked.hasAfterSale !== null) put('afterSale', String(asked.hasAfterSale));
  return {
    page: asked.page,
    limit: asked.limit,
    searchVal: (asked.searchVal ?? '').trim(),
    sort: sortOf(asked.sort),
    tab: undefined,
    cursor: undefined,
    exact: false,
    filters: wanted,
  };
}

function wordOf(name: string, choices: Readonly<Record<string, { readonly code?: number | string }>>, code: number | undefined): string | undefined {
  if (code === undefined) return undefined;
  const found = Object.entries(choices).find(([, choice]) => choice.code === code);
  if (!found) throw invalid({ [name]: BAD_CHOICE });
  return found[0];
}

function rangeOf(from: string | null | undefined, to: string | null | undefined): string | undefined {
  return from || to ? `${from ?? ''}~${to ?? ''}` : undefined;
}

function yuan(value: string | number | null | undefined): string | undefined {
  return value === null || value === undefined || value === '' ? undefined : String(value);
}

function sortOf(sort: string | null | undefined): string {
  if (!sort) return refund.list.sort;
  const name = SORTS[sort.replace(/^-/, '')];
  if (!name) throw invalid({ sort: BAD_SORT });
  return `${sort.startsWith('-') ? '-' : ''}${name}`;
}

function stateCode(row: DbRow): number {
  return Number(refund.states![String(row.state)]!.code);
}

function listRow(row: DbRow, language: Language, actions: readonly string[]): Record<string, unknown> {
  return {
    id: String(row.id),
    code: row.code,
    subId: String(row.orderId),
    subCode: row.orderCode,
    productName: row.productName,
    userName: maskValue('name', String(row.customer ?? '')),
    mobilePhone: maskValue('phone', String(row.phone ?? '')),
    name: row.merchant__title,
    subNum: row.itemCount,
    cost: yuanFromFen(row.cost as number),
    createTime: isoInstant(row.appliedAt as Date),
    auditStatus: stateCode(row),
    auditStatusDesc: textOf(refund.states![String(row.state)]!.label, language),
    busType: codeOf(BUSINESS_TYPES, row.businessType),
    level: row.levelNo,
    actions,
  };
}

function searchRow(row: DbRow, actions: readonly string[]): Record<string, unknown> {
  const money = (name: string) => yuanFromFen(row[name] as number);
  return {
    id: String(row.id),
    code: row.code,
    applyId: row.applicantId === null ? String(row.memberId) : String(row.applicantId),
    applyName: row.applicant,
    applyType: codeOf(APPLICANT_TYPES, row.applicantType),
    auditStatus: stateCode(row),
    companyId: String(row.merchant),
    companyName: row.merchant__title,
    subId: String(row.orderId),
    subCode: row.orderCode,
    subTitle: row.orderTitle,
    subCreateTime: isoInstant(row.orderCreatedAt as Date),
    busType: codeOf(BUSINESS_TYPES, row.businessType),
    actualId: String(row.paymentId),
    projectId: String(row.project),
    projectName: row.project__title,
    userId: String(row.memberId),
    applyPrice: money('applyPrice'),
    cash: money('cash'),
    points: row.points,
    coins: row.coins,
    freight: money('freightPart'),
    fee: money('fee'),
    createTime: isoInstant(row.appliedAt as Date),
    refundSuccessTime: row.succeededAt === null ? null : isoInstant(row.succeededAt as Date),
    channelRefundNo: row.channelRefundNo,
    attempts: row.attempts,
    level: row.levelNo,
    // sales_order.refund_status of the order, as the order paths send it.
    status: Number(Object.entries(REFUND_STATUS_WORDS).find(([, word]) => word === row.orderRefundStatus)?.[0] ?? 0),
    actions,
  };
}

function codeOf(choices: Readonly<Record<string, { readonly code: number }>>, word: unknown): number {
  return choices[String(word)]!.code;
}

interface LastEvent {
  readonly at: Date;
  readonly channel_answer: string;
}

async function lastEvent(call: Call, row: DbRow): Promise<LastEvent | undefined> {
  return runOne<LastEvent>(
    call.platform.database.db,
    'SELECT at, channel_answer FROM refund_event WHERE refund_id = $1 AND to_state = $2 ORDER BY id DESC LIMIT 1',
    [row.id, row.state],
  );
}

/** Apply reason, then the reject or failure reason with its time. */
function reasonText(row: DbRow, event: LastEvent | undefined, language: Language): string {
  const lines = [`${textOf(['申请原因', 'Reason'], language)}：${String(row.reason) || '–'}`];
  const at = event ? isoInstant(event.at).slice(0, 19).replace('T', ' ') : '';
  if (row.state === 'cancelled' && row.failReason)
    lines.push(`${textOf(['驳回原因', 'Rejected because'], language)}：${String(row.failReason)}（${at}）`);
  if (row.state === 'failed')
    lines.push(`${textOf(['失败原因', 'Failed because'], language)}：${event?.channel_answer || String(row.failReason)}（${at}）`);
  return lines.join('\n');
}

function requireRemark(remark: string | null | undefined): void {
  const checked = checkInput(refund.actions!.reject!.input!, ['reason'], { reason: remark ?? '' });
  if (checked.problems.reason) throw invalid({ remark: checked.problems.reason });
}

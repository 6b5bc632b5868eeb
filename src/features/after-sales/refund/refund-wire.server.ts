import { z } from 'zod';
import { checkInput } from '../../../kernel/contract/input.ts';
import { textOf, type Label, type Language } from '../../../kernel/contract/label.ts';
import { maskValue } from '../../../kernel/contract/mask.rules.ts';
import { fenFromYuan, yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import { isBusinessDay, isoInstant } from '../../../kernel/contract/time.rules.ts';
import type { DbRow } from '../../../kernel/server/resource/binding.ts';
import { encryptionToken } from '../../../kernel/server/resource/row-token.ts';
import { runOne } from '../../../kernel/server/database.ts';
import { invalid } from '../../../kernel/server/http/errors.ts';
import type { ListRequest } from '../../../kernel/server/resource/list-query.ts';
import type { Call } from '../../../kernel/server/registration.ts';
import { refund } from './refund.contract.ts';
import { REFUND_STATUS_WORDS } from './refund-order.server.ts';
import { APPLICANT_TYPES, BUSINESS_TYPES } from './refund-words.rules.ts';

/** An id as text or number. */
export const idText = z
  .union([z.string().regex(/^\d{1,15}$/), z.number().int().positive()])
  .transform(String);
const idList = z.array(idText).max(500).nullish();
const numberText = z.union([
  z.number().int(),
  z
    .string()
    .regex(/^\d{1,9}$/)
    .transform(Number),
  z.literal('').transform(() => undefined),
  z.null().transform(() => undefined),
]);
const optionalId = z
  .union([idText, z.literal('').transform(() => undefined), z.null().transform(() => undefined)])
  .optional();
const day = z.union([z.string().refine(isBusinessDay), z.literal(''), z.null()]).optional();
const moneyText = z
  .union([z.string().refine((text) => text === '' || fenFromYuan(text) !== undefined), z.number(), z.null()])
  .optional();

/** Filters of the list, the count, the search and the export. */
export const filterSchema = {
  companyId: optionalId,
  projectId: optionalId,
  centreCityId: optionalId,
  busType: numberText.optional(),
  auditStat: numberText.optional(),
  startTime: day,
  endTime: day,
  searchVal: z.string().max(200).nullish(),
};
/** Page from 1 and rows of a page, at most 200. */
export const pagingSchema = {
  page: z.coerce.number().int().min(1).max(1_000_000).default(1),
  limit: z.coerce.number().int().min(1).max(200).default(10),
};

/** Further conditions of the search. */
export const searchSchema = {
  ids: idList,
  subIds: idList,
  applyType: numberText.optional(),
  minPrice: moneyText,
  maxPrice: moneyText,
  level: numberText.optional(),
  hasAfterSale: z.union([z.boolean(), z.enum(['true', 'false'])]).nullish(),
  sort: z.string().max(40).nullish(),
};

/** What a call asked for, after its schema. */
export interface Asked {
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

const BAD_CHOICE: Label = ['没有此选项', 'There is no such choice'];
const BAD_SORT: Label = ['不支持按此项排序', 'Sorting by this is not supported'];

/** Names the specification's sorts by, to the fields of the contract. */
const SORTS: Readonly<Record<string, string>> = {
  createTime: 'appliedAt',
  cost: 'cost',
  cash: 'cost',
  applyPrice: 'applyPrice',
};

/** The engine's list request of a call. Throws 422 for codes and sorts that do not exist. */
export function requestOf(asked: Asked): ListRequest {
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
  if (asked.hasAfterSale !== undefined && asked.hasAfterSale !== null)
    put('afterSale', String(asked.hasAfterSale));
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

function wordOf(
  name: string,
  choices: Readonly<Record<string, { readonly code?: number | string }>>,
  code: number | undefined,
): string | undefined {
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
  const wanted = sort.replace(/^-/, '');
  const name = Object.hasOwn(SORTS, wanted) ? SORTS[wanted] : undefined;
  if (!name) throw invalid({ sort: BAD_SORT });
  return `${sort.startsWith('-') ? '-' : ''}${name}`;
}

/** Code of a row's state as the paths send it. */
export function stateCode(row: DbRow): number {
  return Number(refund.states![String(row.state)]!.code);
}

/** A row of getRefundAuditList; personal data masked. */
export function listRow(row: DbRow, language: Language, actions: readonly string[]): Record<string, unknown> {
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
    encryptionField: encryptionToken(refund.name, row.id as number, 'list'),
  };
}

/** What the paths call the masked fields, by the word their tokens carry. */
export const revealPaths = {
  list: { customer: 'userName', phone: 'mobilePhone' },
  search: { customer: 'applyName' },
};

/** A row of search and the head of detail. */
export function searchRow(row: DbRow, actions: readonly string[]): Record<string, unknown> {
  const money = (name: string) => yuanFromFen(row[name] as number);
  return {
    id: String(row.id),
    code: row.code,
    applyId: row.applicantId === null ? String(row.memberId) : String(row.applicantId),
    applyName:
      row.applicantType === 'buyer' ? maskValue('name', String(row.applicantName)) : row.applicantName,
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
    status: Number(
      Object.entries(REFUND_STATUS_WORDS).find(([, word]) => word === row.orderRefundStatus)?.[0] ?? 0,
    ),
    actions,
    // A buyer's name is masked, that of the staff who applied is not.
    ...(row.applicantType === 'buyer' && {
      encryptionField: encryptionToken(refund.name, row.id as number, 'search'),
    }),
  };
}

function codeOf(choices: Readonly<Record<string, { readonly code: number }>>, word: unknown): number {
  return choices[String(word)]!.code;
}

interface LastEvent {
  readonly at: Date;
  readonly channel_answer: string;
}

/** The event that brought a refund into its state. */
export async function lastEvent(call: Call, row: DbRow): Promise<LastEvent | undefined> {
  return runOne<LastEvent>(
    call.platform.database.db,
    'SELECT at, channel_answer FROM refund_event WHERE refund_id = $1 AND to_state = $2 AND from_state IS DISTINCT FROM to_state ORDER BY id DESC LIMIT 1',
    [row.id, row.state],
  );
}

/** Apply reason, then the reject or failure reason with its time. */
export function reasonText(row: DbRow, event: LastEvent | undefined, language: Language): string {
  const lines = [`${textOf(['申请原因', 'Reason'], language)}：${String(row.reason) || '–'}`];
  const at = event ? isoInstant(event.at).slice(0, 19).replace('T', ' ') : '';
  if (row.state === 'cancelled' && row.failReason)
    lines.push(`${textOf(['驳回原因', 'Rejected because'], language)}：${String(row.failReason)}（${at}）`);
  if (row.state === 'failed')
    lines.push(
      `${textOf(['失败原因', 'Failed because'], language)}：${event?.channel_answer || String(row.failReason)}（${at}）`,
    );
  return lines.join('\n');
}

/** Refuses a rejection without a reason of 5 to 200 characters, at the path's own field name. */
export function requireRemark(remark: string | null | undefined): void {
  const checked = checkInput(refund.actions!.reject!.input!, ['reason'], { reason: remark ?? '' });
  if (checked.problems.reason) throw invalid({ remark: checked.problems.reason });
}

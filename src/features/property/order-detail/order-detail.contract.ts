import { definePage } from '../../../kernel/contract/page.ts';

/** One order on a page: opened by lists of work orders, bills and reports. */
export const orderDetail = definePage({
  name: 'orderDetail',
  menu: 'cs_orderDetail',
  title: ['订单详情', 'Order detail'],
  purpose: [
    '工单的全部信息：时效、照片、材料、评价与处理记录',
    'Everything of an order: clocks, photos, materials, scores and what happened',
  ],
});

/** Times of a clock on the wire. */
export interface SlaWire {
  readonly dueTime: string;
  readonly usedMinutes: number;
  readonly pausedMinutes: number;
  readonly state: string;
  readonly targetMinutes: number;
  readonly startTime: string;
  readonly stopTime: string | null;
  readonly round: number;
  readonly policy: string;
  readonly calendar: string;
  readonly steps: readonly number[];
}

/** A button the server offers. `display`: 0 none, 1 both, 2 app, 3 PC. */
export interface OperateButton {
  readonly code: string;
  readonly name: string;
  readonly action: string;
  readonly needInput: boolean;
  readonly display: 0 | 1 | 2 | 3;
}

/** A line of what happened. */
export interface TransactionLog {
  readonly time: string;
  readonly operator: string;
  readonly operateType: string;
  readonly title: string;
  readonly content: string;
  readonly imgList: readonly { readonly url: string }[];
}

/** Answer of getSubDetailByWeb. */
export interface SubDetail {
  readonly detail: {
    readonly id: string;
    readonly code: string;
    readonly crmCode: string;
    readonly woType: number;
    readonly woTypeStr: string;
    readonly title: string;
    readonly projectId: string;
    readonly projectName: string;
    readonly classifyName: string;
    readonly deliveryAddr: string;
    readonly contactName: string;
    readonly contactTel: string;
    readonly userName: string;
    readonly behalfName: string;
    readonly behalfTel: string;
    readonly isBehalf: 0 | 1;
    readonly source: number;
    readonly sourceStr: string;
    readonly remark: string;
    readonly description: string;
    readonly imgList: readonly { readonly url: string }[];
    readonly videoUrl: string | null;
    readonly beforeImgList: readonly { readonly url: string }[];
    readonly afterImgList: readonly { readonly url: string }[];
    readonly result: string;
    readonly firstResult: string;
    readonly cancelReason: string;
    readonly urgency: string;
    readonly woStatus: string;
    readonly woStatusStr: string;
    readonly subStatus: number | null;
    readonly subStatusStr: string;
    readonly crmSync: number;
    readonly handleName: string;
    readonly handleTel: string;
    readonly expectTime: string | null;
    readonly createTime: string;
    readonly receiveTime: string | null;
    readonly startTime: string | null;
    readonly finishTime: string | null;
    readonly slaResponse: SlaWire | null;
    readonly slaResolve: SlaWire | null;
    readonly totalPrice: string;
    readonly discountPrice: string;
    readonly lateFeePrice: string;
    readonly actualPrice: string;
    readonly refundPrice: string;
    readonly invoiceType: 0 | 1 | 2;
    readonly invoiceName: string;
    readonly dutyCode: string;
    readonly itemList: readonly {
      readonly name: string;
      readonly period: string;
      readonly amount: string;
      readonly paid: string;
    }[];
    readonly materialList: readonly {
      readonly name: string;
      readonly spec: string;
      readonly unit: string;
      readonly qty: number;
      readonly price: string;
      readonly amount: string;
      readonly returned: boolean;
    }[];
    readonly evaluate: {
      readonly overall: number;
      readonly arrival: number | null;
      readonly worker: number | null;
      readonly content: string;
      readonly time: string | null;
    } | null;
    readonly callback: {
      readonly result: string;
      readonly content: string;
      readonly time: string | null;
    } | null;
    readonly isTurn: 0 | 1;
    readonly encryptionField: string;
    readonly version: number;
  };
  readonly operateButtonList: readonly OperateButton[];
  readonly transactionLogList: readonly TransactionLog[];
}

import { choice, code, instant, ref, text } from '../../../kernel/contract/fields.ts';
import { defineResource, type Row } from '../../../kernel/contract/resource.ts';

/** A region one merchant delivers nothing to; what lies below it is meant as well. */
export const noDeliveryArea = defineResource({
  name: 'noDeliveryArea',
  menu: 'mm_noDeliveryArea',
  title: ['不配送区域', 'No-delivery areas'],
  noun: ['不配送区域', 'Region'],
  titleField: 'fullName',
  purpose: [
    '商户不配送的省、市、区：报价和下单时拒绝这些地区的收货地址，已支付的订单不受影响',
    'Provinces, cities and districts a merchant does not deliver to: quotes and new orders for them are refused, paid orders stay as they are',
  ],
  fields: {
    merchant: ref('merchant', ['商户', 'Merchant'], { readOnly: true, search: 'in', width: 160 }),
    regionCode: code(['区域编码', 'Code'], { readOnly: true, sortable: true, width: 100 }),
    fullName: text(['区域', 'Region'], { readOnly: true, width: 260 }),
    level: choice(
      ['级别', 'Level'],
      {
        '1': { label: ['省', 'Province'] },
        '2': { label: ['市', 'City'] },
        '3': { label: ['区县', 'District'] },
      },
      { readOnly: true, search: 'in', width: 90 },
    ),
    addedBy: ref('staff', ['设置人', 'Set by'], { readOnly: true, width: 100 }),
    addedAt: instant(['设置时间', 'Set at'], { readOnly: true, sortable: true, width: 150 }),
  },
  list: {
    columns: ['merchant', 'fullName', 'level', 'regionCode', 'addedBy', 'addedAt'],
    filters: ['merchant', 'level'],
    sort: 'regionCode',
    link: 'fullName',
    export: true,
  },
  elements: { btn_save: ['保存', 'Save'] },
});

export interface NoDeliveryArea extends Row<typeof noDeliveryArea> {}

/** The set of one merchant, as the screen shows it. */
export interface NoDeliverySet {
  readonly tenantId: string;
  readonly merchant: string;
  readonly version: number;
  readonly updatedAt: string | null;
  readonly updatedBy: string | null;
  readonly areas: readonly {
    readonly id: string;
    readonly title: string;
    readonly level: number;
    /** False: it is offered no more, and stays in the set until it is taken out. */
    readonly enabled: boolean;
    readonly addedAt: string;
    readonly addedBy: string | null;
  }[];
  /** Goods with regions of their own, which are added to the set. */
  readonly productsWithOwn: number;
}

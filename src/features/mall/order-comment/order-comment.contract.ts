import { choice, images, instant, longText, personName, ref, text } from '../../../kernel/contract/fields.ts';
import { defineResource, viewOf } from '../../../kernel/contract/resource.ts';

const seen = { readOnly: true } as const;

/** Stars of a comment, the best first. */
export const STARS = {
  '5': { label: ['5 星', '5 stars'], tone: 'success' },
  '4': { label: ['4 星', '4 stars'], tone: 'success' },
  '3': { label: ['3 星', '3 stars'], tone: 'warning' },
  '2': { label: ['2 星', '2 stars'], tone: 'error' },
  '1': { label: ['1 星', '1 star'], tone: 'error' },
} as const;

/** What a member says of an order; the merchant answers, and hides what does not belong there. */
const orderComment = defineResource({
  name: 'orderComment',
  menu: 'mm_commodityMana',
  title: ['评价', 'Comments'],
  noun: ['评价', 'Comment'],
  titleField: 'orderCode',
  sensitive: true,
  fields: {
    product: ref('product', ['商品', 'Product'], { ...seen, search: 'in', width: 160 }),
    person: ref('servicePerson', ['服务人员', 'Person'], { ...seen, search: 'in', width: 110 }),
    orderCode: text(['订单号', 'Order no.'], { ...seen, search: 'equals', width: 170 }),
    merchant: ref('merchant', ['商户', 'Merchant'], { ...seen, search: 'in', width: 140 }),
    customer: personName(['客户', 'Customer'], { ...seen, width: 92 }),
    stars: choice(['评分', 'Stars'], STARS, { ...seen, search: 'in', width: 84 }),
    content: longText(['评价内容', 'Comment'], { ...seen, width: 220 }),
    images: images(['图片', 'Pictures'], { ...seen, max: 9, width: 140 }),
    createdAt: instant(['评价时间', 'Said'], { ...seen, sortable: true, search: 'range', width: 150 }),
    reply: longText(['商家回复', 'Reply'], { ...seen, width: 200 }),
    repliedBy: ref('staff', ['回复人', 'Replied by'], { ...seen, width: 100 }),
    repliedAt: instant(['回复时间', 'Replied'], { ...seen, width: 150 }),
    hideReason: text(['隐藏原因', 'Why hidden'], { ...seen, width: 150 }),
  },
  states: {
    shown: { label: ['已展示', 'Shown'], tone: 'success' },
    waiting: { label: ['待审', 'To review'], tone: 'warning' },
    hidden: { label: ['已隐藏', 'Hidden'], tone: 'default' },
  },
  list: {
    columns: [
      // In a narrow detail what is to be answered stands in sight.
      'stars',
      'content',
      'state',
      'reply',
      'createdAt',
      'images',
      'customer',
      'product',
      'person',
      'repliedBy',
      'repliedAt',
      'hideReason',
      'orderCode',
      'merchant',
    ],
    hidden: ['repliedBy', 'repliedAt', 'hideReason', 'merchant'],
    filters: ['product', 'person', 'stars', 'state', 'createdAt', 'orderCode', 'merchant'],
    sort: '-createdAt',
    empty: ['还没有评价', 'No comments yet'],
  },
  actions: {
    reply: {
      on: 'row',
      label: ['回复', 'Reply'],
      element: 'btn_comment',
      input: { reply: longText(['回复', 'Reply'], { required: true, min: 1, max: 500 }) },
    },
    hide: {
      on: 'row',
      label: ['隐藏', 'Hide'],
      element: 'btn_comment',
      remark: 'reason',
      tone: 'danger',
      from: ['shown', 'waiting'],
      to: 'hidden',
      input: { reason: longText(['原因', 'Reason'], { required: true, min: 2, max: 200 }) },
    },
    show: {
      on: 'row',
      label: ['展示', 'Show'],
      element: 'btn_comment',
      from: ['waiting', 'hidden'],
      to: 'shown',
    },
  },
});

const words = { title: orderComment.title, noun: orderComment.noun, fixed: {} } as const;

/** Comments on goods, in the detail of a product. */
export const productComment = viewOf(orderComment, {
  ...words,
  name: 'productComment',
  menu: 'mm_commodityMana',
  without: ['person'],
});

/** Comments on services, in the detail of a service. */
export const serviceComment = viewOf(orderComment, {
  ...words,
  name: 'serviceComment',
  menu: 'mm_reservationSer',
  targets: { product: 'service' },
});

/** Comments on visits, in the detail of the person who made them. */
export const personComment = viewOf(orderComment, {
  ...words,
  name: 'personComment',
  menu: 'cs_busServicePerson',
  targets: { product: 'service' },
});

import {
  boolean,
  choice,
  code,
  date,
  instant,
  integer,
  money,
  personName,
  phone,
  ref,
  text,
} from '../../../kernel/contract/fields.ts';
import { PASS_KINDS } from '../../../domain/parking/parking.rules.ts';
import { defineResource } from '../../../kernel/contract/resource.ts';
import { bill, prepaidAccount } from '../charging/bill.contract.ts';
import { houseCustody, CUSTODY_SERVICES } from '../custody/custody.contract.ts';
import { decorationApplication } from '../decoration/decoration-application.contract.ts';
import { visitor } from '../visitor/visitor.contract.ts';
import { workOrder } from '../work-order/work-order.contract.ts';

/** Menu of houses and the people who live there. */
export const HOUSE_MENU = 'cs_houseEnquiry';

const seen = { readOnly: true } as const;
const house = ref('enquiryHouse', ['房屋', 'House'], { ...seen, search: 'in', width: 170 });

/** A bill of a house, on its card. */
export const houseBill = defineResource({
  name: 'houseBill',
  menu: HOUSE_MENU,
  title: ['房屋账单', 'Bills of a house'],
  noun: ['账单', 'Bill'],
  titleField: 'code',
  fields: {
    house,
    code: code(['账单号', 'Bill'], { ...seen, width: 168 }),
    item: text(['收费项目', 'Fee item'], { ...seen, width: 120 }),
    periodFrom: date(['账期起', 'Period from'], { ...seen, sortable: true, width: 106 }),
    periodTo: date(['账期止', 'to'], { ...seen, width: 106 }),
    dueDate: date(['到期日', 'Due'], { ...seen, sortable: true, width: 106 }),
    principal: money(['本金', 'Principal'], { ...seen, width: 100 }),
    lateFee: money(['滞纳金', 'Late fee'], { ...seen, width: 90 }),
    paid: money(['已缴', 'Paid'], { ...seen, width: 100 }),
    owed: money(['欠费', 'Owed'], { ...seen, sortable: true, width: 100 }),
    debtor: personName(['业主', 'Debtor'], { ...seen, width: 96 }),
    state: choice(['状态', 'Status'], bill.states!, { ...seen, search: 'in', width: 90 }),
  },
  list: {
    columns: [
      'house',
      'code',
      'item',
      'periodFrom',
      'dueDate',
      'state',
      'owed',
      'principal',
      'lateFee',
      'paid',
      'periodTo',
      'debtor',
    ],
    filters: ['house', 'state'],
    sort: '-periodFrom',
    sums: ['owed'],
    empty: ['还没有账单', 'There are no bills yet'],
  },
});

/** Prepaid money of a house by account, on its card. */
export const housePrepaid = defineResource({
  name: 'housePrepaid',
  menu: HOUSE_MENU,
  title: ['房屋预存', 'Prepaid money of a house'],
  noun: ['预存', 'Prepaid'],
  titleField: 'kind',
  fields: {
    house,
    kind: choice(['类型', 'Account'], prepaidAccount.fields.kind.choices!, {
      ...seen,
      search: 'in',
      width: 120,
    }),
    balance: money(['余额', 'Balance'], { ...seen, sortable: true, width: 120 }),
    movedAt: instant(['最近变动', 'Last moved'], { ...seen, width: 150 }),
  },
  list: {
    columns: ['house', 'kind', 'balance', 'movedAt'],
    filters: ['house', 'kind'],
    sort: '-balance',
    empty: ['没有预存', 'Nothing is paid ahead'],
  },
});

/** A work order of a house, on its card. */
export const houseOrder = defineResource({
  name: 'houseOrder',
  menu: HOUSE_MENU,
  title: ['房屋工单', 'Orders of a house'],
  noun: ['工单', 'Order'],
  titleField: 'code',
  fields: {
    house,
    code: code(['工单号', 'Code'], { ...seen, width: 168 }),
    title: text(['标题', 'Title'], { ...seen, width: 180 }),
    class: choice(['大类', 'Class'], workOrder.fields.class.choices!, { ...seen, search: 'in', width: 80 }),
    status: choice(['状态', 'Status'], workOrder.states!, { ...seen, search: 'in', width: 110 }),
    handler: ref('staff', ['处理人', 'Handler'], { ...seen, width: 90 }),
    createdAt: instant(['创建时间', 'Created'], { ...seen, sortable: true, width: 150 }),
    finishedAt: instant(['完成时间', 'Finished'], { ...seen, width: 150 }),
  },
  list: {
    columns: ['house', 'code', 'title', 'class', 'status', 'handler', 'createdAt', 'finishedAt'],
    filters: ['house', 'class', 'status'],
    sort: '-createdAt',
    empty: ['还没有工单', 'There are no orders yet'],
  },
});

/** A parking pass of somebody who lives in a house, on its card. */
export const houseSpace = defineResource({
  name: 'houseSpace',
  menu: HOUSE_MENU,
  title: ['房屋车位', 'Parking of a house'],
  noun: ['车位', 'Parking pass'],
  titleField: 'plate',
  fields: {
    house,
    lot: text(['停车场', 'Car park'], { ...seen, width: 150 }),
    kind: choice(['类型', 'Kind'], PASS_KINDS, { ...seen, search: 'in', width: 100 }),
    plate: text(['车牌', 'Plate'], { ...seen, width: 110 }),
    holder: personName(['使用人', 'Holder'], { ...seen, width: 100 }),
    startsOn: date(['开始日期', 'From'], { ...seen, width: 106 }),
    endsOn: date(['结束日期', 'Until'], { ...seen, sortable: true, width: 106 }),
    valid: boolean(['有效', 'Valid'], { ...seen, width: 80 }),
  },
  list: {
    columns: ['house', 'lot', 'kind', 'plate', 'holder', 'startsOn', 'endsOn', 'valid'],
    filters: ['house', 'kind'],
    sort: '-endsOn',
    empty: ['没有车位或月卡', 'Nobody of it has a parking pass'],
  },
});

/** A visit to a house, on its card. */
export const houseVisit = defineResource({
  name: 'houseVisit',
  menu: HOUSE_MENU,
  title: ['房屋访客', 'Visitors of a house'],
  noun: ['访客', 'Visit'],
  titleField: 'visitor',
  fields: {
    house,
    visitor: personName(['访客', 'Visitor'], { ...seen, width: 100 }),
    phone: phone(['电话', 'Phone'], { ...seen, width: 126 }),
    people: integer(['人数', 'People'], { ...seen, width: 70 }),
    visitFrom: instant(['到访时间', 'Visit'], { ...seen, sortable: true, width: 150 }),
    reason: text(['事由', 'Reason'], { ...seen, width: 140 }),
    plate: text(['车牌', 'Plate'], { ...seen, width: 100 }),
    state: choice(['状态', 'Status'], visitor.states!, { ...seen, search: 'in', width: 90 }),
  },
  list: {
    columns: ['house', 'visitor', 'phone', 'people', 'visitFrom', 'reason', 'plate', 'state'],
    filters: ['house', 'state'],
    sort: '-visitFrom',
    empty: ['还没有访客', 'Nobody has visited yet'],
  },
});

/** Decoration works of a house, on its card. */
export const houseDecoration = defineResource({
  name: 'houseDecoration',
  menu: HOUSE_MENU,
  title: ['房屋装修', 'Decoration of a house'],
  noun: ['装修', 'Decoration'],
  titleField: 'code',
  fields: {
    house,
    code: code(['申请单号', 'Code'], { ...seen, width: 168 }),
    company: text(['装修公司', 'Company'], { ...seen, width: 140 }),
    startsOn: date(['开始日期', 'From'], { ...seen, sortable: true, width: 106 }),
    endsOn: date(['结束日期', 'Until'], { ...seen, width: 106 }),
    deposit: money(['押金', 'Deposit'], { ...seen, width: 100 }),
    state: choice(['状态', 'Status'], decorationApplication.states!, { ...seen, search: 'in', width: 90 }),
    createdAt: instant(['申请时间', 'Applied'], { ...seen, sortable: true, width: 150 }),
  },
  list: {
    columns: ['house', 'code', 'company', 'startsOn', 'endsOn', 'deposit', 'state', 'createdAt'],
    filters: ['house', 'state'],
    sort: '-createdAt',
    empty: ['没有装修监理申请', 'There is no decoration'],
  },
});

/** Custody of a house, on its card. */
export const houseKeeping = defineResource({
  name: 'houseKeeping',
  menu: HOUSE_MENU,
  title: ['房屋托管', 'Custody of a house'],
  noun: ['托管', 'Custody'],
  titleField: 'code',
  fields: {
    house,
    code: code(['托管单号', 'Code'], { ...seen, width: 168 }),
    service: choice(['服务', 'Service'], CUSTODY_SERVICES, { ...seen, search: 'in', width: 96 }),
    startsOn: date(['开始日期', 'From'], { ...seen, sortable: true, width: 106 }),
    endsOn: date(['结束日期', 'Until'], { ...seen, width: 106 }),
    keysOut: integer(['借出把数', 'Keys out'], { ...seen, width: 84 }),
    handler: ref('staff', ['经办人', 'Handler'], { ...seen, width: 90 }),
    state: choice(['状态', 'Status'], houseCustody.states!, { ...seen, search: 'in', width: 90 }),
  },
  list: {
    columns: ['house', 'code', 'service', 'startsOn', 'endsOn', 'keysOut', 'handler', 'state'],
    filters: ['house', 'service', 'state'],
    sort: '-startsOn',
    empty: ['没有托管', 'It is in no custody'],
  },
});

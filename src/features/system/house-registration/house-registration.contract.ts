import {
  boolean,
  choice,
  instant,
  integer,
  personName,
  phone,
  ref,
  text,
} from '../../../kernel/contract/fields.ts';
import { defineResource, part, type Resource, type Row } from '../../../kernel/contract/resource.ts';
import { HOUSEHOLD_STATUSES, IDENTITIES } from '../../../domain/residents/registration.rules.ts';

/** A member's link to a house, in the detail of the house. */
export const houseMember = defineResource({
  name: 'houseMember',
  menu: 'ssm_registerByHouse',
  title: ['房屋住户', 'Households of a house'],
  noun: ['住户', 'Household'],
  titleField: 'name',
  sensitive: true,
  fields: {
    house: ref('houseRegistration', ['房屋', 'House'], { search: 'in' }),
    name: personName(['姓名', 'Name'], { width: 100 }),
    phone: phone(['手机号', 'Phone'], { search: 'equals', width: 130 }),
    identity: choice(['身份', 'Identity'], IDENTITIES, { search: 'in', width: 90 }),
    status: choice(['住户状态', 'Household status'], HOUSEHOLD_STATUSES, { search: 'in', width: 110 }),
    appliedAt: instant(['申请时间', 'Applied at'], { sortable: true, width: 150 }),
    boundAt: instant(['绑定时间', 'Bound at'], { width: 150 }),
  },
  list: {
    columns: ['house', 'name', 'phone', 'identity', 'status', 'appliedAt', 'boundAt'],
    filters: ['house', 'identity', 'status', 'phone'],
    sort: '-appliedAt',
    empty: ['还没有会员申请绑定', 'No member has applied for this house'],
  },
});

/** A house and whether somebody is registered in it: at least one household with status normal. */
export const houseRegistration = defineResource({
  name: 'houseRegistration',
  menu: 'ssm_registerByHouse',
  title: ['房屋注册', 'Registration by house'],
  noun: ['房屋', 'House'],
  purpose: [
    '至少有一个正常状态住户的房屋为已注册；审核中的不算',
    'A house is registered with at least one household in status normal; those in review do not count',
  ],
  titleField: 'number',
  fields: {
    project: ref('project', ['项目', 'Project'], { search: 'in', width: 160 }),
    building: { ...ref('building', ['楼栋', 'Building'], { search: 'in', width: 100 }), within: 'project' },
    // By unit, then as they were made: the order of the building.
    unit: {
      ...ref('buildingUnit', ['单元', 'Unit'], { search: 'in', sortable: true, width: 100 }),
      within: 'building',
    },
    floor: integer(['楼层', 'Floor'], { search: 'range', sortable: true, width: 90 }),
    number: text(['房屋', 'House'], { sortable: true, keyword: true, width: 110 }),
    registered: boolean(['已注册', 'Registered'], { search: 'equals', width: 110 }),
    ownerRegistered: boolean(['业主已注册', 'Owner registered'], { search: 'equals', width: 140 }),
    occupied: boolean(['已入住', 'Occupied'], {
      search: 'equals',
      width: 110,
      help: ['自住或出租的房屋', 'Lived in by the owner or let'],
    }),
    active: boolean(['30 天活跃', 'Active in 30 days'], {
      search: 'equals',
      width: 120,
      help: ['近 30 天有正常住户打开过 App', 'A normal household opened the app in the last 30 days'],
    }),
    members: integer(['注册人数', 'Members'], { width: 110 }),
    housekeeper: ref('houseKeeper', ['管家', 'Housekeeper'], { search: 'in', width: 110 }),
    /** Asked by figures of coverage only: a period of bills. */
    billed: text(['有账单期间', 'Billed in'], { readOnly: true, search: 'equals' }),
    paidOnline: text(['线上缴费期间', 'Paid online in'], { readOnly: true, search: 'equals' }),
    firstRegisteredAt: instant(['首次注册时间', 'First registered at'], {
      search: 'range',
      width: 160,
      help: ['首个住户绑定的时间，解绑后保留', 'When the first household was bound; stays when it ends'],
    }),
  },
  list: {
    columns: [
      'project',
      'building',
      'unit',
      'floor',
      'number',
      'registered',
      'ownerRegistered',
      'occupied',
      'active',
      'members',
      'firstRegisteredAt',
      'housekeeper',
    ],
    hidden: ['occupied', 'active'],
    filters: [
      'registered',
      'ownerRegistered',
      'occupied',
      'active',
      'floor',
      'firstRegisteredAt',
      'housekeeper',
      'project',
      'building',
      'unit',
    ],
    sort: 'unit',
    link: 'number',
    export: true,
    empty: ['此处没有房屋', 'There are no houses here'],
  },
  detail: {
    mode: 'drawer',
    sections: [
      { title: ['位置', 'Place'], fields: ['project', 'building', 'unit', 'floor', 'number'] },
      {
        title: ['注册', 'Registration'],
        fields: ['registered', 'ownerRegistered', 'members', 'firstRegisteredAt', 'housekeeper'],
      },
    ],
    parts: [
      part({
        key: 'members',
        title: ['住户', 'Households'],
        resource: houseMember as unknown as Resource,
        by: 'house',
      }),
    ],
  },
  actions: {
    remind: {
      on: 'rowAndBulk',
      label: ['提醒管家', 'Ask the housekeeper'],
      element: 'btn_remind',
      opens: 'screen',
      untouched: true,
      input: { note: text(['说明', 'Note'], { max: 200 }) },
    },
  },
});

export interface HouseRegistration extends Row<typeof houseRegistration> {}

/** A project, building or unit of the tree: how many of its houses are registered. */
export interface PlaceCount {
  readonly id: string;
  readonly name: string;
  readonly houses: number;
  readonly registered: number;
  readonly children?: readonly PlaceCount[];
}

/** A house of the plan of a building. */
export interface PlanHouse {
  readonly id: string;
  readonly unit: string;
  readonly unitName: string;
  readonly floor: number;
  readonly number: string;
  readonly registered: boolean;
  readonly members: number;
}

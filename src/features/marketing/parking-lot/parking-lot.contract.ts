import {
  boolean,
  choice,
  code,
  date,
  instant,
  integer,
  longText,
  money,
  ref,
  refs,
  tags,
  text,
} from '../../../kernel/contract/fields.ts';
import { defineResource, part, type Resource } from '../../../kernel/contract/resource.ts';
import {
  COUPON_KINDS,
  LOT_KINDS,
  PASS_KINDS,
  VEHICLE_CLASSES,
} from '../../../domain/parking/parking.rules.ts';
import { GATE_VENDORS } from '../../../domain/road-gate/road-gate.rules.ts';

/** Menu of lots. */
export const LOT_MENU = 'mk_parkingPlace';

const seen = { readOnly: true } as const;
const minutes: { readonly unit: readonly [string, string]; readonly min: number; readonly max: number } = {
  unit: ['分钟', 'min'],
  min: 1,
  max: 1440,
};
const plates = tags(['车牌', 'Plates'], {
  required: true,
  min: 1,
  max: 200,
  help: ['可一次粘贴多个', 'Several may be pasted at once'],
});
const byHand = longText(['原因', 'Reason'], { required: true, min: 2, max: 200 });

/** A version of what parking costs for a class of cars. */
export const parkingPlan = defineResource({
  name: 'parkingPlan',
  menu: LOT_MENU,
  title: ['收费方案', 'Fee plans'],
  noun: ['收费方案', 'Fee plan'],
  titleField: 'vehicleClass',
  fields: {
    lot: ref('parkingLot', ['停车场', 'Lot'], { ...seen, search: 'in', width: 140 }),
    vehicleClass: choice(['车型', 'Class'], VEHICLE_CLASSES, { ...seen, search: 'in', width: 90 }),
    validFrom: date(['生效日', 'From'], { ...seen, sortable: true, width: 110 }),
    standing: choice(
      ['状态', 'State'],
      {
        coming: { label: ['未生效', 'To come'], tone: 'processing' },
        current: { label: ['生效中', 'In force'], tone: 'success' },
        past: { label: ['已被取代', 'Replaced'], tone: 'default' },
      },
      { ...seen, width: 100 },
    ),
    freeMinutes: integer(['免费时长', 'Free'], { ...seen, unit: ['分钟', 'min'], width: 100 }),
    freeDeduct: boolean(['超时扣除免费时长', 'Free minutes deducted'], { ...seen, width: 130 }),
    firstMinutes: integer(['首段', 'First'], { ...seen, unit: ['分钟', 'min'], width: 90 }),
    first: money(['首段价格', 'First price'], { ...seen, width: 100 }),
    unitMinutes: integer(['续费单位', 'Each'], { ...seen, unit: ['分钟', 'min'], width: 100 }),
    unit: money(['单位价格', 'Unit price'], { ...seen, width: 100 }),
    cap: money(['24 小时封顶', 'Cap of 24 hours'], { ...seen, width: 120 }),
    madeAt: instant(['录入时间', 'Entered'], { ...seen, width: 150 }),
    madeBy: text(['录入人', 'By'], { ...seen, width: 100 }),
  },
  list: {
    columns: [
      'vehicleClass',
      'validFrom',
      'standing',
      'freeMinutes',
      'freeDeduct',
      'firstMinutes',
      'first',
      'unitMinutes',
      'unit',
      'cap',
      'madeBy',
      'madeAt',
      'lot',
    ],
    filters: ['lot', 'vehicleClass'],
    sort: '-validFrom',
    empty: ['还没有收费方案', 'There is no plan yet'],
  },
});

/** A plate that parks free for a time. */
export const parkingPass = defineResource({
  name: 'parkingPass',
  menu: LOT_MENU,
  title: ['月卡与白名单', 'Passes'],
  noun: ['月卡', 'Pass'],
  titleField: 'plate',
  stamps: true,
  fields: {
    lot: ref('parkingLot', ['停车场', 'Lot'], { ...seen, search: 'in', width: 140 }),
    plate: text(['车牌', 'Plate'], { ...seen, keyword: true, width: 110 }),
    kind: choice(['类型', 'Kind'], PASS_KINDS, { ...seen, search: 'in', width: 110 }),
    startsOn: date(['起', 'From'], { ...seen, width: 110 }),
    endsOn: date(['止', 'Until'], { ...seen, sortable: true, search: 'range', width: 110 }),
    standing: choice(
      ['状态', 'State'],
      {
        coming: { label: ['未生效', 'To come'], tone: 'processing' },
        valid: { label: ['有效', 'Valid'], tone: 'success' },
        ended: { label: ['已到期', 'Ended'], tone: 'default' },
        cancelled: { label: ['已取消', 'Cancelled'], tone: 'default' },
      },
      { ...seen, search: 'in', width: 90 },
    ),
    member: ref('memberInReach', ['会员', 'Member'], { ...seen, width: 100 }),
    note: text(['备注', 'Note'], { ...seen, width: 180 }),
  },
  list: {
    columns: [
      'plate',
      'kind',
      'startsOn',
      'endsOn',
      'standing',
      'member',
      'note',
      'creator',
      'createdAt',
      'lot',
    ],
    hidden: ['creator', 'createdAt'],
    filters: ['lot', 'kind', 'standing', 'endsOn'],
    sort: '-endsOn',
    tabs: [
      { key: 'all', label: ['全部', 'All'] },
      { key: 'ending', label: ['7 天内到期', 'End in 7 days'], named: true },
    ],
    empty: ['没有月卡', 'There are no passes'],
  },
  actions: {
    renew: {
      on: 'row',
      label: ['续期', 'Renew'],
      element: 'btn_pass',
      input: { until: date(['续至', 'Until'], { required: true }) },
    },
    cancel: {
      on: 'row',
      label: ['取消', 'Cancel'],
      element: 'btn_pass',
      remark: 'reason',
      tone: 'danger',
      input: { reason: byHand },
    },
    remind: { on: 'system', label: ['到期提醒', 'Reminded'], element: 'btn_pass', untouched: true },
  },
});

/** A coupon that takes something off a stay of a plate. */
export const parkingCoupon = defineResource({
  name: 'parkingCoupon',
  menu: LOT_MENU,
  title: ['停车券', 'Parking coupons'],
  noun: ['停车券', 'Coupon'],
  titleField: 'plate',
  stamps: true,
  fields: {
    lot: ref('parkingLot', ['停车场', 'Lot'], { ...seen, search: 'in', width: 140 }),
    plate: text(['车牌', 'Plate'], { ...seen, keyword: true, width: 110 }),
    kind: choice(['类型', 'Kind'], COUPON_KINDS, { ...seen, search: 'in', width: 80 }),
    worth: text(['面值', 'Worth'], { ...seen, width: 110 }),
    merchant: ref('merchant', ['承担商户', 'Paid by'], { ...seen, width: 140 }),
    validTo: date(['有效至', 'Valid until'], { ...seen, sortable: true, width: 110 }),
    standing: choice(
      ['状态', 'State'],
      {
        unused: { label: ['未使用', 'Unused'], tone: 'processing' },
        used: { label: ['已使用', 'Used'], tone: 'success' },
        expired: { label: ['已过期', 'Expired'], tone: 'default' },
        cancelled: { label: ['已作废', 'Cancelled'], tone: 'default' },
      },
      { ...seen, search: 'in', width: 90 },
    ),
    order: text(['使用订单', 'Used by'], { ...seen, width: 170 }),
    usedAt: instant(['使用时间', 'Used at'], { ...seen, width: 150 }),
  },
  list: {
    columns: [
      'plate',
      'kind',
      'worth',
      'merchant',
      'validTo',
      'standing',
      'order',
      'usedAt',
      'createdAt',
      'lot',
    ],
    filters: ['lot', 'kind', 'standing'],
    sort: '-createdAt',
    empty: ['没有停车券', 'There are no coupons'],
  },
  actions: {
    cancel: {
      on: 'row',
      label: ['作废', 'Cancel'],
      element: 'btn_coupon',
      remark: 'reason',
      tone: 'danger',
      input: { reason: byHand },
    },
  },
});

/** A car park of a project. */
export const parkingLot = defineResource({
  name: 'parkingLot',
  menu: LOT_MENU,
  title: ['停车场', 'Parking lots'],
  noun: ['停车场', 'Parking lot'],
  purpose: [
    '小区停车场：车位、道闸、收费方案、月卡与停车券；入场时生效的方案用于整次停车',
    'Car parks of the projects: spaces, gates, fee plans, passes and coupons; a stay keeps the plan it came in under',
  ],
  stamps: true,
  deletable: 'unused',
  modes: {
    add: 'mk_parkingPlaceDetails/add/0',
    edit: 'mk_parkingPlaceDetails/edit/:id',
    detail: 'mk_parkingPlaceDetails/view/:id',
  },
  fields: {
    code: code(['编码', 'Code'], {
      required: true,
      createOnly: true,
      keyword: true,
      sortable: true,
      max: 32,
      width: 120,
      pattern: {
        source: '[A-Za-z0-9][A-Za-z0-9_-]{1,31}',
        message: ['2至32位字母、数字、_ 或 -', '2 to 32 letters, digits, _ or -'],
      },
    }),
    name: text(['名称', 'Name'], {
      required: true,
      keyword: true,
      sortable: true,
      min: 2,
      max: 40,
      width: 150,
    }),
    project: ref('project', ['项目', 'Project'], {
      required: true,
      createOnly: true,
      search: 'in',
      width: 150,
    }),
    kind: choice(['类型', 'Kind'], LOT_KINDS, { required: true, initial: 'ground', width: 90 }),
    spaces: integer(['车位', 'Spaces'], {
      required: true,
      min: 1,
      max: 100_000,
      sortable: true,
      width: 80,
    }),
    parked: integer(['在场', 'Parked'], { ...seen, width: 80 }),
    free: integer(['空位', 'Free'], { ...seen, width: 80 }),
    load: choice(
      ['占用', 'Load'],
      {
        free: { label: ['有空位', 'Free spaces'], tone: 'success' },
        full: { label: ['已满', 'Full'], tone: 'warning' },
        over: { label: ['超容', 'Above its spaces'], tone: 'error' },
      },
      { ...seen, width: 90 },
    ),
    plan: text(['收费方案', 'Fee plan'], {
      ...seen,
      width: 260,
      help: ['小型车今日生效的方案', 'What is in force today for small cars'],
    }),
    freeMinutes: integer(['免费时长', 'Free minutes'], { ...seen, unit: ['分钟', 'min'], width: 100 }),
    gates: refs('parkingGate', ['道闸', 'Gates'], {
      width: 180,
      max: 40,
      help: ['同一项目的道闸，每个道闸只属于一个停车场', 'Gates of the project; each belongs to one lot'],
    }),
    gatesOnline: text(['在线道闸', 'Gates online'], { ...seen, width: 100 }),
    vendor: choice(['厂商', 'Vendor'], GATE_VENDORS, {
      required: true,
      search: 'in',
      initial: 'sandbox',
      width: 100,
    }),
    enabled: boolean(['启用', 'Enabled'], { ...seen, search: 'equals', width: 80 }),
  },
  list: {
    columns: [
      'code',
      'name',
      'project',
      'kind',
      'spaces',
      'parked',
      'free',
      'load',
      'plan',
      'freeMinutes',
      'gatesOnline',
      'vendor',
      'enabled',
      'updatedAt',
    ],
    hidden: ['updatedAt'],
    filters: ['project', 'vendor', 'enabled'],
    sort: 'code',
    link: 'name',
    sums: ['spaces', 'parked'],
    export: true,
    empty: ['还没有停车场', 'There are no lots yet'],
  },
  form: {
    as: 'page',
    sections: [
      { title: ['停车场', 'Lot'], fields: ['code', 'name', 'project', 'kind', 'spaces'] },
      { title: ['设备', 'Devices'], fields: ['vendor', 'gates'] },
    ],
  },
  detail: {
    mode: 'page',
    sections: [
      {
        title: ['停车场', 'Lot'],
        fields: ['code', 'project', 'kind', 'spaces', 'parked', 'free', 'load', 'enabled'],
      },
      { title: ['收费', 'Fee'], fields: ['plan', 'freeMinutes'] },
      { title: ['设备', 'Devices'], fields: ['vendor', 'gates', 'gatesOnline'] },
      { title: ['系统', 'System'], fields: ['creator', 'createdAt', 'updater', 'updatedAt'] },
    ],
    parts: [
      part({
        key: 'plans',
        title: ['收费方案', 'Fee plans'],
        resource: parkingPlan as unknown as Resource,
        by: 'lot',
      }),
      part({
        key: 'passes',
        title: ['月卡与白名单', 'Passes'],
        resource: parkingPass as unknown as Resource,
        by: 'lot',
      }),
      part({
        key: 'coupons',
        title: ['停车券', 'Coupons'],
        resource: parkingCoupon as unknown as Resource,
        by: 'lot',
      }),
    ],
  },
  elements: { btn_view: ['查看', 'View'], btn_simulate: ['试算', 'Simulate'] },
  actions: {
    create: { on: 'page', label: ['新增', 'Add'], element: 'btn_add', tone: 'primary' },
    update: { on: 'row', label: ['编辑', 'Edit'], element: 'btn_edit' },
    addPlan: {
      on: 'row',
      label: ['调整收费', 'Change the fee'],
      element: 'btn_plan',
      untouched: true,
      input: {
        vehicleClass: choice(['车型', 'Class'], VEHICLE_CLASSES, { required: true, initial: 'small' }),
        validFrom: date(['生效日', 'From'], {
          required: true,
          help: [
            '从今天起；已入场的车辆按入场时的方案',
            'Today or later; cars inside keep the plan they came in under',
          ],
        }),
        freeMinutes: integer(['免费时长', 'Free'], { required: true, ...minutes, min: 0, initial: 30 }),
        freeDeduct: boolean(['超时扣除免费时长', 'Deduct the free minutes from longer stays'], {
          initial: false,
        }),
        firstMinutes: integer(['首段', 'First'], { required: true, ...minutes, initial: 60 }),
        first: money(['首段价格', 'First price'], { required: true, min: 0, max: 1_000_000 }),
        unitMinutes: integer(['续费单位', 'Each'], { required: true, ...minutes, initial: 30 }),
        unit: money(['单位价格', 'Unit price'], { required: true, min: 0, max: 1_000_000 }),
        cap: money(['24 小时封顶', 'Cap of 24 hours'], {
          min: 0,
          max: 10_000_000,
          help: ['留空不封顶', 'None when empty'],
        }),
      },
    },
    addPass: {
      on: 'row',
      label: ['添加月卡', 'Add passes'],
      element: 'btn_pass',
      untouched: true,
      input: {
        plates,
        kind: choice(['类型', 'Kind'], PASS_KINDS, { required: true, initial: 'monthly' }),
        startsOn: date(['起', 'From'], { required: true }),
        endsOn: date(['止', 'Until'], { required: true }),
        member: ref('memberInReach', ['会员', 'Member'], {
          help: ['到期前 7 天提醒', 'Is told 7 days before it ends'],
        }),
        note: text(['备注', 'Note'], { max: 200 }),
      },
      message: ['已添加 {n} 个', '{n} added'],
    },
    issue: {
      on: 'row',
      label: ['发放停车券', 'Issue coupons'],
      element: 'btn_coupon',
      untouched: true,
      input: {
        plates,
        kind: choice(['类型', 'Kind'], COUPON_KINDS, { required: true, initial: 'minutes' }),
        minutes: integer(['减免分钟', 'Minutes'], {
          min: 1,
          max: 10_080,
          unit: ['分钟', 'min'],
          help: ['类型为减时时填写', 'For coupons of minutes'],
        }),
        amount: money(['减免金额', 'Amount'], {
          min: 1,
          max: 1_000_000,
          help: ['类型为减额时填写', 'For coupons of an amount'],
        }),
        percent: integer(['付百分之几', 'Percent that is paid'], {
          min: 1,
          max: 99,
          unit: ['%', '%'],
          help: ['类型为折扣时填写，85 即 8.5 折', 'For coupons of a percentage; 85 takes 15 % off'],
        }),
        merchant: ref('merchant', ['承担商户', 'Paid by']),
        validTo: date(['有效至', 'Valid until'], { required: true }),
      },
      message: ['已发放 {n} 张', '{n} issued'],
    },
    enable: { on: 'row', label: ['启用', 'Enable'], element: 'btn_enable' },
    disable: {
      on: 'row',
      label: ['停用', 'Disable'],
      element: 'btn_enable',
      confirm: ['停用「{name}」？道闸不再放行入场车辆。', 'Disable “{name}”? Its gates let no car in.'],
    },
    remove: {
      on: 'row',
      label: ['删除', 'Delete'],
      element: 'btn_del',
      tone: 'danger',
      confirm: [
        '删除「{name}」？方案、月卡与停车券也会删除。',
        'Delete “{name}”? Its plans, passes and coupons go too.',
      ],
    },
  },
});

/** Days a lot's income and turnover are shown for. */
export const LOT_DAYS = 30;

/** A day of a lot by hour, and its last days; amounts in yuan. */
export interface LotDay {
  readonly entries: number;
  readonly exits: number;
  readonly income: string;
  readonly refunded: string;
  readonly hours: readonly {
    readonly hour: string;
    readonly entries: number;
    readonly exits: number;
    readonly income: number;
  }[];
  readonly days: readonly {
    readonly day: string;
    /** Paid less refunded of the cars that left that day. */
    readonly income: number;
    readonly exits: number;
    /** Exits a space. */
    readonly turnover: number;
  }[];
}

/** A fee that was tried out; amounts in yuan. */
export interface LotTrial {
  readonly minutes: number;
  readonly windows: readonly {
    readonly no: number;
    readonly minutes: number;
    readonly units: number;
    readonly raw: string;
    readonly fee: string;
  }[];
  readonly gross: string;
  readonly discount: string;
  readonly due: string;
  readonly coveredUntil: string;
}

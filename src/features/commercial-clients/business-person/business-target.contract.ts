import { integer, money, ref, text } from '../../../kernel/contract/fields.ts';
import { defineResource } from '../../../kernel/contract/resource.ts';
import { PERSON_MENU } from './business-person.contract.ts';

const most = { min: 0, max: 100_000 } as const;
const amount = { min: 0, max: 99_999_999_99, width: 130 } as const;

/** Values a target has, each of them or none. */
export const TARGET_VALUES = {
  newClients: integer(['新增客户', 'New clients'], { ...most, width: 100 }),
  visits: integer(['拜访数', 'Visits'], { ...most, width: 100 }),
  signedContracts: integer(['签约数', 'Contracts'], { ...most, width: 100 }),
  signedAmount: money(['签约额', 'Signed amount'], amount),
  receivedAmount: money(['回款额', 'Received'], amount),
} as const;
export type TargetValue = keyof typeof TARGET_VALUES;

/** What is expected of a business person in a month. */
export const businessTarget = defineResource({
  name: 'businessTarget',
  menu: PERSON_MENU,
  title: ['招商目标', 'Targets'],
  noun: ['目标', 'Target'],
  titleField: 'month',
  stamps: true,
  purpose: [
    '每人每月一份目标，留空的项目没有目标；月份冻结后不再变动',
    'One target a person and month; what is empty has none. It does not change once the month is frozen',
  ],
  fields: {
    key: text(['账号与月份', 'Account and month'], {
      createOnly: true,
      max: 60,
      width: 160,
      help: ['导入用，如 mall1 2026-11', 'For imports, such as mall1 2026-11'],
    }),
    staff: ref('businessStaff', ['人员', 'Person'], { createOnly: true, search: 'in', width: 120 }),
    month: text(['月份', 'Month'], {
      createOnly: true,
      max: 7,
      search: 'equals',
      sortable: true,
      width: 100,
      help: ['如 2026-11', 'Such as 2026-11'],
    }),
    ...TARGET_VALUES,
  },
  list: {
    columns: ['month', 'staff', ...Object.keys(TARGET_VALUES), 'updater', 'updatedAt'],
    filters: ['month', 'staff'],
    sort: '-month',
    export: true,
    empty: ['还没有目标', 'There are no targets yet'],
  },
  importable: { key: 'key', mode: 'upsert', fields: ['key', ...Object.keys(TARGET_VALUES)] },
  elements: { btn_import: ['导入', 'Import'] },
  form: {
    sections: [{ title: ['目标', 'Target'], fields: ['staff', 'month', ...Object.keys(TARGET_VALUES)] }],
  },
  actions: {
    create: { on: 'page', label: ['新增目标', 'Add a target'], element: 'btn_target', tone: 'primary' },
    copyMonth: {
      on: 'page',
      label: ['复制月份', 'Copy a month'],
      element: 'btn_target',
      input: {
        source: text(['来源月份', 'From'], { required: true, max: 7, placeholder: ['2026-11', '2026-11'] }),
        copyTo: text(['目标月份', 'To'], {
          required: true,
          max: 7,
          placeholder: ['2026-12', '2026-12'],
          help: ['已有目标的人员保持不变', 'Who has a target already keeps it'],
        }),
      },
      message: ['已复制 {targets} 个目标', '{targets} targets were copied'],
    },
    update: { on: 'row', label: ['编辑', 'Edit'], element: 'btn_target' },
    remove: {
      on: 'row',
      label: ['删除', 'Delete'],
      element: 'btn_target',
      tone: 'danger',
      confirm: ['删除该目标？', 'Delete this target?'],
    },
  },
});

/** Targets of a year as the grid shows them. Values as they are on the wire. */
export interface TargetGrid {
  readonly people: readonly { readonly id: string; readonly name: string }[];
  /** Months that are frozen. */
  readonly frozen: readonly string[];
  readonly cells: readonly ({ readonly staff: string; readonly month: string } & {
    readonly [value in TargetValue]: string | number | null;
  })[];
}

/** Targets and figures of a person by month; money in yuan. */
export interface PersonMonths {
  readonly months: readonly {
    readonly month: string;
    readonly signed: number;
    readonly received: number;
    readonly target: number | null;
    readonly frozen: boolean;
  }[];
}

import {
  choice,
  integer,
  lines,
  money,
  percent,
  ref,
  refs,
  text,
  treeRef,
} from '../../../kernel/contract/fields.ts';
import { defineResource } from '../../../kernel/contract/resource.ts';

/** Menu of business people. */
export const PERSON_MENU = 'busPerManagement';

const seen = { readOnly: true } as const;

/** Staff who win and keep tenants. */
export const businessPerson = defineResource({
  name: 'businessPerson',
  menu: PERSON_MENU,
  title: ['招商人员', 'Business people'],
  noun: ['招商人员', 'Business person'],
  titleField: 'staff',
  stamps: true,
  purpose: [
    '招商人员、上级与负责项目；客户数以未签约、未流失的计入上限，暂停后不再接收新客户',
    'Business people, their leaders and projects. Clients that are neither signed nor lost count against the limit; who is paused gets no new ones',
  ],
  fields: {
    staff: ref('staff', ['姓名', 'Name'], { required: true, createOnly: true, width: 120 }),
    account: text(['账号', 'Account'], { ...seen, keyword: true, width: 110 }),
    department: treeRef('department', ['部门', 'Department'], { ...seen, search: 'in', width: 130 }),
    leader: ref('staff', ['上级', 'Leader'], { search: 'in', width: 110 }),
    projects: refs('project', ['项目', 'Projects'], { required: true, max: 50, search: 'in', width: 190 }),
    industries: text(['行业', 'Industries'], { max: 200, width: 150 }),
    maxClients: integer(['客户上限', 'Most clients'], {
      required: true,
      min: 1,
      max: 10_000,
      initial: 100,
      width: 90,
    }),
    clients: integer(['客户数', 'Clients'], { ...seen, width: 90 }),
    month: text(['月份', 'Month'], {
      ...seen,
      max: 7,
      search: 'equals',
      width: 100,
      placeholder: ['本月，如 2026-11', 'This one, such as 2026-11'],
    }),
    newMonth: integer(['本月新增', 'New this month'], {
      ...seen,
      width: 100,
      help: ['当月新建、认领或分配所得', 'Created, claimed or assigned in the month'],
    }),
    followMonth: integer(['本月跟进', 'Follow-ups this month'], { ...seen, width: 100 }),
    overdue: integer(['逾期未跟进', 'Overdue'], {
      ...seen,
      width: 110,
      help: ['下次跟进时间已过', 'Whose next follow-up has passed'],
    }),
    signed: integer(['签约数', 'Contracts'], {
      ...seen,
      width: 90,
      help: ['当月审批通过，归审批时的负责人', 'Approved in the month, of who owned them then'],
    }),
    signedAmount: money(['签约额', 'Signed'], { ...seen, width: 120 }),
    receivedAmount: money(['回款', 'Received'], {
      ...seen,
      width: 120,
      help: ['当月确认到账', 'Confirmed receipts of the month'],
    }),
    completion: percent(['目标完成', 'Of the target'], {
      ...seen,
      width: 110,
      help: ['签约额 ÷ 当月目标，无目标为空', 'Signed ÷ target of the month; empty without one'],
    }),
    handoverState: choice(
      ['交接', 'Hand-over'],
      {
        running: { label: ['交接中', 'Running'], tone: 'processing' },
        done: { label: ['已完成', 'Done'], tone: 'success' },
        stopped: { label: ['已停止', 'Stopped'], tone: 'error' },
      },
      { ...seen, width: 90, help: ['最近一次交接', 'The last one'] },
    ),
    handoverNote: text(['交接停止原因', 'Why the hand-over stopped'], { ...seen, width: 200 }),
  },
  states: {
    active: { label: ['在岗', 'Active'], tone: 'success' },
    paused: { label: ['暂停', 'Paused'], tone: 'paused' },
    leaving: { label: ['离职中', 'Leaving'], tone: 'warning' },
    left: { label: ['已离职', 'Left'], tone: 'default' },
  },
  list: {
    columns: [
      'staff',
      'department',
      'leader',
      'projects',
      'clients',
      'maxClients',
      'newMonth',
      'followMonth',
      'overdue',
      'signed',
      'signedAmount',
      'receivedAmount',
      'completion',
      'state',
      'handoverState',
      'industries',
      'account',
      'createdAt',
    ],
    hidden: ['account', 'createdAt', 'industries', 'handoverState'],
    filters: ['department', 'projects', 'state', 'month', 'leader'],
    sort: '-createdAt',
    export: true,
    empty: ['还没有招商人员', 'There are no business people yet'],
  },
  form: {
    sections: [
      { title: ['人员', 'Person'], fields: ['staff', 'leader', 'projects', 'industries', 'maxClients'] },
    ],
  },
  detail: {
    mode: 'drawer',
    sections: [
      {
        title: ['人员', 'Person'],
        fields: ['account', 'department', 'leader', 'projects', 'industries'],
      },
      {
        title: ['客户', 'Clients'],
        fields: [
          'clients',
          'maxClients',
          'newMonth',
          'followMonth',
          'overdue',
          'signed',
          'signedAmount',
          'receivedAmount',
          'completion',
          'handoverState',
          'handoverNote',
        ],
      },
    ],
  },
  actions: {
    create: { on: 'page', label: ['新增', 'Add'], element: 'btn_add', tone: 'primary', to: 'active' },
    update: { on: 'row', label: ['编辑', 'Edit'], element: 'btn_edit', from: ['active', 'paused'] },
    pause: {
      on: 'row',
      label: ['暂停', 'Pause'],
      element: 'btn_pause',
      from: ['active'],
      to: 'paused',
      confirm: ['暂停后不再分配新客户，确认？', 'No new clients are assigned while it is paused. Go on?'],
    },
    resume: { on: 'row', label: ['恢复', 'Resume'], element: 'btn_pause', from: ['paused'], to: 'active' },
    handover: {
      on: 'row',
      label: ['离职交接', 'Hand over'],
      element: 'btn_handover',
      tone: 'danger',
      from: ['active', 'paused', 'leaving'],
      to: 'leaving',
      input: {
        to: ref('businessStaff', ['接收人', 'To'], {
          help: ['其余客户的接收人；留空：进入公海', 'Gets the rest; empty: it goes to the pool'],
        }),
        rules: lines(
          ['按项目或行业分配', 'By project or industry'],
          {
            project: ref('project', ['意向项目', 'Project'], {}),
            industry: ref('bizDict.client_industry', ['行业', 'Industry'], {}),
            to: ref('businessStaff', ['接收人', 'To'], { required: true }),
          },
          {
            max: 20,
            help: [
              '从上到下，客户归第一条相符的接收人；项目与行业同时填写须都相符',
              'From the top: a client goes by the first line that fits; where both are given, both must fit',
            ],
          },
        ),
        reason: text(['原因', 'Reason'], { required: true, min: 2, max: 200 }),
      },
      confirm: [
        '其客户、合同与应收全部移交；按批进行，中断后自动继续，完成后状态为已离职',
        'Clients, contracts and receivables are handed on, some at a time; it goes on after a stop and ends with Left',
      ],
      message: ['正在交接 {clients} 个客户', '{clients} clients are being handed over'],
    },
    beginLeaving: {
      on: 'system',
      label: ['员工已停用', 'The account was disabled'],
      element: 'btn_handover',
      from: ['active', 'paused'],
      to: 'leaving',
    },
    leave: {
      on: 'system',
      label: ['交接完成', 'Handed over'],
      element: 'btn_handover',
      from: ['leaving'],
      to: 'left',
    },
  },
});

/** What somebody has that a hand-over gives on. */
export interface Holdings {
  readonly clients: number;
  readonly signed: number;
  readonly contracts: number;
  readonly receivables: number;
  /** Yuan. */
  readonly balance: string;
  readonly approvals: number;
  readonly holds: number;
}

import { boolean, choice, date, instant, longText, ref, refs } from '../../../kernel/contract/fields.ts';
import { defineResource } from '../../../kernel/contract/resource.ts';

/** Longest time of one stand-in in days. Source: group 17, pr_auditManagement. */
export const MOST_STANDIN_DAYS = 90;

/** Somebody who decides in place of somebody else for some days. */
export const approvalStandin = defineResource({
  name: 'approvalStandin',
  menu: 'pr_auditManagement',
  title: ['审批代理', 'Stand-ins'],
  noun: ['代理', 'Stand-in'],
  titleField: 'staff',
  fields: {
    staff: ref('staff', ['被代理人', 'Stands in for'], {
      search: 'in',
      width: 110,
      createOnly: true,
      help: ['留空为本人', 'Empty: yourself'],
    }),
    standin: ref('staff', ['代理人', 'Stand-in'], {
      required: true,
      search: 'in',
      width: 110,
      createOnly: true,
    }),
    fromDay: date(['开始日期', 'From'], { required: true, sortable: true, search: 'range', width: 110 }),
    toDay: date(['结束日期', 'To'], {
      required: true,
      sortable: true,
      width: 110,
      help: [`最长 ${MOST_STANDIN_DAYS} 天`, `At most ${MOST_STANDIN_DAYS} days`],
    }),
    bizTypes: refs('approvalType', ['业务类型', 'Types'], {
      width: 180,
      max: 50,
      help: ['留空为全部类型', 'Empty: every type'],
    }),
    reason: longText(['原因', 'Reason'], { max: 200, width: 160 }),
    phase: choice(
      ['状态', 'State'],
      {
        coming: { label: ['未开始', 'Coming'], tone: 'default' },
        active: { label: ['代理中', 'Active'], tone: 'processing' },
        ended: { label: ['已结束', 'Ended'], tone: 'paused' },
        cancelled: { label: ['已取消', 'Cancelled'], tone: 'paused' },
      },
      { readOnly: true, search: 'in', width: 90 },
    ),
    cancelledAt: instant(['取消时间', 'Cancelled'], { readOnly: true, width: 150 }),
    movePending: boolean(['待处理任务一并转给代理人', 'Move what waits for me to the stand-in'], {
      createOnly: true,
    }),
  },
  stamps: true,
  list: {
    columns: ['staff', 'standin', 'fromDay', 'toDay', 'bizTypes', 'reason', 'phase', 'creator', 'createdAt'],
    hidden: ['cancelledAt'],
    filters: ['phase', 'standin', 'fromDay'],
    sort: '-fromDay',
    tabs: [{ key: 'standin', label: ['代理', 'Stand-ins'], named: true }],
    empty: ['没有设置过代理', 'No stand-in was ever set'],
  },
  form: {
    sections: [
      {
        title: ['代理', 'Stand-in'],
        fields: ['staff', 'standin', 'fromDay', 'toDay', 'bizTypes', 'reason', 'movePending'],
      },
    ],
  },
  detail: {
    mode: 'drawer',
    sections: [
      {
        title: ['代理', 'Stand-in'],
        fields: ['staff', 'standin', 'fromDay', 'toDay', 'bizTypes', 'reason', 'phase', 'cancelledAt'],
      },
    ],
  },
  actions: {
    create: {
      label: ['设置代理', 'Set a stand-in'],
      on: 'page',
      element: 'btn_standin',
      tone: 'primary',
      message: ['代理已设置', 'The stand-in is set'],
    },
    cancel: {
      label: ['取消代理', 'Cancel'],
      on: 'row',
      element: 'btn_standin',
      tone: 'danger',
      confirm: ['立即取消代理？', 'Cancel it at once?'],
      message: ['代理已取消', 'The stand-in was cancelled'],
    },
  },
});

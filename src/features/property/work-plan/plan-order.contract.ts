import { choice, images, instant, ref, text, treeRef } from '../../../kernel/contract/fields.ts';
import { defineResource } from '../../../kernel/contract/resource.ts';
import { OPEN_STATES, WORK_STATES } from '../../../domain/work-order/work-order-words.rules.ts';
import { PLAN_RESULTS, type PlanResult, type SIGN_INS } from '../../../domain/work-plan/work-plan.rules.ts';
import { workOrder } from '../work-order/work-order.contract.ts';

const seen = { readOnly: true } as const;
const base = workOrder.fields;
const { dispatch, accept, start, resume, pause, transfer, finish, urge, remark, close } = workOrder.actions!;
const giveBack = workOrder.actions!.return;

/** A round of a plan: somebody visits its points within a span of time. */
export const planOrder = defineResource({
  name: 'planOrder',
  menu: 'cs_PlaneWorkOrder',
  title: ['计划工单', 'Planned work orders'],
  noun: ['计划工单', 'Planned order'],
  purpose: [
    '按计划自动生成的巡检、保洁等工单：到点签到，过时未开始记缺勤',
    'Rounds made by plans: points are signed in at, what nobody begins in time counts as absent',
  ],
  titleField: 'code',
  sensitive: true,
  fields: {
    code: base.code,
    title: { ...base.title, readOnly: true, label: ['标题', 'Title'] },
    plan: ref('workPlan', ['计划', 'Plan'], { ...seen, search: 'in', width: 150 }),
    project: { ...base.project, readOnly: true },
    source: base.source,
    category: treeRef('workCategory', ['分类', 'Category'], { ...seen, search: 'in', width: 110 }),
    description: { ...base.description, readOnly: true, label: ['描述', 'Description'] },
    place: text(['房屋或区域', 'House or area'], { ...seen, width: 150 }),
    planStart: instant(['计划开始', 'Planned start'], {
      ...seen,
      sortable: true,
      search: 'range',
      width: 124,
    }),
    planEnd: instant(['计划结束', 'Planned end'], { ...seen, width: 124 }),
    progress: text(['点位完成', 'Points'], { ...seen, width: 90 }),
    planResult: choice(['结果', 'Result'], PLAN_RESULTS, { ...seen, search: 'in', width: 80 }),
    handler: base.handler,
    urgency: { ...base.urgency, readOnly: true },
    createdAt: base.createdAt,
    acceptedAt: base.acceptedAt,
    startedAt: base.startedAt,
    finishedAt: base.finishedAt,
    remark: base.remark,
    result: { ...base.result, label: ['处理结果', 'What was done'] },
    pauseReason: base.pauseReason,
    resumeAt: base.resumeAt,
    cancelReason: base.cancelReason,
    beforeImages: base.beforeImages,
    afterImages: base.afterImages,
    returned: base.returned,
    transfers: base.transfers,
  },
  states: WORK_STATES,
  list: {
    columns: [
      'code',
      'title',
      'state',
      'planStart',
      'planEnd',
      'progress',
      'planResult',
      'handler',
      'category',
      'project',
      'place',
      'description',
      'source',
      'createdAt',
      'acceptedAt',
      'startedAt',
      'finishedAt',
    ],
    hidden: ['source', 'createdAt', 'acceptedAt'],
    filters: ['planStart', 'plan', 'planResult', 'project', 'category', 'state', 'handler', 'createdAt'],
    sort: '-planStart',
    tabs: [
      { key: 'all', label: ['全部', 'All'] },
      ...(
        [
          'pending_system',
          'to_accept',
          'accepted',
          'processing',
          'paused',
          'finished',
          'cancelled_by_staff',
        ] as const
      ).map((state) => ({
        key: state as string,
        label: WORK_STATES[state].label,
        filter: { state: state as string },
      })),
      { key: 'absent', label: PLAN_RESULTS.absent.label, filter: { planResult: 'absent' } },
      { key: 'mine', label: ['我的', 'Mine'], named: true },
    ],
    // The twelve columns the group asks for.
    export: [
      'code',
      'title',
      'source',
      'category',
      'description',
      'createdAt',
      'acceptedAt',
      'startedAt',
      'finishedAt',
      'handler',
      'state',
      'place',
    ],
    empty: ['没有计划工单', 'No planned orders'],
  },
  detail: {
    mode: 'drawer',
    sections: [
      {
        title: ['工单', 'Order'],
        fields: [
          'title',
          'plan',
          'category',
          'project',
          'place',
          'handler',
          'planStart',
          'planEnd',
          'progress',
          'planResult',
          'source',
          'createdAt',
          'acceptedAt',
          'startedAt',
          'finishedAt',
          'description',
        ],
      },
      {
        title: ['处理', 'Work'],
        fields: [
          'pauseReason',
          'resumeAt',
          'result',
          'beforeImages',
          'afterImages',
          'cancelReason',
          'returned',
          'transfers',
          'remark',
        ],
      },
    ],
  },
  actions: {
    dispatch: { ...dispatch, element: 'btn_transfer' },
    accept,
    start,
    checkIn: {
      on: 'row',
      label: ['点位签到', 'Sign in at a point'],
      element: 'btn_checkIn',
      tone: 'primary',
      // Signing in at the first point begins the round.
      from: ['accepted', 'processing'],
      to: 'processing',
      input: {
        point: ref('workPoint', ['点位', 'Point'], { required: true }),
        code: text(['点位二维码', 'QR of the point'], {
          max: 40,
          help: ['扫码计划：扫描现场二维码', 'Plans by QR: scan the code on the spot'],
        }),
        position: text(['当前位置', 'Position'], {
          max: 40,
          help: ['定位计划：须在点位100米内', 'Plans by position: within 100 m of the point'],
        }),
        photos: images(['现场照片', 'Photos'], { max: 9 }),
      },
    },
    finish: {
      ...finish,
      input: { result: finish.input!.result!, photos: finish.input!.photos! },
    },
    resume,
    pause,
    transfer,
    return: giveBack,
    urge,
    remark,
    close,
    absent: {
      on: 'system',
      label: ['逾时未开始，记缺勤', 'Not begun in time: absent'],
      element: 'btn_close',
      from: ['pending_system', 'to_accept', 'accepted'],
      to: 'cancelled_by_staff',
    },
    resumeDue: {
      on: 'system',
      label: ['到时自动恢复', 'Resumed as planned'],
      from: ['paused'],
      to: 'processing',
      element: 'btn_resume',
    },
  },
  elements: { btn_forceClose: ['强制关闭', 'Force closing'] },
});

/** States in which there is still a round to make. */
export const OPEN_ROUNDS = OPEN_STATES;

/** A point of a round, in the order of the route. */
export interface RoundPoint {
  readonly id: string;
  readonly pointId: string;
  readonly name: string;
  readonly place: string;
  readonly signIn: keyof typeof SIGN_INS;
  readonly photoRequired: boolean;
  readonly checkedAt: string | null;
  readonly by: string | null;
  readonly distance: number | null;
  readonly photos: readonly { readonly id: string; readonly url: string; readonly name: string }[];
  readonly state: PlanResult | null;
}

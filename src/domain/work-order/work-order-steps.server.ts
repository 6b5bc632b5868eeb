import { replyFinishedWorkOrder } from '../advice/advice.server.ts';
import { chargeRepair, type FeeLine } from '../charging/repair-fee.server.ts';
import type { Label } from '../../kernel/contract/label.ts';
import { run, runOne } from '../../kernel/server/database.ts';
import { checkAttachable } from '../../kernel/server/files/files.ts';
import { invalid, ruleBroken } from '../../kernel/server/http/errors.ts';
import { holds, isSystem, staffIdOf, type Caller } from '../../kernel/server/people/caller.ts';
import type { DbRow } from '../../kernel/server/resource/binding.ts';
import type { ActionContext, ActionResult } from '../../kernel/server/resource/run-action.ts';
import { notify } from '../notification/notify.server.ts';
import { afterCalendarMinutes } from './calendar.server.ts';
import { candidate, candidatesOf, mayGrab, rulesOf } from './candidates.server.ts';
import { returnMaterials, useMaterials, type UsedMaterial } from './materials.server.ts';
import { insideShift } from './sla.rules.ts';
import {
  categoryPath,
  LEADERS,
  pauseClocks,
  resumeClocks,
  startRound,
  stopClocks,
} from './sla-clock.server.ts';
import { writeEvent } from './work-order-event.server.ts';
import { listOf } from './work-order-scope.server.ts';
import {
  CALLBACK_RESULTS,
  PAUSE_DAYS,
  PAUSE_REASONS,
  RATING_DAYS,
  URGE_MINUTES,
  type PauseReason,
} from './work-order-words.rules.ts';

const DAY = 86_400_000;
/** Menus whose element btn_dispatch makes a dispatcher. */
const DISPATCHERS = [
  'cs_workOrder:btn_dispatch',
  'cs_maintenance:btn_dispatch',
  'cs_PlaneWorkOrder:btn_transfer',
];

export const TAKEN: Label = ['工单已被他人接单', 'Someone else has taken this order'];
const NOT_HANDLER: Label = ['仅处理人可操作', 'Only its handler may do this'];
const NOT_IN_POOL: Label = ['您不在该工单的接单范围', 'You are not among those who may take this order'];
const IN_TRADE: Label = [
  '请在商业订单或预约订单中操作',
  'Goods and service orders are finished and closed under their own menu',
];

/** Whether somebody gives orders to others. */
export const isDispatcher = (caller: Caller): boolean =>
  isSystem(caller) || DISPATCHERS.some((code) => holds(caller, code));

/**
 * Columns the rules of rows read besides the fields.
 */
export const STEP_EXTRAS = {
  handlerId: 't.handler_id',
  trade: 't.sub_status IS NOT NULL',
  transfers: 't.transfer_count',
  urgedAt: 't.urged_at',
  finishedOn: 't.finished_at',
  ratedOn: 't.rated_at',
  callback: 't.callback_state',
  crm: 't.crm_sync',
} as const;
export const STEP_READS = Object.keys(STEP_EXTRAS);

const mine = (row: DbRow, caller: Caller): Label | undefined =>
  Number(row.handlerId ?? 0) === caller.staffId ? undefined : NOT_HANDLER;
const mineOrDispatched = (row: DbRow, caller: Caller): Label | undefined =>
  isDispatcher(caller) ? undefined : mine(row, caller);
const noTrade = (row: DbRow): Label | undefined => (row.trade === true ? IN_TRADE : undefined);

/** Why an action is refused for a row and caller; the same hides the button. */
export const stepRules = {
  accept: (row: DbRow, caller: Caller): Label | undefined => {
    if (row.state !== 'pending_system' && row.state !== 'to_accept') return TAKEN;
    if (row.state === 'to_accept') return mine(row, caller);
    return caller.tenantKind === 3 ? NOT_IN_POOL : undefined;
  },
  return: mine,
  transfer: mineOrDispatched,
  start: mine,
  pause: mineOrDispatched,
  resume: mineOrDispatched,
  finish: (row: DbRow, caller: Caller) => noTrade(row) ?? mine(row, caller),
  cancel: noTrade,
  close: (row: DbRow, caller: Caller): Label | undefined =>
    noTrade(row) ??
    ((row.state === 'processing' || row.state === 'paused') && !holds(caller, 'cs_workOrder:btn_forceClose')
      ? ['已开始处理的工单需强制关闭权限', 'Work has begun: the right to force it is needed']
      : undefined),
  reopen: noTrade,
  evaluate: (row: DbRow): Label | undefined =>
    noTrade(row) ??
    (row.ratedOn
      ? ['已评价', 'It was rated already']
      : Date.now() - new Date(row.finishedOn as string | Date).getTime() > RATING_DAYS * DAY
        ? [`完成已超过${RATING_DAYS}天`, `Finished more than ${RATING_DAYS} days ago`]
        : undefined),
  callback: (row: DbRow): Label | undefined =>
    noTrade(row) ?? (row.callback === 'done' ? ['已回访', 'The call was made'] : undefined),
  urge: (row: DbRow): Label | undefined =>
    row.urgedAt && Date.now() - new Date(row.urgedAt as string | Date).getTime() < URGE_MINUTES * 60_000
      ? [`${URGE_MINUTES}分钟内已催过`, `Urged within the last ${URGE_MINUTES} minutes`]
      : undefined,
  syncCrm: (row: DbRow): Label | undefined =>
    row.crm === 2 ? undefined : ['仅同步失败的工单可重发', 'Only what failed is sent again'],
};

/** The customer system is told of what an order came to. */
const TOLD_AGAIN = { crm_sync: 0 } as const;

const tradeOf = (context: ActionContext) => context.row.sub_status !== null;
const setting = (context: ActionContext, key: string) =>
  context.platform.settings.numberIn(context.tx, key, {
    projectId: context.row.project_id as number,
    tenantId: context.row.tenant_id as number,
  });
const say = (context: ActionContext, content: string, imageIds: readonly string[] = []) =>
  writeEvent(context.tx, context.id, context.action, content, context.caller, imageIds);

/** When an order given to somebody goes back; trade orders of merchants do not. */
async function acceptDue(context: ActionContext): Promise<Date | null> {
  if (tradeOf(context)) return null;
  const minutes = await setting(context, 'wo.accept.timeout');
  const policy = await runOne<{ calendar_id: number }>(
    context.tx,
    'SELECT p.calendar_id FROM sla_policy p JOIN work_order o ON o.sla_policy_id = p.id WHERE o.id = $1',
    [context.id],
  );
  return afterCalendarMinutes(context.tx, new Date(), minutes, policy?.calendar_id);
}

/** Gives the order to somebody who fits. Throws 422 and 30101 with what speaks against the person. */
async function giveTo(
  context: ActionContext,
  staffId: number,
): Promise<{ readonly name: string; readonly set: Record<string, unknown> }> {
  const person = await candidate(context.tx, context.id, staffId);
  if (!person) throw invalid({ handler: ['该人员不可派单', 'This person cannot be given the order'] });
  if (person.refusal) throw ruleBroken(person.refusal);
  const { code, title } = context.row as { code: string; title: string };
  await notify(context.tx, {
    staffIds: [staffId],
    kind: 'workOrder',
    title: [`新工单 ${code}`, `New work order ${code}`],
    body: [title, title],
    ...listOf(context.row, context.id),
  });
  return {
    name: person.name,
    set: {
      handler_id: staffId,
      dispatched_at: new Date(),
      accept_due: await acceptDue(context),
      to_dispatch: false,
      pause_reason: null,
      resume_at: null,
    },
  };
}

const backToDispatch = {
  handler_id: null,
  accept_due: null,
  accepted_at: null,
  to_dispatch: true,
  helper_ids: [],
};

/** btn_dispatch 派单. */
async function dispatch(context: ActionContext): Promise<ActionResult> {
  const { input, row } = context;
  if (Number(input.handler) === row.handler_id)
    throw ruleBroken(['工单已派给该人员', 'This person has the order already']);
  const given = await giveTo(context, Number(input.handler));
  const helpers = ((input.helpers as number[] | null) ?? []).filter((id) => id !== Number(input.handler));
  for (const helper of helpers) {
    const found = await candidate(context.tx, context.id, helper);
    if (!found) throw invalid({ helpers: ['协助人不可派单', 'A helper cannot be given the order'] });
  }
  const remark = [given.name, input.note as string].filter(Boolean).join(' · ');
  await say(context, remark);
  return { set: { ...given.set, helper_ids: helpers }, remark };
}

/** btn_accept 接单: by whom it was given to, or grabbed by one of the pool. The row lock lets one of many through. */
async function accept(context: ActionContext): Promise<ActionResult> {
  const { tx, id, caller, row } = context;
  if (row.status === 'pending_system') {
    const refused = await mayGrab(tx, id, caller.staffId);
    if (refused) throw ruleBroken(refused);
  }
  await stopClocks(tx, id, 'response');
  await say(context, '');
  return {
    set: {
      handler_id: caller.staffId,
      accepted_at: new Date(),
      dispatched_at: row.dispatched_at ?? new Date(),
      accept_due: null,
      to_dispatch: false,
    },
  };
}

/** btn_return 退单. */
async function giveBack(context: ActionContext): Promise<ActionResult> {
  const reason = String(context.input.reason);
  await say(context, reason);
  return {
    set: { ...backToDispatch, returned_count: Number(context.row.returned_count) + 1 },
    remark: reason,
  };
}

/** btn_transfer 转单: the handler a few times, dispatchers always; a paused order goes on. */
async function transfer(context: ActionContext): Promise<ActionResult> {
  const { tx, id, input, caller, row } = context;
  const byHandler = row.handler_id === caller.staffId && !isDispatcher(caller);
  if (byHandler) {
    const most = await setting(context, 'wo.transfer.max');
    if (Number(row.transfer_count) >= most)
      throw ruleBroken([`该工单最多转派${most}次`, `At most ${most} transfers of an order`]);
  }
  if (Number(input.to) === row.handler_id)
    throw ruleBroken(['不能转给当前处理人', 'This person has the order already']);
  const given = await giveTo(context, Number(input.to));
  if (row.status === 'paused') await resumeClocks(tx, id);
  const remark = `${given.name} · ${String(input.reason)}`;
  await say(context, remark);
  return {
    set: {
      ...given.set,
      accepted_at: null,
      ...(byHandler ? { transfer_count: Number(row.transfer_count) + 1 } : {}),
    },
    remark,
  };
}

/** btn_start 开始. Trade that was only placed is being worked on. */
async function start(context: ActionContext): Promise<ActionResult> {
  const photos = await pictures(context, 'photos');
  await say(context, '', photos);
  return {
    set: {
      started_at: context.row.started_at ?? new Date(),
      before_image_ids: photos,
      ...(context.row.sub_status === 'placed' ? { sub_status: 'processing' } : {}),
    },
  };
}

/** btn_pause 暂停: the clock stops where the policy lists the reason. */
async function pause(context: ActionContext): Promise<ActionResult> {
  const { tx, id, input } = context;
  const until = new Date(String(input.resumeAt));
  if (until.getTime() <= Date.now())
    throw invalid({ resumeAt: ['恢复时间须晚于现在', 'The order is resumed in the future'] });
  if (until.getTime() > Date.now() + PAUSE_DAYS * DAY)
    throw invalid({ resumeAt: [`最多暂停${PAUSE_DAYS}天`, `At most ${PAUSE_DAYS} days`] });
  const reason = input.reason as PauseReason;
  const stopped = await pauseClocks(tx, id, reason);
  const remark = [
    PAUSE_REASONS[reason].label.join(' / '),
    stopped ? '' : '时效继续计时 / the clock goes on',
    (input.note as string | null) ?? '',
  ]
    .filter(Boolean)
    .join(' · ');
  await say(context, remark);
  return { set: { pause_reason: reason, resume_at: until }, remark };
}

/** btn_resume 恢复, by hand or when the time has come. */
async function resume(context: ActionContext): Promise<ActionResult> {
  const minutes = await resumeClocks(context.tx, context.id);
  const remark = minutes > 0 ? `暂停${minutes}分钟 / ${minutes} min paused` : '';
  await say(context, remark);
  return { set: { pause_reason: null, resume_at: null }, remark };
}

/** btn_finish 完成: the category may ask for photos; materials leave the stock; fee lines make a bill; who is called back is a setting. */
async function finish(context: ActionContext): Promise<ActionResult> {
  const { tx, id, input, row, caller, platform } = context;
  const photos = await pictures(context, 'photos');
  const category = await runOne<{ after_photo: boolean; fee_allowed: boolean }>(
    tx,
    `WITH path AS (${categoryPath('$1::bigint')}) SELECT bool_or(c.after_photo) AS after_photo, bool_or(c.fee_allowed) AS fee_allowed FROM work_category c JOIN path ON path.id = c.id WHERE path.depth = 0`,
    [row.category_id],
  );
  if (category?.after_photo && photos.length === 0)
    throw invalid({ photos: ['该分类需上传完成照片', 'This category asks for photos of the finished work'] });
  const used = (input.materials as readonly UsedMaterial[] | null) ?? [];
  const round = Number(row.reopen_count) + 1;
  await useMaterials(
    tx,
    { id, projectId: row.project_id as number, round },
    used.map((one) => ({ material: Number(one.material), qty: Number(one.qty) })),
    staffIdOf(caller),
  );
  const fee = await chargeRepair(
    tx,
    {
      id,
      code: String(row.code),
      tenantId: Number(row.tenant_id),
      projectId: Number(row.project_id),
      houseId: category?.fee_allowed ? (row.house_id as number | null) : null,
      round,
    },
    ((input.fees as readonly FeeLine[] | null) ?? []).map((one) => ({
      name: one.name,
      amount: Number(one.amount),
    })),
    staffIdOf(caller),
  );
  if (fee === 'to_pay') platform.changed('bill');
  await stopClocks(tx, id);
  const queue = await platform.settings.textIn(tx, 'wo.callback', {
    projectId: row.project_id as number,
    tenantId: row.tenant_id as number,
  });
  const remark = String(input.result);
  await say(context, remark, photos);
  if ((await replyFinishedWorkOrder(tx, id, remark)) !== undefined) platform.changed('advice');
  return {
    set: {
      ...TOLD_AGAIN,
      result: remark,
      after_image_ids: photos,
      finished_at: new Date(),
      // An earlier round may have its bill.
      ...(fee === 'waived' && row.fee_state === 'none' ? { fee_state: fee } : {}),
      callback_state: queue === 'none' || (queue === 'unrated' && row.rated_at) ? 'none' : 'to_call',
    },
    remark,
  };
}

/** 业主取消, entered for the member. */
async function cancel(context: ActionContext): Promise<ActionResult> {
  await stopClocks(context.tx, context.id);
  const reason = String(context.input.reason);
  await say(context, `代录 / entered by staff · ${reason}`);
  return { set: closedSet(reason), remark: `代录 / entered by staff · ${reason}` };
}

/** btn_close 取消/强制关闭: with a reason or as the same as another order of the project. */
async function close(context: ActionContext): Promise<ActionResult> {
  const { tx, id, input, row } = context;
  const reason = (input.reason as string | null) ?? '';
  const of = (input.duplicateOf as number | null) ?? null;
  if (!reason && of === null)
    throw invalid({ reason: ['请填写原因或选择重复的工单', 'Give a reason or the order it repeats'] });
  let same: { code: string } | undefined;
  if (of !== null) {
    same = await runOne<{ code: string }>(
      tx,
      'SELECT code FROM work_order t WHERE id = $1 AND id <> $2 AND project_id = $3 AND complained_staff_id IS DISTINCT FROM $4',
      [of, id, row.project_id, context.caller.staffId],
    );
    if (!same)
      throw invalid({ duplicateOf: ['请选择同项目的其他工单', 'Choose another order of the same project'] });
  }
  await stopClocks(tx, id);
  const remark = [same ? `与${same.code}重复 / repeats ${same.code}` : '', reason]
    .filter(Boolean)
    .join(' · ');
  await say(context, remark);
  return { set: { ...closedSet(reason), duplicate_of: of }, remark };
}

const closedSet = (reason: string) => ({
  ...TOLD_AGAIN,
  cancel_reason: reason,
  cancelled_at: new Date(),
  accept_due: null,
  to_dispatch: false,
  pause_reason: null,
  resume_at: null,
  sla_due_at: null,
  sla_state: null,
});

/** btn_reopen 重开, within some days: a second round of the resolution, the first result stays. */
async function reopen(context: ActionContext, reason = String(context.input.reason)): Promise<ActionResult> {
  const { tx, id, row, caller } = context;
  const days = await setting(context, 'wo.reopen.days');
  if (Date.now() - (row.finished_at as Date).getTime() > days * DAY)
    throw ruleBroken([`完成超过${days}天，不能重开`, `Finished more than ${days} days ago`]);
  const person = await candidate(tx, id, row.handler_id as number);
  if (!person)
    throw ruleBroken(['原处理人已停用，请新建工单', 'Its handler works here no more: make a new order']);
  await returnMaterials(tx, id, staffIdOf(caller));
  await startRound(tx, id);
  await say(context, reason);
  return {
    to: 'processing',
    set: {
      ...TOLD_AGAIN,
      reopen_count: Number(row.reopen_count) + 1,
      first_result: row.first_result === '' ? row.result : row.first_result,
      result: '',
      finished_at: null,
    },
    remark: reason,
  };
}

/** btn_evaluate 评价, once; a low score is called back. */
async function evaluate(context: ActionContext): Promise<ActionResult> {
  const { tx, input, row, platform } = context;
  const overall = Number(input.overall);
  const queue = await platform.settings.textIn(tx, 'wo.callback', {
    projectId: row.project_id as number,
    tenantId: row.tenant_id as number,
  });
  const open = row.callback_state !== 'done';
  const comment = (input.comment as string | null) ?? '';
  const remark = `${overall}★ ${comment}`.trim();
  await say(context, `代录 / entered by staff · ${remark}`);
  return {
    set: {
      ...TOLD_AGAIN,
      score_overall: overall,
      score_arrival: input.arrival,
      score_worker: input.worker,
      comment,
      rated_at: new Date(),
      callback_state: !open
        ? 'done'
        : overall <= 2
          ? 'to_call'
          : queue === 'unrated'
            ? 'none'
            : row.callback_state,
    },
    remark,
  };
}

/** btn_callback 回访; who is not satisfied can have the order reopened at once. */
async function callback(context: ActionContext): Promise<ActionResult> {
  const { input } = context;
  const note = (input.note as string | null) ?? '';
  const set = {
    callback_state: 'done',
    callback_result: input.result,
    callback_note: note,
    callback_at: new Date(),
  };
  if (input.reopen === true && input.result !== 'unsatisfied')
    throw invalid({ reopen: ['仅不满意时可重开', 'Only who is not satisfied has it reopened'] });
  if (input.reopen === true) {
    const again = await reopen(context, note || '回访不满意 / Unsatisfied when called');
    return { ...again, set: { ...set, ...again.set } };
  }
  const words = CALLBACK_RESULTS[input.result as keyof typeof CALLBACK_RESULTS].label.join(' / ');
  const remark = [words, note].filter(Boolean).join(' · ');
  await say(context, remark);
  return { to: 'finished', set, remark };
}

/** btn_urge 催单: handler and leader are told. */
async function urge(context: ActionContext): Promise<ActionResult> {
  const { tx, id, row } = context;
  const told = (await runOne<{ staff: number[] }>(
    tx,
    `SELECT ${LEADERS} || CASE WHEN h.id IS NULL THEN '{}'::bigint[] ELSE ARRAY[h.id] END AS staff
       FROM work_order o LEFT JOIN staff h ON h.id = o.handler_id WHERE o.id = $1`,
    [id],
  ))!;
  await notify(tx, {
    staffIds: [...new Set(told.staff)],
    kind: 'workOrder',
    level: 'important',
    title: [`催单 ${String(row.code)}`, `Urged: ${String(row.code)}`],
    body: [String(row.title), String(row.title)],
    ...listOf(row, id),
  });
  await say(context, '');
  return { set: { urged_at: new Date() } };
}

/**
 * The dispatch rule of the order: grab tells the pool, assign takes the first fitting one of the pool, rotate the one with the fewest open
 * orders. Nobody fits, or no rule acts now: the dispatcher is asked.
 */
async function autoDispatch(context: ActionContext): Promise<ActionResult> {
  const { tx, id } = context;
  const rule = (await rulesOf(tx, id)).find((one) => insideShift(new Date(), one.shift_from, one.shift_to));
  const ask = { to: 'pending_system', set: { to_dispatch: true } };
  if (!rule || tradeOf(context)) return { ...ask, event: ['等待人工派单', 'Waits for the dispatcher'] };
  // Two orders at the same moment see each other's choice.
  await run(tx, 'SELECT FROM dispatch_rule WHERE id = $1 FOR UPDATE', [rule.id]);
  const fit = (await candidatesOf(tx, id, rule.pool)).filter((one) => !one.refusal && one.onShift);
  if (fit.length === 0)
    return { ...ask, event: ['无合适人员，等待人工派单', 'Nobody fits, waits for the dispatcher'] };
  if (rule.mode === 'grab') {
    await notify(tx, {
      staffIds: fit.map((one) => one.id),
      kind: 'workOrder',
      title: [`可抢单 ${String(context.row.code)}`, `To take: ${String(context.row.code)}`],
      body: [String(context.row.title), String(context.row.title)],
      ...listOf(context.row, id),
    });
    return {
      to: 'pending_system',
      event: ['已通知抢单', 'Offered to the pool'],
      remark: `${fit.length}人 / ${fit.length} people`,
    };
  }
  const chosen = rule.mode === 'assign' ? fit.reduce((a, b) => (a.id < b.id ? a : b)) : fit[0]!;
  const given = await giveTo(context, chosen.id);
  await say(context, given.name);
  return { to: 'to_accept', set: given.set, remark: given.name };
}

/** 01 nobody accepted in time. */
async function acceptTimeout(context: ActionContext): Promise<ActionResult> {
  await say(context, '');
  return { set: backToDispatch };
}

/** What each action does; columns, event and notice of one transition. For every screen over work orders. */
export const workOrderSteps = {
  dispatch,
  accept,
  return: giveBack,
  transfer,
  start,
  pause,
  resume,
  resumeDue: resume,
  finish,
  cancel,
  close,
  reopen: (context: ActionContext) => reopen(context),
  evaluate,
  callback,
  urge,
  autoDispatch,
  acceptTimeout,
  remark: async (context: ActionContext): Promise<ActionResult> => {
    const remark = (context.input.remark as string | null) ?? '';
    await say(context, remark);
    return { set: { remark }, remark };
  },
  syncCrm: async (context: ActionContext): Promise<ActionResult> => {
    await say(context, '');
    return { set: { crm_sync: 0 } };
  },
};

async function pictures(context: ActionContext, name: string): Promise<string[]> {
  const ids = (context.input[name] as string[] | null | undefined) ?? [];
  await checkAttachable(context.tx, context.caller, name, ids);
  return [...ids];
}

import { PAY_HOURS, progressOf, STAGES, type Stage } from '../../../domain/decoration/decoration.rules.ts';
import {
  bookDecorationDeposit,
  decorationDepositSql,
  depositLinesOf,
} from '../../../domain/decoration/deposit.server.ts';
import { residentScope } from '../../../domain/residents/residents.server.ts';
import { companyOf } from '../../../domain/work-order/create-work-order.server.ts';
import { fill, type Label } from '../../../kernel/contract/label.ts';
import { yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import { businessDayOf, isoInstant } from '../../../kernel/contract/time.rules.ts';
import { run, runOne, type Executor } from '../../../kernel/server/database.ts';
import { invalid, ruleBroken } from '../../../kernel/server/http/errors.ts';
import { staffIdOf, type Caller } from '../../../kernel/server/people/caller.ts';
import { Parameters, scopeCondition } from '../../../kernel/server/people/scope.ts';
import type { TodoKind } from '../../../kernel/server/registration.ts';
import { CALLER, NOW } from '../../../kernel/server/resource/abilities/sets.ts';
import { bindResource, type BoundResource } from '../../../kernel/server/resource/bind.ts';
import type { DbRow } from '../../../kernel/server/resource/binding.ts';
import { dueJob } from '../../../kernel/server/resource/due-job.ts';
import type { ActionContext, ActionResult } from '../../../kernel/server/resource/run-action.ts';
import { maskedName } from '../custody/custody-options.server.ts';
import { checkPictures } from '../picture-columns.server.ts';
import { decorationApplication, type DepositPart } from './decoration-application.contract.ts';
import { askReturn, depositReturnApproval, depositReturnSight } from './deposit-return.server.ts';
import { TODAY } from '../../../kernel/server/today.ts';

const MENU = decorationApplication.menu;
const SCOPE = residentScope('t.project_id', 't.created_by');
const OPEN: Label = ['该房屋已有进行中的监理申请', 'The house has an open application'];
const VIOLATIONS = `(SELECT count(*)::integer FROM decoration_check k WHERE k.application_id = t.id AND k.violation <> '' AND k.fixed_at IS NULL)`;

const bound: BoundResource = bindResource(decorationApplication, {
  table: 'decoration_application',
  from: `decoration_application t LEFT JOIN project p ON p.id = t.project_id LEFT JOIN house x ON x.id = t.house_id
    LEFT JOIN building_unit u ON u.id = x.unit_id LEFT JOIN building b ON b.id = u.building_id
    LEFT JOIN household hh ON hh.id = t.household_id LEFT JOIN member m ON m.id = hh.member_id`,
  joins: {
    house: { table: 'house', title: `b.name || ' ' || u.name || ' ' || x.number` },
    applicant: { table: 'household', column: 'household_id', title: maskedName('m.name') },
    supervisor: { table: 'staff', column: 'supervisor_id' },
    creator: { table: 'staff', column: 'created_by' },
  },
  columns: {
    project: { id: 't.project_id', title: 'p.name' },
    name: 'm.name',
    phone: 'm.phone',
    area: 't.area::text',
    depositHeld: decorationDepositSql('t.id'),
    violations: VIOLATIONS,
    overdue: `(t.state = 'supervising' AND t.ends_on < ${TODAY})`,
  },
  scope: SCOPE,
  search: 't.search',
  searchExact: ['m.name', 'm.phone'],
  unique: {
    decoration_application_open: OPEN,
    decoration_application_trade_no: ['该凭证号已登记', 'This voucher was recorded already'],
  },
  codePrefix: 'DC',
  tabs: { ended: () => `t.state IN ('done', 'rated', 'cancelled')` },
  extra: { cancelledBy: 't.cancelled_by' },
  ruleReads: ['stagesPassed', 'violations', 'depositHeld', 'refundState', 'cancelledBy'],
  rowRules: {
    finish: (row) => unfinished(Number(row.stagesPassed), Number(row.violations)),
    fix: (row) => (Number(row.violations) > 0 ? undefined : ['没有未整改的违规', 'No violation is open']),
    deduct: (row) => (Number(row.depositHeld) > 0 ? undefined : ['没有可扣的押金', 'No deposit is left']),
    depositReturn: (row) =>
      Number(row.depositHeld) > 0 ? undefined : ['没有可退的押金', 'No deposit is left'],
    refund: (row: DbRow, caller: Caller): Label | undefined =>
      row.refundState !== 'waiting'
        ? ['没有待退款项', 'Nothing is to be refunded']
        : row.cancelledBy === caller.staffId
          ? ['不能审核自己取消的退款', 'Somebody else confirms the refund']
          : undefined,
  },
  checks: { finish: refuseUnfinished },
  sets: {
    finish: { done_at: NOW },
    take: { supervisor_id: CALLER, taken_at: NOW },
    refund: { refund_state: 'refunded', refunded_at: NOW, refunded_by: CALLER },
  },
  handlers: {
    create,
    pay,
    assign,
    check,
    fix,
    extend,
    receive,
    deduct,
    depositReturn: askReturn,
    rate: ({ input }) =>
      Promise.resolve({
        set: { score: input.score, comment: input.comment ?? '' },
        remark: `代录 · ${String(input.score)}★ ${String(input.comment ?? '')}`.trim(),
      }),
    cancel: (context) => cancel(context, String(context.input.reason)),
    expire: (context) => cancel(context, `${PAY_HOURS}小时未支付`),
  },
  detail: async (db, id) => ({
    depositLines: await statementOf(db, id),
    violationList: await openOf(db, id),
  }),
  also: {
    approvals: [depositReturnApproval],
    sights: [depositReturnSight],
    todos: [
      todo(
        'decoration_take',
        ['监理申请待接单', 'Supervision to take'],
        44,
        'to_take',
        `t.state = 'to_take'`,
        'btn_take',
      ),
      todo(
        'decoration_refund',
        ['监理退款待审核', 'Supervision refunds to confirm'],
        45,
        'refund',
        `t.refund_state = 'waiting'`,
        'btn_refund',
      ),
    ],
    jobs: [
      dueJob(() => bound, {
        name: 'deco.unpaid',
        title: ['未支付的监理申请取消', 'Supervision applications nobody paid'],
        cron: '* * * * *',
        action: 'expire',
        when: `t.created_at <= now() - interval '${PAY_HOURS} hours'`,
      }),
    ],
  },
});

/** Applications for supervision. */
export const registration = bound.registration;

function unfinished(passed: number, violations: number): Label | undefined {
  if (passed < 6)
    return fill(['还有{n}个阶段未通过验收', '{n} {n|stage has|stages have} not passed'], { n: 6 - passed });
  return violations > 0
    ? fill(['还有{n}条违规未整改', '{n} {n|violation is|violations are} open'], { n: violations })
    : undefined;
}

/** The published offer of the project gives the price; a house has one open application. */
async function create({ tx, input, columns }: ActionContext): Promise<void> {
  const place = (await runOne<{ project_id: number; lives: boolean }>(
    tx,
    `SELECT x.project_id, EXISTS (SELECT FROM household hh WHERE hh.id = $2 AND hh.house_id = x.id AND hh.status = 'normal') AS lives
       FROM house x WHERE x.id = $1 FOR NO KEY UPDATE OF x`,
    [input.house, input.applicant],
  ))!;
  const wrong: Record<string, Label> = {};
  if (!place.lives) wrong.applicant = ['不是该房屋的住户', 'Not a resident of the house'];
  if (String(input.endsOn) < String(input.startsOn))
    wrong.endsOn = ['不能早于开工日期', 'Not before the first day'];
  else if (String(input.endsOn) < businessDayOf(new Date()))
    wrong.endsOn = ['日期已过', 'The day has passed'];
  const offer = await runOne<{ id: number; price: number }>(
    tx,
    `SELECT id, price FROM decoration_offer WHERE project_id = $1 AND state = 'published'`,
    [place.project_id],
  );
  if (!offer) wrong.house = ['该项目没有已发布的监理服务', 'The project has no published offer'];
  if (Object.keys(wrong).length > 0) throw invalid(wrong);
  const company = await runOne<{ tenant_id: number }>(tx, companyOf('$1::bigint'), [place.project_id]);
  if (!company) throw ruleBroken(['该项目没有物业公司', 'No company runs this project']);
  Object.assign(columns, {
    project_id: place.project_id,
    tenant_id: company.tenant_id,
    offer_id: offer!.id,
    price: offer!.price,
  });
}

/** Vouchers are named for what does not lie in the till. */
function voucher(input: ActionContext['input']): string {
  const no = String(input.tradeNo ?? '').trim();
  if (input.channel !== 'cash' && no === '') throw invalid({ tradeNo: ['请填写凭证号', 'Give the voucher'] });
  return no;
}

/** btn_pay 登记缴费: the whole price at the counter. */
async function pay({ input, row, caller }: ActionContext): Promise<ActionResult> {
  return {
    set: {
      channel: input.channel,
      trade_no: voucher(input),
      paid_at: new Date(),
      paid_by: staffIdOf(caller),
    },
    remark: yuanFromFen(Number(row.price)),
  };
}

/** btn_assign 指派: to somebody of the company who works in the project. */
async function assign({ tx, row, input }: ActionContext): Promise<ActionResult> {
  if (row.supervisor_id === Number(input.supervisor))
    throw ruleBroken(['已由该人员监理', 'This person supervises it already']);
  const person = await runOne<{ name: string }>(
    tx,
    `SELECT s.name FROM staff s WHERE s.id = $1 AND s.tenant_id = $2 AND s.state = 'normal' AND s.is_service_staff
        AND (s.all_projects OR EXISTS (SELECT FROM staff_project x WHERE x.staff_id = s.id AND x.project_id = $3))`,
    [input.supervisor, row.tenant_id, row.project_id],
  );
  if (!person)
    throw invalid({
      supervisor: ['须为负责该项目的在职服务人员', 'Only service staff who work in the project'],
    });
  return {
    set: { supervisor_id: Number(input.supervisor), taken_at: row.taken_at ?? new Date() },
    remark: person.name,
  };
}

/** btn_check 阶段验收: the last check of a stage says whether it passed. */
async function check(context: ActionContext): Promise<ActionResult> {
  const { tx, id, row, input, caller } = context;
  const pictures = input.photos as string[];
  await checkPictures(context, 'photos', pictures);
  const violation = String(input.violation ?? '').trim();
  if (violation !== '' && input.result === 'pass')
    throw invalid({ violation: ['通过时不能填写违规', 'What passes has no violation'] });
  if (violation !== '' && !input.fixBy) throw invalid({ fixBy: ['请填写整改期限', 'Say until when'] });
  if (violation === '' && input.fixBy) throw invalid({ violation: ['请填写违规内容', 'Say what is wrong'] });
  if (input.fixBy && String(input.fixBy) < businessDayOf(new Date()))
    throw invalid({ fixBy: ['日期已过', 'The day has passed'] });
  if (input.result === 'fail' && violation === '' && String(input.note ?? '').trim() === '')
    throw invalid({ note: ['请说明不通过的原因', 'Say why it fails'] });
  await run(
    tx,
    `INSERT INTO decoration_check (application_id, stage, result, note, image_ids, violation, fix_by, staff_id) VALUES ($1, $2, $3, $4, $5::uuid[], $6, $7, $8)`,
    [
      id,
      input.stage,
      input.result,
      input.note ?? '',
      pictures,
      violation,
      input.fixBy ?? null,
      caller.staffId,
    ],
  );
  const passed = await run<{ stage: Stage }>(
    tx,
    `SELECT stage FROM (SELECT DISTINCT ON (stage) stage, result FROM decoration_check WHERE application_id = $1 ORDER BY stage, id DESC) k WHERE result = 'pass'`,
    [id],
  );
  const progress = progressOf(new Set(passed.map((one) => one.stage)));
  return {
    to: String(row.state),
    set: { stage: progress.stage, stages_passed: progress.count },
    remark: [STAGES[input.stage as Stage].label[0], input.result === 'pass' ? '通过' : '不通过', violation]
      .filter(Boolean)
      .join(' · '),
  };
}

/** btn_fix 登记整改, once a violation. */
async function fix(context: ActionContext): Promise<ActionResult> {
  const { tx, id, input, caller, row } = context;
  const pictures = input.photos as string[];
  await checkPictures(context, 'photos', pictures);
  const fixed = await runOne<{ violation: string }>(
    tx,
    `UPDATE decoration_check SET fixed_at = now(), fixed_by = $3, fix_note = $4, fix_image_ids = $5::uuid[]
      WHERE id = $2 AND application_id = $1 AND violation <> '' AND fixed_at IS NULL RETURNING violation`,
    [id, input.check, caller.staffId, input.note, pictures],
  );
  if (!fixed) throw invalid({ check: ['请选择未整改的违规', 'Choose an open violation'] });
  return { to: String(row.state), remark: `${fixed.violation} → ${String(input.note)}` };
}

/** btn_extend 延期. */
async function extend({ row, input }: ActionContext): Promise<ActionResult> {
  const end = String(input.endsOn);
  if (end <= String(row.ends_on))
    throw invalid({ endsOn: ['须晚于现完工期限', 'Later than the end in force'] });
  return {
    to: String(row.state),
    set: { ends_on: end },
    remark: `${String(row.ends_on)} → ${end} · ${String(input.reason)}`,
  };
}

/** btn_finish 完工: every stage passed and nothing is left to fix, looked at behind the lock of the row. */
async function refuseUnfinished({ tx, id, row }: ActionContext): Promise<void> {
  const { open } = (await runOne<{ open: number }>(
    tx,
    `SELECT count(*)::integer AS open FROM decoration_check WHERE application_id = $1 AND violation <> '' AND fixed_at IS NULL`,
    [id],
  ))!;
  const refused = unfinished(Number(row.stages_passed), open);
  if (refused) throw ruleBroken(refused);
}

/** btn_deposit 收押金. */
async function receive({ tx, id, row, input, caller }: ActionContext): Promise<ActionResult> {
  const no = voucher(input);
  const left = await bookDecorationDeposit(tx, {
    applicationId: id,
    move: 'receive',
    amount: Number(input.amount),
    reference: `receive:${String(row.version)}`,
    staffId: caller.staffId,
    note: no,
  });
  return {
    to: String(row.state),
    remark: `+${yuanFromFen(Number(input.amount))} = ${yuanFromFen(left)}`,
  };
}

/** btn_deposit 扣押金: for a violation of the works, never while the return waits for approval. */
async function deduct({ tx, id, row, input, caller }: ActionContext): Promise<ActionResult> {
  const found = await runOne<{ violation: string }>(
    tx,
    `SELECT violation FROM decoration_check WHERE id = $1 AND application_id = $2 AND violation <> ''`,
    [input.check, id],
  );
  if (!found) throw invalid({ check: ['扣押金须对应一条违规', 'A deduction needs a violation'] });
  const waits = await runOne(
    tx,
    `SELECT FROM decoration_deposit_return WHERE application_id = $1 AND state = 'waiting'`,
    [id],
  );
  if (waits) throw ruleBroken(['押金退还正在审批', 'Its return waits for approval already']);
  const left = await bookDecorationDeposit(tx, {
    applicationId: id,
    move: 'deduct',
    amount: Number(input.amount),
    reference: `deduct:${String(row.version)}`,
    staffId: caller.staffId,
    note: `${found.violation} · ${String(input.reason)}`.slice(0, 200),
  });
  return {
    to: String(row.state),
    remark: `-${yuanFromFen(Number(input.amount))} = ${yuanFromFen(left)} · ${String(input.reason)}`,
  };
}

/** What was paid waits to be given back. */
async function cancel({ row, caller }: ActionContext, reason: string): Promise<ActionResult> {
  return {
    set: {
      cancel_reason: reason,
      cancelled_at: new Date(),
      cancelled_by: staffIdOf(caller),
      ...(row.paid_at ? { refund_state: 'waiting' } : {}),
    },
    remark: reason,
  };
}

async function statementOf(db: Executor, id: number): Promise<DepositPart[]> {
  return (await depositLinesOf(db, id)).map((line) => ({
    ...line,
    id: String(line.id),
    at: isoInstant(line.at),
    amount: yuanFromFen(line.amount),
    balance: yuanFromFen(line.balance),
  }));
}

/** Violations of an application, for the forms that name one. */
async function openOf(db: Executor, id: number) {
  const rows = await run<{ id: number; title: string; fixed: boolean }>(
    db,
    `SELECT id, violation AS title, fixed_at IS NOT NULL AS fixed FROM decoration_check WHERE application_id = $1 AND violation <> '' ORDER BY id`,
    [id],
  );
  return rows.map((row) => ({ ...row, id: String(row.id) }));
}

function todo(
  kind: string,
  label: Label,
  order: number,
  tab: string,
  condition: string,
  element: string,
): TodoKind {
  return {
    kind,
    label,
    menu: MENU,
    route: `/companymanager/${MENU}?tab=${tab}`,
    order,
    count: async ({ caller, platform }) => {
      if (!caller.elements.has(`${MENU}:${element}`)) return { count: 0, oldest: null, overdue: 0 };
      const parameters = new Parameters();
      return (await runOne<{ count: number; oldest: Date | null; overdue: number }>(
        platform.database.db,
        `SELECT count(*) AS count, min(t.created_at) AS oldest, 0 AS overdue FROM decoration_application t
          WHERE ${condition} AND ${scopeCondition(caller, MENU, SCOPE, parameters)}`,
        parameters.values,
      ))!;
    },
  };
}

import { textOf, type Label, type Language } from '../../../kernel/contract/label.ts';
import type { Field } from '../../../kernel/contract/fields.ts';
import type { FieldChange } from '../../../kernel/server/audit/audit.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { run, type Executor } from '../../../kernel/server/database.ts';
import type { Registration } from '../../../kernel/server/registration.ts';
import type { Resource } from '../../../kernel/contract/resource.ts';
import type { Wording } from './business-log.contract.ts';

/** What audit records speak of, in words. */
export interface AuditWords {
  readonly entities: ReadonlyMap<string, Entity>;
  entity(code: string): Label | undefined;
  action(entity: string, code: string): Label | undefined;
  /** Everything the rows of a list may need of one entity, in one language. */
  wording(entity: string, language: Language): Wording;
  /** Label of a recorded column of an entity. */
  column(entity: string, column: string): Label | undefined;
  /** Codes a typed word means: the code itself where it is one, else those whose word holds it. */
  codesOf(kind: 'entity' | 'action', typed: string): string[];
  /** Columns a typed word names: itself, and those labelled so. */
  columnsOf(typed: string): string[];
}

/** A kind of recorded row with the contracts that show it. */
export interface Entity {
  readonly label: Label;
  readonly resource: Resource;
  readonly columns: readonly string[];
  fieldOf(column: string): Field | undefined;
  read(change: FieldChange, caller: Caller): FieldChange | undefined;
}

/** Records of calls that belong to no list. */
const ENTITIES: Readonly<Record<string, Label>> = {
  session: ['会话', 'Session'],
  menu: ['菜单', 'Menu'],
  element: ['按钮资源', 'Element'],
  oauthClient: ['接入应用', 'Outside program'],
  savedView: ['保存的视图', 'Saved view'],
  task: ['任务', 'Task'],
  payment: ['支付', 'Payment'],
  place: ['位置', 'Place'],
  trade: ['交易', 'Trade'],
  leaveBalance: ['调休余额', 'Time-off balance'],
  setting: ['系统参数', 'Setting'],
  diagnosis: ['实例诊断', 'Diagnosis of an instance'],
  log_level_override: ['日志级别', 'Log level'],
  messageSender: ['发送通道', 'Sender'],
  whitelist: ['登录白名单', 'Whitelist'],
};

const ACTIONS: Readonly<Record<string, Label>> = {
  create: ['新增', 'Add'],
  update: ['编辑', 'Edit'],
  remove: ['删除', 'Delete'],
  enable: ['启用', 'Enable'],
  disable: ['停用', 'Disable'],
  move: ['移动', 'Move'],
  order: ['排序', 'Order'],
  import: ['导入', 'Import'],
  export: ['导出', 'Export'],
  reveal: ['查看明文', 'Reveal'],
  signIn: ['登录', 'Sign in'],
  signOut: ['退出登录', 'Sign out'],
  endSession: ['结束会话', 'End session'],
  changePassword: ['修改密码', 'Change password'],
  phoneChange: ['更换手机号', 'Change phone number'],
  resetPasswordByPhone: ['手机重置密码', 'Reset password by phone'],
  unlockFailed: ['解锁失败', 'Unlock failed'],
  updateOwn: ['修改本人资料', 'Change own data'],
  authorize: ['授权应用', 'Authorise a program'],
  grant: ['授权', 'Grant'],
  members: ['调整成员', 'Change members'],
  membersEnd: ['成员到期', 'Membership ended'],
  handover: ['交接', 'Hand over'],
  purge: ['清理', 'Purge'],
  cancel: ['取消', 'Cancel'],
  rerun: ['重新执行', 'Run again'],
  // What the product does by itself, and what calls beside the lists do.
  apply: ['申请', 'Apply'],
  apply_refund: ['申请退款', 'Apply for a refund'],
  force: ['强制退款', 'Force a refund'],
  auto_pass: ['自动通过', 'Passed by rule'],
  autoPass: ['自动通过', 'Passed by rule'],
  succeed: ['成功', 'Succeeded'],
  fail: ['失败', 'Failed'],
  approved: ['审批通过', 'Approved'],
  rejected: ['审批驳回', 'Rejected'],
  withdrawn: ['撤回', 'Withdrawn'],
  cancelled: ['取消', 'Cancelled'],
  form_team: ['成团', 'Team complete'],
  release: ['释放', 'Released'],
  remind: ['提醒', 'Remind'],
  rescan: ['重新扫描', 'Scan again'],
  replay: ['重放', 'Replay'],
  save: ['保存', 'Save'],
  message: ['发送消息', 'Send a message'],
  setSenderSecret: ['设置通道密钥', 'Set a secret of a sender'],
  level: ['设置日志级别', 'Set a log level'],
  level_end: ['恢复日志级别', 'Log level set back'],
  profile: ['采集CPU分析', 'Take a CPU profile'],
  heapSnapshot: ['采集堆快照', 'Take a heap snapshot'],
};

/** Columns every table has, and facts records add. */
const COLUMNS: Readonly<Record<string, Label>> = {
  state: ['状态', 'Status'],
  enabled: ['启用', 'Enabled'],
  version: ['版本', 'Version'],
  position: ['顺序', 'Position'],
  tenant_id: ['租户', 'Tenant'],
  created_by: ['创建人', 'Created by'],
  updated_by: ['更新人', 'Updated by'],
  staff_id: ['员工', 'Staff'],
  parent_id: ['上级', 'Above'],
  name: ['名称', 'Name'],
  code: ['编码', 'Code'],
  remark: ['备注', 'Remark'],
  reason: ['原因', 'Reason'],
  kind: ['类型', 'Kind'],
  order: ['订单', 'Order'],
  client: ['登录端', 'Client'],
  channel: ['渠道', 'Channel'],
  tradeNo: ['渠道单号', 'Trade no.'],
  channelAnswer: ['渠道应答', 'Answer of the channel'],
  channel_code: ['渠道代码', 'Code of the channel'],
  channel_message: ['渠道说明', 'Message of the channel'],
  offline_by: ['线下登记人', 'Recorded offline by'],
  offline_payee: ['线下收款人', 'Paid offline to'],
  offline_voucher: ['线下凭证', 'Offline voucher'],
  coins: ['金币', 'Coins'],
  coins_value: ['金币抵扣', 'Value of the coins'],
  points_value: ['积分抵扣', 'Value of the points'],
  overdue_told: ['已提醒超时', 'Told as overdue'],
  service: ['服务', 'Service'],
  host: ['主机', 'Host'],
  seconds: ['秒数', 'Seconds'],
};

const known = new WeakMap<readonly Registration[], AuditWords>();

/** The words of a release: made once, from what its contracts say. */
export function auditWords(registrations: readonly Registration[]): AuditWords {
  let words = known.get(registrations);
  if (!words) known.set(registrations, (words = makeWords(registrations)));
  return words;
}

function makeWords(registrations: readonly Registration[]): AuditWords {
  const entities = new Map<string, Entity>();
  const actions = new Map<string, Map<string, Label>>();
  // A detail asks for its records under the name of its resource, whatever they are told under.
  const entityOf = new Map<string, string>();
  for (const { contract, audited } of registrations) {
    if (!audited || contract?.archetype !== 'resource') continue;
    entityOf.set(contract.name, audited.entity);
    if (!entities.has(audited.entity))
      entities.set(audited.entity, {
        label: contract.noun ?? contract.title,
        resource: contract,
        columns: audited.columns,
        fieldOf: audited.fieldOf,
        read: audited.read,
      });
    for (const [name, spec] of Object.entries(contract.actions ?? {})) {
      const key = `${audited.entity} ${name}`;
      if (!actions.has(name)) actions.set(name, new Map());
      if (!actions.get(name)!.has(key)) actions.get(name)!.set(key, spec.label);
    }
  }
  const entity = (code: string) => entities.get(code)?.label ?? ENTITIES[code];
  const action = (of: string, code: string) => actions.get(code)?.get(`${of} ${code}`) ?? ACTIONS[code];
  const column = (of: string, name: string) => entities.get(of)?.fieldOf(name)?.label ?? COLUMNS[name];
  return {
    entities,
    entity,
    action,
    column,
    wording: (of, language) => {
      const inWords = (labels: Iterable<readonly [string, Label | undefined]>) =>
        Object.fromEntries(
          [...labels].flatMap(([code, label]) => (label ? [[code, textOf(label, language)]] : [])),
        );
      const own = [...actions.keys()].filter((code) => actions.get(code)!.has(`${of} ${code}`));
      const label = entity(of);
      return {
        entity: label ? textOf(label, language) : of,
        actions: inWords([...Object.keys(ACTIONS), ...own].map((code) => [code, action(of, code)] as const)),
        columns: inWords(
          [...Object.keys(COLUMNS), ...(entities.get(of)?.columns ?? [])].map(
            (name) => [name, column(of, name)] as const,
          ),
        ),
      };
    },
    codesOf: (kind, typed) => {
      const codes =
        kind === 'entity'
          ? [...entities.keys(), ...Object.keys(ENTITIES)]
          : [...actions.keys(), ...Object.keys(ACTIONS)];
      if (codes.includes(typed)) return [typed];
      const of = kind === 'entity' ? entityOf.get(typed) : undefined;
      if (of) return [of];
      const word = typed.toLowerCase();
      const holds = (label: Label | undefined) =>
        label !== undefined && label.some((one) => one.toLowerCase().includes(word));
      const found = codes.filter((code) =>
        kind === 'entity'
          ? holds(entity(code))
          : holds(ACTIONS[code]) || [...(actions.get(code)?.values() ?? [])].some(holds),
      );
      return [typed, ...new Set(found)];
    },
    columnsOf: (typed) => {
      const columns = new Set([typed]);
      for (const [name, label] of Object.entries(COLUMNS)) if (label.includes(typed)) columns.add(name);
      for (const entity of entities.values())
        for (const name of entity.columns) if (entity.fieldOf(name)?.label.includes(typed)) columns.add(name);
      return [...columns];
    },
  };
}

/** Titles of all menus by code. */
export async function menuTitles(db: Executor, language: Language): Promise<Record<string, string>> {
  const rows = await run<{ code: string; title_zh: string; title_en: string }>(
    db,
    'SELECT code, title_zh, title_en FROM menu',
  );
  return Object.fromEntries(
    rows.map((row) => [row.code, textOf([row.title_zh, row.title_en], language)] as const),
  );
}

import type { StateSpec } from '../../kernel/contract/resource.ts';

/** States of every work order with the codes the paths send. Source: entities.md, work_order.status. */
export const WORK_STATES = {
  pending_system: { label: ['待系统受理', 'To dispatch'], tone: 'warning', code: '00' },
  to_accept: { label: ['待接受', 'To accept'], tone: 'warning', code: '01' },
  accepted: { label: ['已接受', 'Accepted'], tone: 'processing', code: '02' },
  processing: { label: ['处理中', 'In progress'], tone: 'processing', code: '03' },
  paused: { label: ['暂停中', 'Paused'], tone: 'paused', code: '04' },
  finished: { label: ['已完成', 'Finished'], tone: 'success', code: '05' },
  cancelled_by_member: { label: ['已取消（业主）', 'Cancelled (owner)'], tone: 'default', code: '06' },
  cancelled_by_staff: { label: ['已取消（员工）', 'Cancelled (staff)'], tone: 'default', code: '07' },
} as const satisfies Readonly<Record<string, StateSpec>>;
export type WorkState = keyof typeof WORK_STATES;

/** States in which there is still work to do. */
export const OPEN_STATES = ['pending_system', 'to_accept', 'accepted', 'processing', 'paused'] as const;

/** Types by their code; plan orders have a screen of their own. */
export const WORK_TYPES = {
  complaint_repair: { label: ['投诉报修', 'Repairs and complaints'], code: 1 },
  goods: { label: ['商业', 'Goods'], code: 3 },
  service: { label: ['预约', 'Service'], code: 4 },
} as const;

export const WORK_CLASSES = {
  repair: { label: ['报修', 'Repair'] },
  complaint: { label: ['投诉', 'Complaint'] },
} as const;

export const URGENCIES = {
  normal: { label: ['普通', 'Normal'], tone: 'default' },
  urgent: { label: ['紧急', 'Urgent'], tone: 'warning' },
  emergency: { label: ['特急', 'Emergency'], tone: 'error' },
} as const;

export const PAUSE_REASONS = {
  parts: { label: ['等待配件', 'Waiting for parts'] },
  owner: { label: ['等待业主', 'Waiting for the owner'] },
  weather: { label: ['天气', 'Weather'] },
  third_party: { label: ['第三方', 'Third party'] },
} as const;
export type PauseReason = keyof typeof PAUSE_REASONS;

export const SLA_STATES = {
  running: { label: ['计时中', 'Running'], tone: 'processing' },
  paused: { label: ['已暂停', 'Paused'], tone: 'paused' },
  met: { label: ['达标', 'Met'], tone: 'success' },
  failed: { label: ['超时', 'Overdue'], tone: 'error' },
} as const;

export const CALLBACK_STATES = {
  none: { label: ['无需回访', 'None'], tone: 'default' },
  to_call: { label: ['待回访', 'To call'], tone: 'warning' },
  done: { label: ['已回访', 'Called'], tone: 'success' },
} as const;

export const CALLBACK_RESULTS = {
  satisfied: { label: ['满意', 'Satisfied'], tone: 'success' },
  unsatisfied: { label: ['不满意', 'Unsatisfied'], tone: 'error' },
  unreachable: { label: ['未接通', 'Not reached'], tone: 'default' },
} as const;

export const CRM_SYNC = {
  '0': { label: ['未同步', 'Not sent'], tone: 'default', code: 0 },
  '1': { label: ['已同步', 'Sent'], tone: 'success', code: 1 },
  '2': { label: ['同步失败', 'Failed'], tone: 'error', code: 2 },
} as const;

/** Days a member may rate a finished order. Source: group 06, cs_workOrder transitions. */
export const RATING_DAYS = 15;
/** Most days a pause may last. */
export const PAUSE_DAYS = 30;
/** Minutes between two urges of an order. */
export const URGE_MINUTES = 30;

/** Where the fee of an order stands; it follows its bill. */
export const FEE_STATES = {
  none: { label: ['无收费', 'No fee'] },
  to_pay: { label: ['待缴', 'To be paid'], tone: 'warning' },
  paid: { label: ['已缴', 'Paid'], tone: 'success' },
  waived: { label: ['免收', 'Let off'] },
} as const;

import type { Choice } from '../../kernel/contract/fields.ts';
import type { StateSpec } from '../../kernel/contract/resource.ts';

/** States of a visit with their codes. Source: group 06, cs_visitRegistration. */
export const VISITOR_STATES = {
  to_review: { label: ['待审核', 'To review'], tone: 'warning', code: 0 },
  valid: { label: ['待到访', 'Expected'], tone: 'processing', code: 1 },
  arrived: { label: ['已到访', 'Arrived'], tone: 'success', code: 2 },
  left: { label: ['已离开', 'Left'], tone: 'default', code: 3 },
  refused: { label: ['已拒绝', 'Refused'], tone: 'error', code: 4 },
  cancelled: { label: ['已取消', 'Cancelled'], tone: 'default', code: 5 },
  expired: { label: ['已过期', 'Expired'], tone: 'default', code: 6 },
} as const satisfies Readonly<Record<string, StateSpec>>;

export type VisitorState = keyof typeof VISITOR_STATES;

/** Whether visitors come by car. */
export const DRIVES = {
  no: { label: ['未开车', 'On foot'], code: 0 },
  yes: { label: ['开车', 'By car'], code: 1 },
} as const satisfies Readonly<Record<string, Choice>>;

/** What was decided about the car, apart from the person. */
export const CAR_STATES = {
  none: { label: ['无车', 'No car'] },
  waiting: { label: ['待审核', 'To review'], tone: 'warning' },
  passed: { label: ['准入', 'Let in'], tone: 'success' },
  refused: { label: ['不准入', 'Not let in'], tone: 'error' },
} as const satisfies Readonly<Record<string, Choice>>;

/** How somebody passed. */
export const PASS_METHODS = {
  qr: { label: ['二维码', 'QR code'] },
  card: { label: ['门禁卡', 'Card'] },
  face: { label: ['人脸', 'Face'] },
  remote: { label: ['远程开门', 'Remote'] },
  plate: { label: ['车牌识别', 'Plate'] },
} as const satisfies Readonly<Record<string, Choice>>;

export const PASS_DIRECTIONS = {
  in: { label: ['进', 'In'] },
  out: { label: ['出', 'Out'] },
} as const satisfies Readonly<Record<string, Choice>>;

export const PASS_RESULTS = {
  succeeded: { label: ['成功', 'Succeeded'], tone: 'success' },
  failed: { label: ['失败', 'Failed'], tone: 'error' },
} as const satisfies Readonly<Record<string, Choice>>;

const PROVINCE = '京津沪渝冀豫云辽黑湘皖鲁新苏浙赣鄂桂甘晋蒙陕吉闽贵粤青藏川宁琼';
const LETTER = 'A-HJ-NP-Za-hj-np-z';

/**
 * A Chinese plate: seven characters of a car with a motor (also of schools, police, Hong Kong and Macao, consulates, trailers),
 * eight of a car with new energy (small: D or F in the third place; big: in the last), or that of an embassy. I and O do not occur.
 */
export const PLATE_PATTERN = [
  `[${PROVINCE}][${LETTER}][${LETTER}0-9]{4}[${LETTER}0-9挂学警港澳领]`,
  `[${PROVINCE}][${LETTER}]([DFdf][${LETTER}0-9][0-9]{4}|[0-9]{5}[DFdf])`,
  '使[0-9]{6}',
].join('|');

/** True for a plate as it hangs on a car, in either case of letters. */
export function isPlate(text: string): boolean {
  return new RegExp(`^(?:${PLATE_PATTERN})$`, 'u').test(text);
}

/** What a passage needs to know of a visit. */
export interface PassedVisit {
  readonly state: VisitorState;
  readonly from: Date;
  readonly to: Date;
  readonly arrivedAt: Date | null;
  readonly leftAt: Date | null;
}

/**
 * What a passage that succeeded makes of a visit; undefined: nothing. Events may come late and in any order, so their own time
 * counts: an arrival inside the window also of a visit that expired meanwhile, a way out whenever it was, a way back in after it.
 */
export function afterPassage(
  visit: PassedVisit,
  direction: keyof typeof PASS_DIRECTIONS,
  at: Date,
):
  | { readonly state: 'arrived' | 'left'; readonly arrivedAt: Date | null; readonly leftAt: Date | null }
  | undefined {
  const { state, arrivedAt, leftAt } = visit;
  if (state === 'to_review' || state === 'refused' || state === 'cancelled') return undefined;
  if (direction === 'in') {
    if (at < visit.from || at > visit.to) return undefined;
    if (state === 'arrived')
      return arrivedAt && arrivedAt <= at ? undefined : { state, arrivedAt: at, leftAt };
    if (state === 'left' && leftAt && at < leftAt)
      return arrivedAt && arrivedAt <= at ? undefined : { state, arrivedAt: at, leftAt };
    return { state: 'arrived', arrivedAt: arrivedAt ?? at, leftAt: null };
  }
  if (at < visit.from || (arrivedAt && at < arrivedAt) || (leftAt && at <= leftAt)) return undefined;
  return { state: 'left', arrivedAt, leftAt: at };
}

import type { Label } from '../../../kernel/contract/label.ts';

/** Largest preference in characters of its JSON. */
export const PREFERENCE_MAX_LENGTH = 32_768;

/** True for a key the product keeps for a staff. Source: 00-frame, staff_preference. */
export function isPreferenceKey(key: string): boolean {
  return KEYS.test(key) && key.length <= 80;
}

/** What is wrong with a preference, or undefined. */
export function preferenceProblem(key: string, value: unknown): Label | undefined {
  if (!isPreferenceKey(key)) return ['没有此项偏好设置', 'There is no such preference'];
  if (value === undefined) return ['此项必填', 'This field is required'];
  if (JSON.stringify(value).length > PREFERENCE_MAX_LENGTH) return ['内容过大', 'The value is too large'];
  return undefined;
}

const FIXED = [
  'language',
  'theme',
  'appearance',
  'density',
  'sidebar.favourites',
  'home.layout',
  'home.shortcuts',
  'lock.idle_minutes',
  'shortcuts.single_key',
];
// Tables by menu code and blocks of the frame by their own short names.
const FAMILIES = ['table', 'sidebar', 'home', 'frame', 'list', 'form', 'report', 'overDay'];
const KEYS = new RegExp(
  `^(?:${FIXED.map((key) => key.replaceAll('.', '\\.')).join('|')}|(?:${FAMILIES.join('|')})\\.[A-Za-z0-9_.:-]{1,64})$`,
);

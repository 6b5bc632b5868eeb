import type { Label } from '../../kernel/contract/label.ts';

export const GROUP_STATES = {
  draft: { label: ['草稿', 'Draft'], tone: 'default', code: 1 },
  published: { label: ['已发布', 'Published'], tone: 'success', code: 2 },
  withdrawn: { label: ['已撤回', 'Withdrawn'], tone: 'paused', code: 3 },
} as const;

export const GROUP_ROLES = {
  leader: { label: ['组长', 'Leader'], tone: 'processing', code: 1 },
  vice: { label: ['副组长', 'Deputy'], tone: 'warning', code: 2 },
  member: { label: ['组员', 'Member'], code: 3 },
} as const;

export const MEMBERSHIP_STATES = {
  applying: { label: ['待审核', 'Applying'], tone: 'warning' },
  in: { label: ['在组', 'In'], tone: 'success' },
  out: { label: ['已退出', 'Left'], tone: 'default' },
  removed: { label: ['已移出', 'Removed'], tone: 'error' },
} as const;

/** Most deputies of a group; the database keeps it too. */
export const MOST_DEPUTIES = 3;

export const GROUP_FULL: Label = ['小组人数已满', 'The group is full'];
export const NO_LEADER: Label = ['请先设置组长', 'Set a leader first'];
export const OUT_OF_REACH: Label = ['包含您无权管理的项目', 'Includes projects outside your scope'];

/** Grade 1 to 5 of a group by what it earned in its life and the points each grade begins at. */
export function gradeOf(points: number, thresholds: readonly number[]): number {
  const reached = thresholds.filter((from) => points >= from).length;
  return Math.min(Math.max(reached, 1), 5);
}

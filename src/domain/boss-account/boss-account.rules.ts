import type { Label } from '../../kernel/contract/label.ts';

/** Roles in the merchants' app. */
export const BOSS_ROLES = {
  owner: { label: ['老板', 'Owner'] },
  manager: { label: ['店长', 'Manager'] },
  finance: { label: ['财务', 'Finance'] },
  clerk: { label: ['店员', 'Clerk'] },
} as const;
export type BossRole = keyof typeof BOSS_ROLES;

/** What a role may be allowed there. */
export const BOSS_PERMISSIONS = {
  take: { label: ['接单', 'Take orders'] },
  ship: { label: ['发货', 'Ship'] },
  verify: { label: ['核销', 'Verify'] },
  after_sale: { label: ['售后', 'After-sales'] },
  goods: { label: ['商品', 'Goods'] },
  money: { label: ['看账', 'See money'] },
  withdraw: { label: ['提现', 'Withdraw'] },
} as const;
export type BossPermission = keyof typeof BOSS_PERMISSIONS;

/** Permissions as they are kept: an owner has all; what a role may not hold is refused with the reason. */
export function permissionsOf(
  role: BossRole,
  asked: readonly BossPermission[],
): { readonly kept: readonly BossPermission[] } | { readonly problem: Label } {
  if (role === 'owner') return { kept: Object.keys(BOSS_PERMISSIONS) as BossPermission[] };
  if (role !== 'finance' && asked.includes('withdraw'))
    return { problem: ['仅老板与财务可提现', 'Only owner and finance may withdraw'] };
  return { kept: [...new Set(asked)] };
}

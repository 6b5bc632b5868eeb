/** Verification of a merchant's payout account in words; `none` where it has no account. */
export const PAYEE_STATES = {
  none: { label: ['未登记', 'None'] },
  unverified: { label: ['未验证', 'Not verified'], tone: 'warning' },
  verifying: { label: ['待回填', 'Amount awaited'], tone: 'processing' },
  verified: { label: ['已验证', 'Verified'], tone: 'success' },
  failed: { label: ['验证失败', 'Failed'], tone: 'error' },
} as const;
export type PayeeState = keyof typeof PAYEE_STATES;

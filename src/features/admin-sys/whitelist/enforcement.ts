/** Whether address rows bind every account, the caller's own address and how many common rows there are. */
export interface Enforcement {
  readonly enforced: boolean;
  readonly address: string;
  readonly rows: number;
}

/** Query key of the enforcement; fresh together with the whitelist's rows. */
export const ENFORCEMENT_KEY = ['resource', 'whitelist', 'enforcement'] as const;

import type { PostageBand } from '../../../domain/trade-money/quote.rules.ts';

/** What the parts of the demonstration set know of each other while it is being made. Amounts in fen. */
export interface World {
  readonly seed: number;
  readonly now: Date;
  readonly tenants: Map<string, number>;
  readonly platformId: number;
  readonly projects: SeedProject[];
  readonly merchants: SeedMerchant[];
  readonly members: SeedMember[];
  readonly staff: Map<string, SeedStaff>;
  readonly products: SeedProduct[];
  readonly coupons: SeedCoupon[];
  readonly memberCoupons: SeedMemberCoupon[];
}

export interface SeedProject {
  readonly id: number;
  readonly code: string;
  readonly name: string;
  readonly address: string;
}

export interface SeedMerchant {
  readonly id: number;
  /** From 1, as in the data file. */
  readonly no: number;
  readonly name: string;
  readonly projectIds: readonly number[];
  readonly postage: readonly PostageBand[];
  readonly afterSaleDays: number;
}

export interface SeedMember {
  readonly id: number;
  readonly name: string;
  readonly phone: string;
  readonly project: SeedProject;
  readonly address: string;
  readonly registeredAt: Date;
  /** False for the member of the worked example, whose points and coupons stay untouched. */
  readonly shops: boolean;
}

export interface SeedStaff {
  readonly id: number;
  readonly account: string;
  readonly name: string;
  readonly tenantId: number;
}

export type BusinessCode = 'goods' | 'group_buy' | 'find_goods' | 'rush';

export interface SeedProduct {
  readonly id: number;
  readonly name: string;
  readonly merchant: SeedMerchant;
  readonly business: BusinessCode;
  readonly classIds: readonly string[];
  readonly projectIds: ReadonlySet<number>;
  readonly imageId: string | null;
  readonly supplier: string;
  readonly salesWay: string;
  readonly createdAt: Date;
  readonly orderable: boolean;
  readonly specs: SeedSpec[];
}

export interface SeedSpec {
  readonly id: number;
  readonly name: string;
  readonly price: number;
  readonly marketPrice: number;
  /** Sold until it is gone: shows sold-out and low-stock goods. */
  readonly restocked: boolean;
  stock: number;
  reserved: number;
  sold: number;
}

export interface SeedCoupon {
  readonly id: number;
  readonly name: string;
  readonly issuer: 'platform' | 'merchant';
  readonly merchant: SeedMerchant | null;
  readonly type: 'cash' | 'discount';
  readonly threshold: number;
  readonly face: number;
  readonly rate: number;
  readonly maxDiscount: number;
  readonly bearer: number;
  readonly rule: 'share' | 'recheck';
  readonly startsAt: Date;
  readonly endsAt: Date;
  readonly perLimit: number;
  readonly weight: number;
  readonly total: number;
  readonly code: string;
  readonly status: 'draft' | 'published' | 'in_use' | 'off_shelf' | 'expired';
}

export interface SeedMemberCoupon {
  readonly id: number;
  readonly code: string;
  readonly coupon: SeedCoupon;
  readonly memberId: number;
  readonly claimSeq: number;
  readonly claimedAt: Date;
  readonly returnedFrom: Keyed | null;
  status: 'claimed' | 'used' | 'refunded' | 'expired';
  lockedPayment: Keyed | null;
  usedPayment: Keyed | null;
  usedAt: Date | null;
}

/** Something whose key is taken from the database when everything is known. */
export interface Keyed {
  readonly id: number;
}

/** Milliseconds of a minute, an hour and a day. */
export const MINUTE = 60_000;
export const HOUR = 3_600_000;
export const DAY = 86_400_000;

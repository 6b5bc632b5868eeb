/** Outside consoles: the setting of their address and the menu that shows them. */
export const OUTSIDE = {
  eureka: { key: 'monitor.eureka_url', menu: 'serviceEurekaManager' },
  admin: { key: 'monitor.admin_url', menu: 'serviceMonitorManager' },
  zipkin: { key: 'monitor.zipkin_url', menu: 'serviceZipkinManager' },
} as const;

/** One of the outside consoles. */
export type OutsideKind = keyof typeof OUTSIDE;

/** An outside console as its tab shows it. */
export interface OutsideState {
  readonly url: string;
  /** Why it did not answer; empty: it did; null: nobody asked yet. */
  readonly reason: string | null;
  readonly checkedAt: string | null;
}

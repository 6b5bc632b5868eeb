/** Statuses of an instance. */
export const INSTANCE_STATUSES = ['STARTING', 'UP', 'DOWN', 'OUT_OF_SERVICE'] as const;

/** Status of an instance. */
export type InstanceStatus = (typeof INSTANCE_STATUSES)[number];

/** Kinds of lines of the journal. */
export type InstanceEventType =
  | 'REGISTERED'
  | 'REGISTRATION_UPDATED'
  | 'STATUS_CHANGED'
  | 'EVICTED'
  | 'DEREGISTERED'
  | 'PROTECTION_ON'
  | 'PROTECTION_OFF';

/** Why an instance is DOWN whose lease ended. */
export const LAPSED = '心跳超时';

/** A check an instance makes of itself. */
export interface InstanceCheck {
  readonly name: string;
  readonly ok: boolean;
  readonly note?: string;
}

/** What an instance of this product says of itself after its checks. */
export function reportedAfter(checks: readonly InstanceCheck[], started: boolean): InstanceStatus {
  if (checks.every((check) => check.ok)) return 'UP';
  // Before it was ever up it is still on its way.
  return started ? 'DOWN' : 'STARTING';
}

/** The reason shown beside DOWN: the failing checks by name. */
export function failing(checks: readonly InstanceCheck[]): string {
  return checks
    .filter((check) => !check.ok)
    .map((check) => (check.note ? `${check.name}: ${check.note}` : check.name))
    .join(', ')
    .slice(0, 200);
}

/** The status that counts: what somebody decided wins over what the instance says, a lapsed lease over both. */
export function statusOf(facts: {
  readonly reported: InstanceStatus;
  /** Taken out by hand, or its machine is in maintenance. */
  readonly takenOut: boolean;
  readonly lapsed: boolean;
}): InstanceStatus {
  if (facts.lapsed) return 'DOWN';
  if (facts.takenOut && facts.reported !== 'STARTING') return 'OUT_OF_SERVICE';
  return facts.reported;
}

/** Whether the lease of an instance ended: no heartbeat for longer than it. */
export function isLapsed(silentSeconds: number, leaseSeconds: number): boolean {
  return silentSeconds > leaseSeconds;
}

/** An instance as protection looks at it. */
export interface ProtectedInstance {
  readonly service: string;
  /** Seconds since the last heartbeat. */
  readonly silentSeconds: number;
  readonly lapsed: boolean;
  /** Seconds since it started. */
  readonly ageSeconds: number;
}

/** Seconds over which renewals are judged. */
export const PROTECTION_WINDOW = 900;

/**
 * Instances that should renew: all that are registered, but a lapsed one in whose place a newer instance of its service
 * started is expected no more.
 */
export function expectedInstances(instances: readonly ProtectedInstance[]): readonly ProtectedInstance[] {
  const expected: ProtectedInstance[] = [];
  for (const service of new Set(instances.map((one) => one.service))) {
    const own = instances.filter((one) => one.service === service);
    const live = own.filter((one) => !one.lapsed);
    const gone = own.filter((one) => one.lapsed).sort((a, b) => b.silentSeconds - a.silentSeconds);
    // Each start after the silence began stands in for one of the silent.
    const starts = live.map((one) => one.ageSeconds).sort((a, b) => b - a);
    const missing: ProtectedInstance[] = [];
    for (const one of gone) {
      const at = starts.findIndex((age) => age < one.silentSeconds);
      if (at >= 0) starts.splice(at, 1);
      else missing.push(one);
    }
    expected.push(...live, ...missing);
  }
  return expected;
}

/** Share of the renewals of the last 15 minutes that came, 0 to 1; what was before an instance's start counts as come. */
export function renewalShare(instances: readonly ProtectedInstance[]): number {
  const expected = expectedInstances(instances);
  if (expected.length === 0) return 1;
  const missed = expected
    .filter((one) => one.lapsed)
    .reduce((sum, one) => sum + Math.min(one.silentSeconds, PROTECTION_WINDOW), 0);
  return 1 - missed / (expected.length * PROTECTION_WINDOW);
}

/** Whether eviction is stopped. */
export function isProtected(
  instances: readonly ProtectedInstance[],
  settings: { readonly percent: number; readonly minInstances: number },
): boolean {
  return (
    expectedInstances(instances).length >= settings.minInstances &&
    renewalShare(instances) * 100 < settings.percent
  );
}

/** The part of a rule that decides. Durations in seconds. */
export interface AlertCondition {
  readonly operator: 'above' | 'below' | 'absAbove';
  readonly fireValue: number;
  readonly recoverValue: number;
  readonly fireForS: number;
  readonly recoverForS: number;
  readonly repeatMinutes: number;
  readonly noData: 'keep' | 'fire' | 'ignore';
}

/** An alert that lives. Times in milliseconds since the epoch. */
export interface LiveAlert {
  readonly state: 'pending' | 'firing' | 'acknowledged';
  readonly value: number | null;
  readonly peak: number | null;
  readonly startedAt: number;
  readonly firedAt: number | null;
  readonly goodSince: number | null;
  readonly lastNotifiedAt: number | null;
  /** Readings in a row that had no value. */
  readonly missed: number;
}

/** A value of a series as it was read now. */
export interface Reading {
  /** Undefined: there is no sample of the last seconds. */
  readonly value: number | undefined;
  /** Since when it is so, where the source knows it better than the looks; milliseconds. */
  readonly since?: number;
  /** Looks in a row without a value, where the reader knows it: a series nothing lives of yet. */
  readonly missed?: number;
}

/** What a look at a series decides. */
export interface AlertStep {
  /** The alert afterwards; undefined: there is none, or it ended without ever having fired. */
  readonly live?: LiveAlert;
  /** It fired before and is over. */
  readonly recovered?: LiveAlert;
  /** What the receivers are told, unless a silence covers it. */
  readonly tell?: 'fired' | 'repeat' | 'recovered';
}

/** Looks without a value until a rule says what that means. */
export const MISSED = 3;

/** Whether a value is bad enough to fire: strictly over the fire value. */
export function isBad(condition: Pick<AlertCondition, 'operator' | 'fireValue'>, value: number): boolean {
  if (condition.operator === 'below') return value < condition.fireValue;
  return (condition.operator === 'absAbove' ? Math.abs(value) : value) > condition.fireValue;
}

/** Whether a value is good enough to recover; where both limits are one, good is what is not bad. */
export function isGood(
  condition: Pick<AlertCondition, 'operator' | 'fireValue' | 'recoverValue'>,
  value: number,
): boolean {
  if (condition.fireValue === condition.recoverValue) return !isBad(condition, value);
  if (condition.operator === 'below') return value > condition.recoverValue;
  return (condition.operator === 'absAbove' ? Math.abs(value) : value) < condition.recoverValue;
}

/** The recover value must lie on the good side of the fire value. */
export function onGoodSide(
  condition: Pick<AlertCondition, 'operator' | 'fireValue' | 'recoverValue'>,
): boolean {
  return condition.operator === 'below'
    ? condition.recoverValue >= condition.fireValue
    : condition.recoverValue <= condition.fireValue;
}

/** The worse of two values under a rule. */
export function worse(operator: AlertCondition['operator'], a: number | null, b: number): number {
  if (a === null) return b;
  if (operator === 'below') return Math.min(a, b);
  if (operator === 'absAbove') return Math.abs(b) > Math.abs(a) ? b : a;
  return Math.max(a, b);
}

/**
 * One look at a series: hysteresis by two values and two durations, one message at firing, repeats until somebody
 * acknowledges, one at recovery. `told`: false where a silence covers the series, whose repeats then count from its end.
 */
export function stepAlert(
  before: LiveAlert | undefined,
  reading: Reading,
  condition: AlertCondition,
  now: number,
): AlertStep {
  const { value } = reading;
  const missed = value === undefined ? (reading.missed ?? (before?.missed ?? 0) + 1) : 0;
  if (value === undefined && missed < MISSED) return before ? { live: { ...before, missed } } : {};
  if (value === undefined && condition.noData === 'keep')
    return before ? { live: { ...before, missed } } : {};
  const bad = value === undefined ? condition.noData === 'fire' : isBad(condition, value);
  const good = value === undefined ? condition.noData === 'ignore' : isGood(condition, value);
  const peak =
    value !== undefined ? worse(condition.operator, before?.peak ?? null, value) : (before?.peak ?? null);
  const seen = { value: value ?? before?.value ?? null, peak, missed };
  if (!before || before.state === 'pending') {
    if (!bad) return {};
    const startedAt = Math.min(before?.startedAt ?? now, reading.since ?? now);
    const pending: LiveAlert = {
      state: 'pending',
      startedAt,
      firedAt: null,
      goodSince: null,
      lastNotifiedAt: null,
      ...seen,
    };
    if (now - startedAt < condition.fireForS * 1_000) return { live: pending };
    return { live: { ...pending, state: 'firing', firedAt: now }, tell: 'fired' };
  }
  const goodSince = good ? (before.goodSince ?? now) : null;
  const after: LiveAlert = { ...before, ...seen, goodSince };
  if (goodSince !== null && now - goodSince >= condition.recoverForS * 1_000)
    return { recovered: after, tell: 'recovered' };
  const due =
    before.state === 'firing' &&
    condition.repeatMinutes > 0 &&
    now - (before.lastNotifiedAt ?? before.firedAt ?? now) >= condition.repeatMinutes * 60_000;
  return due ? { live: after, tell: 'repeat' } : { live: after };
}

/** A silence as it is compared with alerts. */
export interface Silence {
  readonly scope: 'rule' | 'service' | 'instance' | 'all';
  readonly ruleId: number | null;
  readonly service: string;
  readonly instance: string;
}

/** Whether a silence covers an alert. */
export function covers(
  silence: Silence,
  alert: { readonly ruleId: number; readonly service: string; readonly instance: string },
): boolean {
  switch (silence.scope) {
    case 'all':
      return true;
    case 'rule':
      return silence.ruleId === alert.ruleId;
    case 'service':
      return silence.service === alert.service;
    case 'instance':
      return silence.instance === alert.instance;
  }
}

/** When a rule would have fired and recovered over stored values, and the peak of each time. */
export function replay(
  condition: AlertCondition,
  samples: readonly { readonly at: number; readonly value: number }[],
): readonly {
  readonly firedAt: number;
  readonly recoveredAt: number | null;
  readonly peak: number | null;
}[] {
  const times: { firedAt: number; recoveredAt: number | null; peak: number | null }[] = [];
  let live: LiveAlert | undefined;
  for (const { at, value } of samples) {
    const step = stepAlert(live, { value }, condition, at);
    live = step.live;
    if (step.tell === 'fired') times.push({ firedAt: at, recoveredAt: null, peak: step.live!.peak });
    const open = times.at(-1);
    if (open && open.recoveredAt === null) {
      open.peak = step.live?.peak ?? step.recovered?.peak ?? open.peak;
      if (step.recovered) open.recoveredAt = at;
    }
  }
  return times;
}

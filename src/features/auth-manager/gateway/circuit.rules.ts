/** When a circuit opens, and for how long. */
export interface CircuitSettings {
  readonly minCalls: number;
  readonly windowMs: number;
  readonly failurePercent: number;
  readonly openMs: number;
  readonly halfOpenCalls: number;
}

export type CircuitState = 'closed' | 'open' | 'half_open';

/**
 * Keeps calls from an upstream that fails: enough failures in the window open it, after a while a few calls are let through, and
 * when all of them succeed it closes. Time is handed in.
 */
export class Circuit {
  state: CircuitState = 'closed';
  private calls: { readonly at: number; readonly failed: boolean }[] = [];
  private openedAt = 0;
  private tried = 0;
  private passed = 0;

  /** Whether a call may go now. */
  admit(now: number, settings: CircuitSettings): boolean {
    if (this.state === 'closed') return true;
    if (this.state === 'open') {
      if (now - this.openedAt < settings.openMs) return false;
      this.state = 'half_open';
      this.tried = 0;
      this.passed = 0;
    }
    if (this.tried >= settings.halfOpenCalls) return false;
    this.tried += 1;
    return true;
  }

  /** What became of an admitted call. */
  note(now: number, failed: boolean, settings: CircuitSettings): void {
    if (this.state === 'half_open') {
      if (failed) return this.open(now);
      this.passed += 1;
      if (this.passed >= settings.halfOpenCalls) this.reset();
      return;
    }
    if (this.state === 'open') return;
    this.calls.push({ at: now, failed });
    this.calls = this.calls.filter((call) => call.at > now - settings.windowMs);
    const failures = this.calls.filter((call) => call.failed).length;
    if (
      this.calls.length >= settings.minCalls &&
      failures * 100 >= settings.failurePercent * this.calls.length
    )
      this.open(now);
  }

  reset(): void {
    this.state = 'closed';
    this.calls = [];
  }

  private open(now: number): void {
    this.state = 'open';
    this.openedAt = now;
    this.calls = [];
  }
}

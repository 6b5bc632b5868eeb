import type { Label } from '../../../kernel/contract/label.ts';
import type { SLA_STATES } from '../../../domain/work-order/work-order-words.rules.ts';

/** A clock of an order with its working. */
export interface ClockPart {
  readonly id: string;
  readonly target: 'response' | 'resolution';
  readonly round: number;
  readonly policy: string;
  readonly calendar: Label;
  readonly targetMinutes: number;
  readonly usedMinutes: number;
  readonly pausedMinutes: number;
  readonly startedAt: string;
  readonly dueAt: string;
  readonly stoppedAt: string | null;
  readonly state: keyof typeof SLA_STATES;
  /** Steps of the ladder that were taken. */
  readonly steps: readonly number[];
}

/** A material used on an order; money in yuan text. */
export interface MaterialPart {
  readonly id: string;
  readonly name: string;
  readonly spec: string;
  readonly unit: string;
  readonly qty: number;
  readonly price: string;
  readonly amount: string;
  readonly round: number;
  readonly returned: boolean;
}

/** A fee line of an order; without a bill it was let off. */
export interface FeePart {
  readonly id: string;
  readonly name: string;
  readonly amount: string;
  readonly bill: string | null;
  readonly state: 'unpaid' | 'part' | 'paid' | 'void' | null;
}

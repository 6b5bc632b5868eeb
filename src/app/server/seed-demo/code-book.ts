import { businessDayOf } from '../../../kernel/contract/time.rules.ts';
import type { SeedRow } from './insert-rows.ts';

/** Gives readable numbers as the product itself does and remembers how far each prefix and day has come. */
export class CodeBook {
  readonly #values = new Map<string, number>();

  /** The next number of a prefix on the business day of `at`: prefix + yyyyMMdd + six digits. */
  next(prefix: string, at: Date): string {
    const day = businessDayOf(at);
    const key = `${prefix} ${day}`;
    const value = (this.#values.get(key) ?? 0) + 1;
    this.#values.set(key, value);
    return `${prefix}${day.replaceAll('-', '')}${String(value).padStart(6, '0')}`;
  }

  /** Rows of code_counter, so that the product goes on behind the last number. */
  rows(): SeedRow[] {
    return [...this.#values].map(([key, value]) => {
      const [prefix, day] = key.split(' ');
      return { prefix, day, value };
    });
  }
}

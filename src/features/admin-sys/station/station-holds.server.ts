import type { Label } from '../../../kernel/contract/label.ts';
import type { Executor } from '../../../kernel/server/database.ts';
import { ruleBroken } from '../../../kernel/server/http/errors.ts';
import type { Platform } from '../../../kernel/server/platform.ts';

/**
 * Something staff hold because of the type of their post, such as the buildings of housekeepers. Declared by the group
 * that owns it; while there is any, the type of the post stays.
 */
export interface StationHold {
  /** Type of post it hangs on. */
  readonly type: string;
  /** What to do first: `['请先解除楼栋', 'Release buildings first']`. */
  readonly refusal: Label;
  /** How many of these the staff of a post hold. */
  count(db: Executor, stationId: number): Promise<number>;
}

declare module '../../../kernel/server/registration.ts' {
  interface Registration {
    /** What staff hold because of the type of their post. */
    readonly stationHolds?: readonly StationHold[];
  }
}

/** Refuses (30101) while staff of a post hold something because of its type. */
export async function requireReleased(
  db: Executor,
  platform: Pick<Platform, 'registrations'>,
  stationId: number,
  type: string,
): Promise<void> {
  for (const hold of platform.registrations.flatMap((service) => service.stationHolds ?? []))
    if (hold.type === type && (await hold.count(db, stationId)) > 0) throw ruleBroken(hold.refusal);
}

import type { Platform } from '../platform.ts';

const nameOf = (staffId: number) => `writes of ${staffId}`;

/** Tells every instance that a staff has written something: what is kept for this staff is asked anew. */
export function noteOwnWrite(platform: Platform, staffId: number): void {
  platform.changed(nameOf(staffId));
}

/** Grows with every write of the staff, here or on another instance: a part of the keys of what is kept for it. */
export function ownWrites(platform: Platform, staffId: number): number {
  return platform.changeCount(nameOf(staffId));
}

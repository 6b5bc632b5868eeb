import type { z } from 'zod';
import type { Label } from '../../kernel/contract/label.ts';
import type { Tx } from '../../kernel/server/database.ts';
import type { Platform } from '../../kernel/server/platform.ts';
import type { EventForm } from './event-form.rules.ts';

/** What a member did, as its handler sees it. */
export interface MemberEvent<P = unknown> {
  /** Row of the event. */
  readonly id: number;
  readonly eventId: string;
  readonly memberId: number;
  readonly projectId: number;
  readonly type: string;
  readonly occurredAt: Date;
  /** The day in Shanghai it is taken on, by the database's clock. */
  readonly today: string;
  readonly payload: P;
  /** Staff who records it on behalf of the member. */
  readonly staffId: number | undefined;
}

/** What an event brought about besides its result: points given or not, with the reason. */
export interface EventEffect {
  readonly kind: string;
  readonly points?: number;
  /** Code of the rule or task. */
  readonly rule?: string;
  readonly reason?: Label;
}

/** What a handler answers with; plain JSON, since a repeat gets it from the database. */
export interface EventOutcome {
  readonly result: object;
  readonly effects: readonly EventEffect[];
}

/** A kind of event and what it does. */
export interface MemberEventKind {
  readonly type: string;
  readonly title: Label;
  readonly payload: z.ZodType;
  /** How staff record it on behalf of a member; absent: members alone tell of it. */
  readonly form?: EventForm;
  readonly apply: (tx: Tx, platform: Platform, event: MemberEvent<never>) => Promise<EventOutcome>;
  readonly applyMany?: ApplyMany<never>;
  /** Entities whose lists show it at once. */
  readonly changes: readonly string[];
}

/**
 * Applies events of one kind, each of another member, in one transaction, as `apply` does each of them. Events without an outcome
 * have left nothing and are applied alone: whatever is refused, and whatever is out of the ordinary.
 */
export type ApplyMany<P> = (
  tx: Tx,
  platform: Platform,
  today: string,
  events: readonly Pick<MemberEvent<P>, 'memberId' | 'projectId' | 'payload'>[],
) => Promise<readonly (EventOutcome | undefined)[]>;

/**
 * Declares what an event of a type does. `apply` runs in the event's transaction and refuses with `ruleBroken`: what it
 * wrote until then is undone, the refusal is kept as the event's answer. Source: group 01, Member events.
 */
export function memberEvent<P>(kind: {
  readonly type: string;
  readonly title: Label;
  readonly payload: z.ZodType<P>;
  readonly form?: EventForm;
  readonly apply: (tx: Tx, platform: Platform, event: MemberEvent<P>) => Promise<EventOutcome>;
  readonly applyMany?: ApplyMany<P>;
  readonly changes?: readonly string[];
}): MemberEventKind {
  return { changes: [], ...kind } as MemberEventKind;
}

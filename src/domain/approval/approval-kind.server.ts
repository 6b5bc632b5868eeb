import type { FileValue } from '../../kernel/contract/fields.ts';
import type { Label } from '../../kernel/contract/label.ts';
import type { Caller, RequestFacts } from '../../kernel/server/people/caller.ts';
import type { Executor, Tx } from '../../kernel/server/database.ts';
import type { Platform } from '../../kernel/server/platform.ts';
import type { ApprovalField, Facts } from './process.rules.ts';
import type { RowSight } from '../notification/row-sight.server.ts';

/** What ended an approval, given to the group that owns the object. Everything happens in one transaction. */
export interface ApprovalOutcome {
  readonly tx: Tx;
  readonly platform: Platform;
  readonly bizId: number;
  /** Who decided or withdrew. */
  readonly caller: Caller;
  readonly facts: RequestFacts;
  readonly opinion: string;
  /** The object's own action runs around this and writes state, timeline and audit itself. */
  readonly insideAction: boolean;
}

/** A running approval as rules see it. */
export interface ApprovalSubject {
  readonly bizId: number;
  readonly tenantId: number;
  readonly starterId: number;
  readonly subjectId: number | null;
}

/** Who is to decide, with the rights of this moment: a caller, or the staff a task goes to. */
export type Decider = Pick<Caller, 'staffId' | 'menus' | 'elements'>;

/** A business type that is approved, declared by the group that owns it. */
export interface ApprovalKind {
  /** Word kept in the instance, snake_case: `overtime`. */
  readonly kind: string;
  readonly label: Label;
  /** Name of the object in timelines. */
  readonly entity: string;
  /** Who reads messages about the object, by `bizId`: those who decide, as in `decidable`, and those told of the outcome. */
  readonly sights: { readonly toDecide: RowSight; readonly outcome: RowSight };
  /** Path that shows the object. */
  route(bizId: number): string;
  /** Fields that conditions may ask for and summaries may show. */
  readonly fields?: readonly ApprovalField[];
  /** It moves money or points, or binds by contract: nobody approves the own. */
  readonly moves?: boolean;
  /** Values of the fields now; kept with the approval when it is handed in. */
  facts?(db: Executor, bizId: number): Promise<Facts>;
  /** The object as it is shown to those who are asked, read-only: sections of label and value, in both languages. */
  snapshot?(db: Executor, bizId: number): Promise<readonly SnapshotPart[]>;
  /** Objects to try a process on, the newest first, within what the caller sees. */
  samples?(db: Executor, caller: Caller): Promise<readonly { readonly id: number; readonly title: string }[]>;
  /** Staff the built-in process asks; default: group `approval_default`, else the department leader. An empty list refuses the submission. */
  approvers?(tx: Tx, subject: ApprovalSubject): Promise<readonly number[]>;
  /**
   * Of some running approvals those an assignee may read and decide about now, by `bizId`: with the right the kind asks
   * for, about staff it answers for at this moment (`staffInCare`). Being assigned alone shows nothing. The starter and
   * the subject never come this far. Left out: being asked is enough. A trial of a process without an object asks with
   * `bizId` 0.
   */
  decidable?(
    db: Executor,
    decider: Decider,
    subjects: readonly ApprovalSubject[],
  ): Promise<ReadonlySet<number>>;
  onApproved(outcome: ApprovalOutcome): Promise<void>;
  onRejected(outcome: ApprovalOutcome): Promise<void>;
  onWithdrawn(outcome: ApprovalOutcome): Promise<void>;
  /** It went back to the starter, who may edit and hand it in again. */
  onReturned?(outcome: ApprovalOutcome): Promise<void>;
}

/** A part of an object as approvers see it. */
export interface SnapshotPart {
  readonly title: Label;
  readonly values: readonly {
    /** Name a process may hide by. */
    readonly field: string;
    readonly label: Label;
    readonly value: Label;
    /** Shown in place of the value, such as the certificate that is renewed. */
    readonly pictures?: readonly FileValue[];
  }[];
}

declare module '../../kernel/server/registration.ts' {
  interface Registration {
    /** Business types of this group that are approved. */
    readonly approvals?: readonly ApprovalKind[];
  }
}

/** The declared kind of a word. Throws for one nobody declares: that is a fault of the code. */
export function approvalKind(platform: Pick<Platform, 'registrations'>, kind: string): ApprovalKind {
  for (const service of platform.registrations) {
    const found = service.approvals?.find((one) => one.kind === kind);
    if (found) return found;
  }
  throw new Error(`no approval kind ${kind}`);
}

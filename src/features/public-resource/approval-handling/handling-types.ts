import type { FileValue } from '../../../kernel/contract/fields.ts';
import type { Label } from '../../../kernel/contract/label.ts';

/** Whose seat it was: of somebody a stand-in sits in for, or of who was asked before it was handed on. */
export const insteadOf = (name: string, via: string | undefined): Label =>
  via === 'standin' ? [`（代 ${name}）`, ` (for ${name})`] : [`（原 ${name}）`, ` (was ${name})`];

/** A node of the flow as the server sends it. */
export interface GraphNode {
  readonly key: string;
  readonly name: string;
  readonly type: string;
  readonly state: 'passed' | 'current' | 'refused' | 'returned' | 'future' | 'skipped';
  readonly people: readonly {
    readonly name: string;
    readonly instead?: string;
    readonly via?: string;
    readonly state?: string;
    readonly reason?: string;
    readonly minutes?: number;
  }[];
  readonly counter?: string;
  readonly due?: string;
  readonly minutes?: number;
  readonly automatic?: string;
  readonly branches: readonly {
    readonly key: string;
    readonly name: string;
    readonly taken?: boolean;
    readonly nodes: readonly GraphNode[];
  }[];
}

export interface RoundEntry {
  readonly key: string;
  readonly at: string;
  readonly node?: string;
  readonly who: string | null;
  readonly instead?: string;
  readonly via?: string;
  readonly kind?: string;
  readonly result?: string;
  readonly label?: string;
  readonly rule?: string;
  readonly opinion: string;
  readonly files: readonly FileValue[];
  readonly minutes?: number;
}

/** What may be done; the server leaves out what it would refuse. */
export interface Acts {
  readonly decide?: {
    readonly taskId: string;
    readonly refuse: boolean;
    readonly opinionRequired: boolean;
    readonly transfer: boolean;
    readonly addSign: boolean;
    readonly returnTo: readonly { readonly key: string; readonly name: string }[];
  };
  readonly removeSign: readonly { readonly taskId: string; readonly name: string }[];
  readonly undo?: { readonly taskId: string; readonly until: string };
  readonly urge: readonly { readonly taskId: string; readonly name: string }[];
  readonly withdraw: boolean;
  readonly resubmit: boolean;
}

/** A fact of the object; pictures stand in place of their number. */
export interface ShownFact {
  readonly label: string;
  readonly value: string;
  readonly pictures?: readonly FileValue[];
}

interface Common {
  readonly id: string;
  readonly code: string;
  readonly kindName: string;
}

/** An approval somebody is asked about without the right to decide. */
export interface BarredApproval extends Common {
  readonly barred: true;
  readonly note: string;
}

export interface ShownApproval extends Common {
  readonly barred: false;
  readonly title: string;
  readonly state: string;
  readonly round: number;
  readonly awaitsStarter: boolean;
  readonly starter: string;
  readonly project: string | null;
  readonly startedAt: string;
  readonly endedAt: string | null;
  readonly route: string;
  readonly summary: readonly { readonly label: string; readonly value: string }[];
  readonly sections: readonly {
    readonly title: string;
    readonly values: readonly ShownFact[];
  }[];
  readonly graph: readonly GraphNode[];
  readonly rounds: readonly { readonly round: number; readonly entries: readonly RoundEntry[] }[];
  readonly acts: Acts;
}

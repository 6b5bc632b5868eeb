import type { Label } from '../../../../kernel/contract/label.ts';
import { fill } from '../../../../kernel/contract/label.ts';

/** Stored word of an export's state. */
export type ExportState = 'queued' | 'exporting' | 'ready' | 'failed' | 'expired' | 'cancelled';

/** A record of the download centre. */
export interface ExportTask {
  readonly id: string;
  /** `yyyy-MM-dd HH:mm:ss`. */
  readonly exportDate: string;
  readonly exportName: string;
  /** Chinese text of the state, or its stored word. */
  readonly exportState: string;
  /** Stored word of the state, when the server sends it. */
  readonly state?: ExportState;
  readonly exportUrl: string | null;
  readonly progress: number | null;
  readonly reason: string | null;
  /** `export` unless said otherwise. */
  readonly kind?: 'export' | 'import';
  /** Rows taken over and refused by an import. */
  readonly succeeded?: number | null;
  readonly failed?: number | null;
  /** File with the refused rows of an import. */
  readonly failedUrl?: string | null;
}

const words: readonly (readonly [pattern: RegExp, state: ExportState])[] = [
  [/^(排队中|queued)/i, 'queued'],
  [/^(导出中|导入中|exporting|importing|running)/i, 'exporting'],
  [/^(下载|已完成|ready|download|done)/i, 'ready'],
  [/^(失败|failed)/i, 'failed'],
  [/^(已过期|expired)/i, 'expired'],
  [/^(已取消|cancelled|canceled)/i, 'cancelled'],
];

/** The state behind the text a record carries. */
export function stateOf(task: ExportTask): ExportState {
  if (task.state) return task.state;
  return words.find(([pattern]) => pattern.test(task.exportState))?.[1] ?? 'failed';
}

/** True while a record is queued or being worked on. */
export function isInProgress(task: ExportTask): boolean {
  const state = stateOf(task);
  return state === 'queued' || state === 'exporting';
}

/** What the state column says. */
export function stateText(task: ExportTask): Label {
  const labels: Record<ExportState, Label> = {
    queued: ['排队中', 'Queued'],
    exporting: task.kind === 'import' ? ['导入中 {n}%', 'Importing {n}%'] : ['导出中 {n}%', 'Exporting {n}%'],
    ready: task.kind === 'import' ? ['已完成', 'Done'] : ['下载', 'Download'],
    failed: ['失败', 'Failed'],
    expired: ['已过期', 'Expired'],
    cancelled: ['已取消', 'Cancelled'],
  };
  return fill(labels[stateOf(task)], { n: Math.round(task.progress ?? 0) });
}

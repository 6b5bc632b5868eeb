import { describe, expect, it } from 'vitest';
import { isInProgress, stateOf, stateText, type ExportTask } from './export-task.rules.ts';

const task = (exportState: string, progress: number | null = null): ExportTask => ({
  id: '1',
  exportDate: '',
  exportName: '',
  exportState,
  exportUrl: null,
  progress,
  reason: null,
});

describe('download centre records', () => {
  it('reads states by text or word', () => {
    expect(
      ['排队中', '导出中', '下载', '失败', '已过期', 'ready', 'queued'].map((text) => stateOf(task(text))),
    ).toEqual(['queued', 'exporting', 'ready', 'failed', 'expired', 'ready', 'queued']);
  });
  it('polls for queued and exporting only', () => {
    expect(['排队中', '导出中', '下载', '失败', '已过期'].map((text) => isInProgress(task(text)))).toEqual([
      true,
      true,
      false,
      false,
      false,
    ]);
  });
  it('shows progress', () =>
    expect(stateText(task('导出中', 41.6))).toEqual(['导出中 42%', 'Exporting 42%']));
});

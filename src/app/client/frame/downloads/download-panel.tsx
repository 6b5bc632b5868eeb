import '../panel-tabs.css';
import './download-panel.css';
import { useState } from 'react';
import { useText } from '../../../../kernel/client/language.ts';
import { fill } from '../../../../kernel/contract/label.ts';
import { isInProgress, stateOf, stateText, type ExportTask } from './export-task.rules.ts';
import { changeExportTask, removeExportTask, useExportTasks } from './export-tasks.ts';

/** Exports and imports of the staff, newest first. */
export default function DownloadPanel() {
  const text = useText();
  const { tasks, loading } = useExportTasks();
  const [kind, setKind] = useState<'export' | 'import'>('export');
  const shown = tasks?.filter((task) => (task.kind ?? 'export') === kind) ?? [];
  const tabs = [
    { key: 'export' as const, label: text(['导出', 'Exports']) },
    { key: 'import' as const, label: text(['导入', 'Imports']) },
  ];
  const empty =
    kind === 'export' ? text(['暂无导出任务', 'No exports yet']) : text(['暂无导入任务', 'No imports yet']);
  return (
    <section className="downloads" aria-label={text(['下载中心', 'Download centre'])}>
      <div className="panel-tabs" role="tablist">
        {tabs.map((tab) => (
          <button
            key={tab.key}
            type="button"
            role="tab"
            aria-selected={tab.key === kind}
            onClick={() => setKind(tab.key)}
          >
            {tab.label}
          </button>
        ))}
      </div>
      <div className="downloads-scroll" tabIndex={0} role="tabpanel" aria-busy={loading}>
        <table>
          <thead>
            <tr>
              <th scope="col">
                {kind === 'export' ? text(['导出时间', 'Exported']) : text(['导入时间', 'Imported'])}
              </th>
              <th scope="col">{text(['文件名', 'File name'])}</th>
              <th scope="col">{text(['状态', 'Status'])}</th>
              <th scope="col">{text(['操作', 'Actions'])}</th>
            </tr>
          </thead>
          <tbody>
            {shown.map((task) => (
              <TaskRow key={task.id} task={task} />
            ))}
          </tbody>
        </table>
        {tasks && shown.length === 0 && <p className="downloads-empty">{empty}</p>}
        {!tasks && <i className="bone tall" />}
      </div>
    </section>
  );
}

function TaskRow({ task }: { readonly task: ExportTask }) {
  const text = useText();
  const state = stateOf(task);
  const isImport = task.kind === 'import';
  const isReady = state === 'ready';
  const open = (url: string | null | undefined) => {
    if (url) window.open(url, '_blank', 'noopener');
  };
  return (
    <tr>
      <td className="nowrap">{task.exportDate}</td>
      <td className="name" title={task.exportName}>
        {task.exportName}
        {isImport && task.succeeded != null && (
          <small>
            {text(
              fill(['成功 {ok}，失败 {bad}', '{ok} done, {bad} failed'], {
                ok: task.succeeded,
                bad: task.failed ?? 0,
              }),
            )}
          </small>
        )}
      </td>
      <td className="nowrap">
        {isReady && !isImport ? (
          <StateWord task={task} tone="ok" />
        ) : (
          <StateWord task={task} tone={state === 'failed' ? 'bad' : isInProgress(task) ? 'run' : 'off'} />
        )}
      </td>
      <td>
        <div className="actions">
          {!isImport && (
            <button
              type="button"
              className="plain-button primary small"
              disabled={!isReady || !task.exportUrl}
              onClick={() => open(task.exportUrl)}
            >
              {text(['下载', 'Download'])}
            </button>
          )}
          {isImport && Boolean(task.failedUrl) && (
            <button type="button" className="link-button" onClick={() => open(task.failedUrl)}>
              {text(['失败明细', 'Failed rows'])}
            </button>
          )}
          {isInProgress(task) ? (
            <button
              type="button"
              className="link-button"
              onClick={() => void quietly(changeExportTask(task.id, 'cancel'))}
            >
              {text(['取消', 'Cancel'])}
            </button>
          ) : (
            <>
              {!isImport && (
                <button
                  type="button"
                  className="link-button"
                  onClick={() => void quietly(changeExportTask(task.id, 'rerun'))}
                >
                  {text(['重新导出', 'Run again'])}
                </button>
              )}
              <button
                type="button"
                className="link-button"
                onClick={() => void quietly(removeExportTask(task.id))}
              >
                {text(['删除', 'Delete'])}
              </button>
            </>
          )}
        </div>
      </td>
    </tr>
  );
}

function StateWord({
  task,
  tone,
}: {
  readonly task: ExportTask;
  readonly tone: 'ok' | 'bad' | 'run' | 'off';
}) {
  const text = useText();
  return (
    <span className={`state-word ${tone}`} title={task.reason ?? undefined}>
      {text(stateText(task))}
    </span>
  );
}

// The error catalogue has shown it already.
const quietly = (work: Promise<unknown>) => work.catch(() => {});

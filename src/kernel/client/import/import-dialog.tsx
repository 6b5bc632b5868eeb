import { useEffect, useState } from 'react';
import { Alert, Button, Progress, Switch, Table, Upload } from 'antd';
import { DownloadOutlined, InboxOutlined } from '@ant-design/icons';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { call } from '../api-client.ts';
import { currentLanguage, useText } from '../language.ts';
import { AppModal } from '../parts/app-modal.tsx';
import { useSession } from '../session.ts';
import { keysOf } from '../wire.ts';
import { fill, type Label } from '../../contract/label.ts';
import type { ImportChoice } from './import-button.tsx';
import './import-dialog.css';

interface ImportTask {
  readonly state: string;
  readonly progress?: number;
  readonly result: null | {
    readonly total: number;
    readonly good: number;
    readonly bad: number;
    readonly written: number;
    readonly problems: readonly {
      readonly row: number;
      readonly column: string | null;
      readonly value: string | null;
      readonly message: string;
    }[];
    readonly ignored: readonly string[];
    readonly notes?: readonly string[];
  };
  readonly reason: string;
}

const ROOT = '/api/jinmao/web/importTask';
const POLL_MS = 1000;

/** Upload, dry run with every bad row named, then the import of the good ones. Nothing is written before the last step. */
export function ImportDialog({
  choice,
  onClose,
}: {
  readonly choice: ImportChoice;
  readonly onClose: () => void;
}) {
  const text = useText();
  const client = useQueryClient();
  const [variant, setVariant] = useState(false);
  const [taskId, setTaskId] = useState<string>();
  const [mode, setMode] = useState<'dryRun' | 'commit'>('dryRun');
  const [busy, setBusy] = useState(false);
  const source = variant && choice.variant ? choice.variant.source : choice.source;
  const task = useImportTask(taskId);
  const result = task?.result;
  const failed = task !== undefined && isFailed(task);
  const running = taskId !== undefined && !result && !failed;
  const upload = async (file: File) => {
    const form = new FormData();
    form.append('file', file);
    await start('dryRun', () =>
      call<{ taskId: string }>('POST', `${ROOT}/${source}/dryRun`, { multipart: form, timeout: 120_000 }),
    );
  };
  const start = async (next: 'dryRun' | 'commit', send: () => Promise<{ taskId: string }>) => {
    setBusy(true);
    try {
      const answer = await send();
      setMode(next);
      setTaskId(answer.taskId);
    } catch {
      // The frame has shown why.
    } finally {
      setBusy(false);
    }
  };
  const commit = () =>
    void start('commit', () =>
      call('POST', `${ROOT}/${source}/commit`, { body: { taskId, skipBad: (result?.bad ?? 0) > 0 } }),
    );
  const done = mode === 'commit' && result;
  const written = Boolean(done);
  const { resource } = choice;
  useEffect(() => {
    // At once: who reads the result sees the rows behind it.
    if (written) void client.invalidateQueries({ queryKey: keysOf.all(resource) });
  }, [written, client, resource]);
  return (
    <AppModal
      open
      width={720}
      title={text([`导入${choice.title[0]}`, `Import ${choice.title[1].toLowerCase()}`])}
      onCancel={onClose}
      footer={
        done ? (
          <Button type="primary" onClick={onClose}>
            {text(['完成', 'Done'])}
          </Button>
        ) : (
          <>
            {taskId && !running && (
              <Button onClick={() => setTaskId(undefined)}>{text(['重新选择文件', 'Another file'])}</Button>
            )}
            <Button onClick={onClose}>{text(['取消', 'Cancel'])}</Button>
            {result && result.good > 0 && (
              <Button type="primary" loading={busy} onClick={commit}>
                {text(
                  fill(
                    result.bad > 0
                      ? ['跳过错误行，导入 {n} 条', 'Skip bad rows, import {n}']
                      : ['导入 {n} 条', 'Import {n}'],
                    { n: result.good },
                  ),
                )}
              </Button>
            )}
          </>
        )
      }
    >
      {!taskId && (
        <div className="k-part">
          <p className="k-question">
            {text([
              '先下载模板填写；上传后只做检查，确认前不会写入任何数据。',
              'Fill in the template first. Uploading only checks; nothing is written before you confirm.',
            ])}{' '}
            <TemplateLink source={source} />
          </p>
          {choice.variant && (
            <label className="import-variant">
              <Switch checked={variant} onChange={setVariant} aria-label={text(choice.variant.label)} />
              {text(choice.variant.label)}
            </label>
          )}
          <Upload.Dragger
            accept=".xlsx,.csv"
            showUploadList={false}
            disabled={busy}
            beforeUpload={(file) => {
              void upload(file);
              return false;
            }}
          >
            <p>
              <InboxOutlined style={{ fontSize: 32 }} aria-hidden />
            </p>
            <p>
              {text([
                '点击或拖入 xlsx、csv 文件，不超过 20 MB',
                'Click or drop an xlsx or csv file of up to 20 MB',
              ])}
            </p>
          </Upload.Dragger>
        </div>
      )}
      {running && (
        <div className="k-part" role="status">
          <p>{text(mode === 'dryRun' ? ['正在检查…', 'Checking …'] : ['正在导入…', 'Importing …'])}</p>
          <Progress percent={Math.min(99, task?.progress ?? 0)} showInfo={false} status="active" />
        </div>
      )}
      {failed && (
        <Alert
          type="error"
          showIcon
          title={task.reason || text(['任务失败，没有写入任何数据', 'The task failed; nothing was written'])}
        />
      )}
      {result && <Result result={result} done={Boolean(done)} taskId={taskId!} />}
      {done && choice.afterwards && <p className="import-afterwards">{text(choice.afterwards)}</p>}
    </AppModal>
  );
}

function Result({
  result,
  done,
  taskId,
}: {
  readonly result: NonNullable<ImportTask['result']>;
  readonly done: boolean;
  readonly taskId: string;
}) {
  const text = useText();
  return (
    <div aria-live="polite">
      <Alert
        type={!done && result.bad + result.ignored.length > 0 ? 'warning' : 'success'}
        showIcon
        title={text(
          done
            ? fill(['已导入 {n} 条', '{n} {n|row|rows} imported'], { n: result.written })
            : fill(
                [
                  '共 {total} 行，可导入 {good} 行，错误 {bad} 行',
                  '{total} {total|row|rows}: {good} can be imported, {bad} {bad|is|are} wrong',
                ],
                { total: result.total, good: result.good, bad: result.bad },
              ),
        )}
        {...(result.ignored.length > 0
          ? {
              description: text(
                fill(
                  [
                    '以下列不在模板中，不会导入：{names}',
                    'These columns are not in the template and are not imported: {names}',
                  ],
                  { names: result.ignored.join(text(['、', ', '])) },
                ),
              ),
            }
          : {})}
      />
      {result.notes && (
        <ul className="import-notes">
          {result.notes.map((note) => (
            <li key={note}>{note}</li>
          ))}
        </ul>
      )}
      {result.problems.length > 0 && (
        <>
          <Table
            className="k-table k-compact"
            size="small"
            rowKey={(problem) => `${problem.row}:${problem.column ?? ''}:${problem.message}`}
            dataSource={result.problems as (typeof result.problems)[number][]}
            pagination={
              result.problems.length > 10 ? { pageSize: 10, size: 'small', showSizeChanger: false } : false
            }
            columns={[
              { title: text(['行', 'Row']), dataIndex: 'row', width: 70 },
              {
                title: text(['列', 'Column']),
                dataIndex: 'column',
                width: 140,
                render: (column: string | null) => column ?? '–',
              },
              {
                title: text(['内容', 'Value']),
                dataIndex: 'value',
                width: 180,
                ellipsis: true,
                render: (value: string | null) => value ?? '–',
              },
              { title: text(['问题', 'Problem']), dataIndex: 'message' },
            ]}
          />
          <FileLink path={`${ROOT}/${taskId}/failedRows`} label={['下载错误行', 'Download the wrong rows']} />
        </>
      )}
    </div>
  );
}

function TemplateLink({ source }: { readonly source: string }) {
  return <FileLink path={`${ROOT}/${source}/template`} label={['下载模板', 'Download the template']} />;
}

/** A file behind the Authorization header: fetched, then handed to the browser. */
function FileLink({ path, label }: { readonly path: string; readonly label: Label }) {
  const text = useText();
  const token = useSession((state) => state.token);
  const fetchFile = async () => {
    const response = await fetch(path, {
      headers: { 'Accept-Language': currentLanguage(), ...(token ? { Authorization: token } : {}) },
    });
    if (!response.ok) return;
    const name = /filename\*=UTF-8''([^;]+)/.exec(response.headers.get('Content-Disposition') ?? '')?.[1];
    const link = document.createElement('a');
    link.href = URL.createObjectURL(await response.blob());
    link.download = name ? decodeURIComponent(name) : 'import.xlsx';
    link.click();
    URL.revokeObjectURL(link.href);
  };
  return (
    <button type="button" className="k-link" onClick={() => void fetchFile()}>
      <DownloadOutlined aria-hidden /> {text(label)}
    </button>
  );
}

function useImportTask(taskId: string | undefined): ImportTask | undefined {
  const { data } = useQuery<ImportTask>({
    queryKey: ['importTask', taskId],
    enabled: taskId !== undefined,
    gcTime: 0,
    refetchInterval: (query) =>
      query.state.data?.result || (query.state.data && isFailed(query.state.data)) ? false : POLL_MS,
    queryFn: ({ signal }) => call<ImportTask>('GET', `${ROOT}/${taskId}`, { signal, quiet: true }),
  });
  return taskId === undefined ? undefined : data;
}

function isFailed(task: ImportTask): boolean {
  return ['failed', 'cancelled', 'expired'].includes(task.state);
}

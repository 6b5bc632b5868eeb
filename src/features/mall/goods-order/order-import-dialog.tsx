import { useState } from 'react';
import { Alert, Button, Checkbox, Progress, Upload } from 'antd';
import { UploadOutlined } from '@ant-design/icons';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { ApiError, call } from '../../../kernel/client/api-client.ts';
import { useText } from '../../../kernel/client/language.ts';
import { AppModal } from '../../../kernel/client/parts/app-modal.tsx';
import { keysOf } from '../../../kernel/client/wire.ts';
import { goodsOrder } from './goods-order.contract.ts';
import './goods-order.css';

const SOURCE = 'goodsOrderShip';
const ROOT = '/api/jinmao/web/importTask';

/** An import as its task tells it. */
interface ImportTask {
  readonly state?: string;
  readonly exportState?: string;
  readonly progress?: number;
  readonly error?: string | null;
  readonly result: {
    readonly good: number;
    readonly bad: number;
    readonly written: number;
    readonly problems: readonly {
      readonly row: number;
      readonly column: string | null;
      readonly message: string;
    }[];
  } | null;
}

/** 导入发货 in steps: file, dry run with every bad row, commit. */
export function ImportDialog({ close }: { readonly close: () => void }) {
  const text = useText();
  const client = useQueryClient();
  const [dryRun, setDryRun] = useState<string>();
  const [commit, setCommit] = useState<string>();
  const [skipBad, setSkipBad] = useState(false);
  const [problem, setProblem] = useState<string>();
  const taskId = commit ?? dryRun;
  const { data: task } = useQuery({
    queryKey: ['importTask', taskId],
    enabled: taskId !== undefined,
    queryFn: ({ signal }) => call<ImportTask>('GET', `${ROOT}/${taskId}`, { signal }),
    refetchInterval: (query) => (query.state.data?.result || query.state.data?.error ? false : 1_000),
  });
  const start = async (work: () => Promise<{ taskId: string }>, keep: (id: string) => void) => {
    setProblem(undefined);
    try {
      keep((await work()).taskId);
    } catch (error) {
      setProblem(error instanceof ApiError ? error.message : String(error));
    }
  };
  const upload = (file: File) => {
    const form = new FormData();
    form.append('file', file);
    setCommit(undefined);
    void start(
      () => call('POST', `${ROOT}/${SOURCE}/dryRun`, { multipart: form, quiet: true, timeout: 120_000 }),
      setDryRun,
    );
    return false;
  };
  const download = async () => {
    const rows = await fetch(`${ROOT}/${SOURCE}/template`, { headers: await authorization() });
    const url = URL.createObjectURL(await rows.blob());
    const link = document.createElement('a');
    link.href = url;
    link.download = `${text(goodsOrder.elements!.btn_importShip!)}.xlsx`;
    link.click();
    URL.revokeObjectURL(url);
  };
  const result = task?.result;
  const isDone = commit !== undefined && result !== null && result !== undefined;
  const finish = () => {
    void client.invalidateQueries({ queryKey: keysOf.all(goodsOrder.name) });
    close();
  };
  return (
    <AppModal
      open
      width={680}
      title={text(goodsOrder.elements!.btn_importShip!)}
      okText={text(isDone ? ['完成', 'Done'] : ['导入', 'Import'])}
      okButtonProps={{ disabled: !isDone && (!result || result.good === 0 || (result.bad > 0 && !skipBad)) }}
      onOk={() =>
        isDone
          ? finish()
          : void start(
              () =>
                call('POST', `${ROOT}/${SOURCE}/commit`, { body: { taskId: dryRun, skipBad }, quiet: true }),
              setCommit,
            )
      }
      onCancel={isDone ? finish : close}
    >
      <p className="k-quiet">
        {text([
          '每行一个规格；同一订单、同一单号的行合为一个包裹。',
          'One row per spec; rows of one order with one number are one parcel.',
        ])}
      </p>
      <div className="go-import">
        <Upload
          accept=".xlsx,.csv"
          maxCount={1}
          showUploadList={false}
          beforeUpload={upload}
          disabled={commit !== undefined}
        >
          <Button icon={<UploadOutlined />}>{text(['选择文件', 'Choose a file'])}</Button>
        </Upload>
        <Button type="link" onClick={() => void download()}>
          {text(['下载模板', 'Template'])}
        </Button>
      </div>
      {problem && <Alert type="error" showIcon title={problem} />}
      {taskId !== undefined && !result && !task?.error && (
        <Progress percent={task?.progress ?? 0} status="active" />
      )}
      {task?.error && <Alert type="error" showIcon title={task.error} />}
      {result && (
        <div aria-live="polite">
          <p>
            {isDone
              ? text([`已导入 ${result.written} 行`, `${result.written} rows imported`])
              : text([
                  `可导入 ${result.good} 行，错误 ${result.bad} 行`,
                  `${result.good} good rows, ${result.bad} bad ones`,
                ])}
          </p>
          {!isDone && result.bad > 0 && (
            <Checkbox checked={skipBad} onChange={(event) => setSkipBad(event.target.checked)}>
              {text(['跳过错误行，只导入正确的行', 'Skip the bad rows and import the good ones'])}
            </Checkbox>
          )}
          <ul className="go-problems k-small">
            {result.problems.map((one, index) => (
              <li key={index}>
                {text([`第${one.row}行`, `Row ${one.row}`])} {one.column}{' '}
                <span className="k-bad">{one.message}</span>
              </li>
            ))}
          </ul>
        </div>
      )}
    </AppModal>
  );
}

/** The template is a file, which the JSON client does not read; the header is the one every call sends. */
async function authorization(): Promise<Record<string, string>> {
  const token = /(?:^|; )Authorization=([^;]*)/.exec(document.cookie)?.[1];
  return token ? { Authorization: decodeURIComponent(token) } : {};
}

import './error-log.css';
import { AppModal } from '../../../../kernel/client/parts/app-modal.tsx';
import { useLanguageStore, useText } from '../../../../kernel/client/language.ts';
import { clearErrors, useErrorLog, type LoggedError } from '../../failures/error-log.ts';
import { copyText, TraceId } from '../../notices/notice-stack.tsx';
import { go } from '../../location/location.ts';
import { closeLayer } from '../layers.ts';
import { pathOfMenu } from '../views/path-of-menu.ts';

/** Dialog 错误日志: what was caught since the page was loaded, 80 % wide. */
export default function ErrorLogDialog() {
  const text = useText();
  const errors = useErrorLog((state) => state.errors);
  const columns = [
    text(['信息', 'Message']),
    text(['位置', 'Where']),
    text(['页面地址', 'URL']),
    text(['堆栈', 'Stack']),
    text(['时间', 'Time']),
    text(['次数', 'Times seen']),
    text(['追踪号', 'Trace id']),
  ];
  const clear = () => {
    clearErrors();
    closeLayer();
  };
  return (
    <AppModal
      open
      title={text(['错误日志', 'Error Log'])}
      width="80%"
      onCancel={closeLayer}
      footer={
        <div className="question-buttons">
          <button type="button" className="plain-button" onClick={clear}>
            {text(['清空', 'Clear'])}
          </button>
          <button
            type="button"
            className="plain-button primary"
            onClick={() => copyText(JSON.stringify(errors, null, 2))}
          >
            {text(['复制', 'Copy'])}
          </button>
        </div>
      }
    >
      <div className="error-log" tabIndex={0} role="region" aria-label={text(['错误日志', 'Error Log'])}>
        <table>
          <thead>
            <tr>
              {columns.map((column) => (
                <th key={column} scope="col">
                  {column}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {errors.map((error) => (
              <ErrorRow key={error.traceId} error={error} />
            ))}
          </tbody>
        </table>
      </div>
    </AppModal>
  );
}

function ErrorRow({ error }: { readonly error: LoggedError }) {
  const text = useText();
  const language = useLanguageStore((state) => state.language);
  const traces = pathOfMenu('serviceZipkinManager');
  return (
    <tr>
      <td className="wide">{error.message}</td>
      <td>{error.where}</td>
      <td>{error.url}</td>
      <td>
        <details>
          <summary>{text(['展开', 'Show'])}</summary>
          <pre>{error.stack}</pre>
        </details>
      </td>
      <td className="nowrap">
        {new Date(error.at).toLocaleTimeString(language === 'zh' ? 'zh-CN' : 'en-GB')}
      </td>
      <td>{error.count}</td>
      <td>
        <TraceId id={error.traceId} />
        {traces && (
          <button
            type="button"
            className="link-button"
            onClick={() => {
              closeLayer();
              go(`${traces}?searchVal=${error.traceId}`);
            }}
          >
            {text(['查看链路', 'Trace'])}
          </button>
        )}
      </td>
    </tr>
  );
}

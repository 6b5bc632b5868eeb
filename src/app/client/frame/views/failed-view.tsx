import { useText } from '../../../../kernel/client/language.ts';
import { TraceId } from '../../notices/notice-stack.tsx';

/** What a view shows instead of a screen that threw. */
export function FailedView({
  traceId,
  onRetry,
}: {
  readonly traceId: string | undefined;
  readonly onRetry: () => void;
}) {
  const text = useText();
  return (
    <div className="page-note" role="alert">
      <h1>{text(['页面出错了', 'This page failed'])}</h1>
      <p>
        {text([
          '其他标签页不受影响。可以重试，问题已自动上报。',
          'Other tabs are not affected. You can try again; the problem was reported.',
        ])}
      </p>
      {traceId && (
        <p>
          {text(['追踪号', 'Trace id'])} <TraceId id={traceId} />
        </p>
      )}
      <div className="page-note-buttons">
        <button type="button" className="plain-button primary" onClick={onRetry}>
          {text(['重试', 'Retry'])}
        </button>
      </div>
    </div>
  );
}

import { Button } from 'antd';
import { ApiError, timeoutText } from '../api-client.ts';
import { useText } from '../language.ts';
import { words } from '../texts.ts';
import { CopyButton } from './copy-button.tsx';
import '../kernel.css';

/**
 * Says that something did not load, why, what was kept, and offers a retry with the trace id. What is not there, or not
 * for these eyes, is said as that: a retry would bring the same answer.
 */
export function ErrorPanel({
  error,
  onRetry,
  note,
}: {
  readonly error: unknown;
  readonly onRetry: () => void;
  readonly note?: string;
}) {
  const text = useText();
  const api = error instanceof ApiError ? error : undefined;
  const reason = api ? api.message || (api.http === 0 ? text(timeoutText) : `HTTP ${api.http}`) : '';
  if (api?.http === 404 && reason)
    return (
      <div className="k-state" role="alert">
        <strong>{reason}</strong>
      </div>
    );
  // To retry right away would only be refused again.
  const hint = api?.http === 403 ? text(words.askAdministrator) : note;
  return (
    <div className="k-state" role="alert">
      <strong>{text(words.loadFailed)}</strong>
      {reason && <span>{reason}</span>}
      {hint && <span className="k-quiet">{hint}</span>}
      {api?.traceId && (
        <span className="k-quiet k-trace">
          {text(words.traceId)} {api.traceId} <CopyButton value={api.traceId} />
        </span>
      )}
      <Button onClick={onRetry}>{text(words.retry)}</Button>
    </div>
  );
}

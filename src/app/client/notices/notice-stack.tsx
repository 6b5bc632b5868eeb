import { useEffect, useRef } from 'react';
import { textOf } from '../../../kernel/contract/label.ts';
import { useLanguageStore, useText } from '../../../kernel/client/language.ts';
import {
  closeNotice,
  holdNotice,
  releaseNotice,
  useNotices,
  type Notice,
  type NoticeText,
} from './notices.ts';

/** Lines and cards of the frame's messages; read out by screen readers. */
export function NoticeStack() {
  const notices = useNotices((state) => state.notices);
  const layer = useRef<HTMLDivElement>(null);
  const newest = notices.at(-1)?.id;
  useEffect(() => {
    const element = layer.current;
    if (newest === undefined || !element?.showPopover) return;
    // Shown anew for every message: the last one in the top layer is above open dialogs.
    if (element.matches(':popover-open')) element.hidePopover();
    element.showPopover();
  }, [newest]);
  return (
    <div ref={layer} className="notices" popover="manual">
      <div className="notice-lines" role="status" aria-live="polite">
        {notices
          .filter((notice) => !notice.title)
          .map((notice) => (
            <NoticeItem key={notice.id} notice={notice} />
          ))}
      </div>
      <div className="notice-cards" role="alert">
        {notices
          .filter((notice) => notice.title)
          .map((notice) => (
            <NoticeItem key={notice.id} notice={notice} />
          ))}
      </div>
    </div>
  );
}

function NoticeItem({ notice }: { readonly notice: Notice }) {
  const text = useText();
  const language = useLanguageStore((state) => state.language);
  const read = (value: NoticeText) => (typeof value === 'string' ? value : textOf(value, language));
  return (
    <div
      className={`notice notice-${notice.tone}`}
      // Not by appearing under a pointer that rests: only who goes to it wants to read on.
      onMouseMove={({ movementX, movementY }) => {
        if (movementX !== 0 || movementY !== 0) holdNotice(notice.id);
      }}
      onMouseLeave={() => releaseNotice(notice)}
      onFocus={() => holdNotice(notice.id)}
      onBlur={() => releaseNotice(notice)}
    >
      <span className="notice-mark" aria-hidden="true" />
      <div className="notice-body">
        {notice.title && <strong>{text(notice.title)}</strong>}
        <span>{read(notice.text)}</span>
        {notice.traceId && <TraceId id={notice.traceId} />}
      </div>
      {notice.title && (
        <button
          type="button"
          className="notice-close"
          aria-label={text(['关闭', 'Close'])}
          onClick={() => closeNotice(notice.id)}
        >
          ×
        </button>
      )}
    </div>
  );
}

/** A trace id with a button that copies it. */
export function TraceId({ id }: { readonly id: string }) {
  const text = useText();
  return (
    <button
      type="button"
      className="trace-id"
      title={text(['复制追踪号', 'Copy the trace id'])}
      onClick={() => copyText(id)}
    >
      {id.slice(0, 16)}
    </button>
  );
}

/** Copies text to the clipboard, also on plain http where the clipboard interface is missing. */
export function copyText(value: string): void {
  if (navigator.clipboard) {
    void navigator.clipboard.writeText(value);
    return;
  }
  const area = document.createElement('textarea');
  area.value = value;
  area.style.position = 'fixed';
  area.style.opacity = '0';
  document.body.append(area);
  area.select();
  document.execCommand('copy');
  area.remove();
}

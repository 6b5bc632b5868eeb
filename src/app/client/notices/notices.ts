import { create } from 'zustand';
import type { Label } from '../../../kernel/contract/label.ts';

/** A text of the product (follows the language while it is shown) or a message of the server. */
export type NoticeText = Label | string;

/** A message of the frame. With a title it is a notification card, without one a line at the top. */
export interface NoticeSpec {
  readonly tone: 'success' | 'info' | 'warning' | 'error';
  readonly title?: Label;
  readonly text: NoticeText;
  /** How long it stays, in milliseconds. */
  readonly duration: number;
  /** Shown with a copy button. */
  readonly traceId?: string | undefined;
}

/** A shown message. */
export interface Notice extends NoticeSpec {
  readonly id: number;
}

interface NoticeState {
  readonly notices: readonly Notice[];
}

/** Messages on the screen, oldest first. */
export const useNotices = create<NoticeState>(() => ({ notices: [] }));

const STORAGE_KEY = 'notices';
const timers = new Map<number, ReturnType<typeof setTimeout>>();
let nextId = 1;

const sameText = (a: NoticeSpec, b: NoticeSpec) =>
  a.tone === b.tone && String(a.title) === String(b.title) && String(a.text) === String(b.text);

/** Shows a message; one with the same text that is still visible is not shown twice. */
export function showNotice(spec: NoticeSpec): void {
  const { notices } = useNotices.getState();
  if (notices.some((shown) => sameText(shown, spec))) return;
  const notice = { ...spec, id: nextId++ };
  useNotices.setState({ notices: [...notices, notice] });
  releaseNotice(notice);
}

/** Takes a message away. */
export function closeNotice(id: number): void {
  holdNotice(id);
  useNotices.setState((state) => ({ notices: state.notices.filter((notice) => notice.id !== id) }));
}

/** Keeps a message while the pointer or the focus is on it. */
export function holdNotice(id: number): void {
  clearTimeout(timers.get(id));
  timers.delete(id);
}

/** Starts the time of a message (again). */
export function releaseNotice(notice: Notice): void {
  holdNotice(notice.id);
  timers.set(
    notice.id,
    setTimeout(() => closeNotice(notice.id), notice.duration),
  );
}

/** Keeps the visible messages for the page that follows a reload. */
export function keepNoticesForReload(): void {
  const kept = useNotices.getState().notices.map(({ id: _id, ...spec }) => spec);
  if (kept.length > 0) sessionStorage.setItem(STORAGE_KEY, JSON.stringify(kept));
}

/** Shows the messages kept before the reload for their whole time again. */
export function restoreNotices(): void {
  const kept = sessionStorage.getItem(STORAGE_KEY);
  sessionStorage.removeItem(STORAGE_KEY);
  if (!kept) return;
  try {
    for (const spec of JSON.parse(kept) as NoticeSpec[]) showNotice(spec);
  } catch {
    // Written by another release of the page: nothing worth showing.
  }
}

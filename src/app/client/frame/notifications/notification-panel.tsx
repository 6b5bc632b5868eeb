import '../panel-tabs.css';
import './notification-panel.css';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../../../kernel/client/api-client.ts';
import { useLanguageStore, useText } from '../../../../kernel/client/language.ts';
import { timeAgo } from '../../../../kernel/client/format.rules.ts';
import { textOf, type Label } from '../../../../kernel/contract/label.ts';
import { useTodos } from '../../../../features/frame/dashboard/use-todos.ts';
import { TodoList } from '../../../../features/frame/dashboard/todo-list.tsx';
import { go } from '../../location/location.ts';
import { openProfile } from '../profile/profile-store.ts';
import { useUnread } from './use-unread.ts';

interface Message {
  readonly id: string;
  readonly title: string;
  readonly body: string;
  readonly at: string;
  readonly route: string | null;
  readonly read: boolean;
}

type Part = 'todo' | 'message' | 'alert';

const STEP = 50;
const MOST = 200;

/** To-dos, messages and alerts; reading a message opens its source. */
export default function NotificationPanel({ onLeave }: { readonly onLeave: () => void }) {
  const text = useText();
  const client = useQueryClient();
  const [part, setPart] = useState<Part>('message');
  const [limit, setLimit] = useState(STEP);
  const { data: todos } = useTodos();
  const unread = useUnread();
  const { data, isPending, isError } = useQuery({
    queryKey: ['notification', 'page', part, limit],
    staleTime: 0,
    enabled: part !== 'todo',
    placeholderData: (before, query) => (query?.queryKey[2] === part ? before : undefined),
    queryFn: () =>
      call<{ readonly total: number; readonly rows: readonly Message[] }>(
        'GET',
        '/api/admin/notification/page',
        { query: { page: 1, limit, part }, quiet: true },
      ),
  });
  const shown = data?.rows ?? [];
  const alerts = unread?.alerts ?? null;
  const parts: readonly (readonly [Part, Label, number | undefined])[] = [
    ['todo', ['待办', 'To-do'], todos?.length],
    ['message', ['消息', 'Messages'], (unread?.total ?? 0) - (alerts ?? 0)],
    ...(alerts === null ? [] : ([['alert', ['告警', 'Alerts'], alerts]] as const)),
  ];
  const change = async (path: string, method: 'POST' | 'DELETE' = 'POST') => {
    await call(method, `/api/admin/notification/${path}`).catch(() => {});
    await client.invalidateQueries({ queryKey: ['notification'] });
  };
  const open = (message: Message) => {
    if (!message.read) void change(`${message.id}/read`);
    if (!message.route?.startsWith('/')) return;
    onLeave();
    go(message.route);
  };
  return (
    <section className="notes" aria-label={text(['通知', 'Notifications'])}>
      <div className="panel-tabs" role="tablist">
        {parts.map(([key, label, count]) => (
          <button
            key={key}
            type="button"
            role="tab"
            aria-selected={key === part}
            onClick={() => {
              setPart(key);
              setLimit(STEP);
            }}
          >
            {text(label)} {count ? count : ''}
          </button>
        ))}
      </div>
      <div className="notes-scroll" role="tabpanel" tabIndex={0}>
        {part === 'todo' ? (
          <TodoList open={(path) => (onLeave(), go(path))} />
        ) : isPending ? (
          <i className="bone tall" />
        ) : isError ? (
          <p className="notes-empty">{text(['暂时无法加载通知', 'Notifications cannot be loaded now'])}</p>
        ) : shown.length === 0 ? (
          <p className="notes-empty">{text(['没有通知', 'No notifications'])}</p>
        ) : (
          <ul>
            {shown.map((message) => (
              <li key={message.id} data-read={message.read}>
                <button type="button" className="note-open" onClick={() => open(message)}>
                  <strong>{message.title}</strong>
                  <span>{message.body}</span>
                  <TimeAgo at={message.at} />
                </button>
                <button
                  type="button"
                  className="notice-close"
                  aria-label={`${text(['删除', 'Delete'])}: ${message.title}`}
                  onClick={() => void change(message.id, 'DELETE')}
                >
                  ×
                </button>
              </li>
            ))}
          </ul>
        )}
        {part !== 'todo' && limit < MOST && (data?.total ?? 0) > limit && (
          <button type="button" className="link-button" onClick={() => setLimit(MOST)}>
            {text(['更多', 'More'])}
          </button>
        )}
      </div>
      {part !== 'todo' && shown.some((message) => !message.read) && (
        <button type="button" className="link-button" onClick={() => void change('readAll')}>
          {text(['全部已读', 'Mark all as read'])}
        </button>
      )}
      <button
        type="button"
        className="link-button"
        onClick={() => {
          onLeave();
          openProfile('notices');
        }}
      >
        {text(['通知设置', 'Notification settings'])}
      </button>
    </section>
  );
}

function TimeAgo({ at }: { readonly at: string }) {
  const language = useLanguageStore((state) => state.language);
  return <time dateTime={at}>{textOf(timeAgo(at), language)}</time>;
}

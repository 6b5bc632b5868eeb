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

interface Message {
  readonly id: string;
  readonly title: string;
  readonly body: string;
  readonly at: string;
  readonly route: string | null;
  readonly read: boolean;
  readonly kind?: string;
}

type Part = 'todo' | 'message' | 'alert';

const pageKey = ['notification', 'page'] as const;

/** To-dos, messages and alerts; reading a message opens its source. */
export default function NotificationPanel({ onLeave }: { readonly onLeave: () => void }) {
  const text = useText();
  const client = useQueryClient();
  const [part, setPart] = useState<Part>('message');
  const { data: todos } = useTodos();
  const { data, isPending, isError } = useQuery({
    queryKey: pageKey,
    staleTime: 0,
    queryFn: () =>
      call<{ readonly rows: readonly Message[] }>('GET', '/api/admin/notification/page', {
        query: { page: 1, limit: 50 },
        quiet: true,
      }),
  });
  const rows = data?.rows ?? [];
  const alerts = rows.filter((row) => row.kind?.startsWith('alert'));
  const messages = rows.filter((row) => !row.kind?.startsWith('alert'));
  const parts: readonly (readonly [Part, Label, number | undefined])[] = [
    ['todo', ['待办', 'To-do'], todos?.length],
    ['message', ['消息', 'Messages'], messages.filter((row) => !row.read).length],
    ...(alerts.length > 0
      ? ([['alert', ['告警', 'Alerts'], alerts.filter((row) => !row.read).length]] as const)
      : []),
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
  const shown = part === 'alert' ? alerts : messages;
  return (
    <section className="notes" aria-label={text(['通知', 'Notifications'])}>
      <div className="downloads-tabs" role="tablist">
        {parts.map(([key, label, count]) => (
          <button
            key={key}
            type="button"
            role="tab"
            aria-selected={key === part}
            onClick={() => setPart(key)}
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
      </div>
      {part !== 'todo' && shown.some((message) => !message.read) && (
        <button type="button" className="link-button" onClick={() => void change('readAll')}>
          {text(['全部已读', 'Mark all as read'])}
        </button>
      )}
    </section>
  );
}

function TimeAgo({ at }: { readonly at: string }) {
  const language = useLanguageStore((state) => state.language);
  return <time dateTime={at}>{textOf(timeAgo(at), language)}</time>;
}

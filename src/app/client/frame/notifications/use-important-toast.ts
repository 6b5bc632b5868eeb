import { useEffect, useRef } from 'react';
import { call } from '../../../../kernel/client/api-client.ts';
import { showNotice } from '../../notices/notices.ts';

interface ImportantMessage {
  readonly id: string;
  readonly title: string;
  readonly level: string;
}

const SHOWN_MS = 5000;

/** Shows a toast for a new message of level important; others only change the badge. */
export function useImportantToast(important: number | undefined): void {
  const before = useRef<number>(undefined);
  useEffect(() => {
    const known = before.current;
    before.current = important;
    // The first number is what was there before this page was opened.
    if (known === undefined || important === undefined || important <= known) return;
    const query = { page: 1, limit: important - known, unread: 1 };
    call<{ readonly rows: readonly ImportantMessage[] }>('GET', '/api/admin/notification/page', {
      query,
      quiet: true,
    }).then(
      ({ rows }) => {
        for (const row of rows)
          if (row.level === 'important')
            showNotice({
              tone: 'info',
              title: ['通知', 'Notification'],
              text: row.title,
              duration: SHOWN_MS,
            });
      },
      () => {},
    );
  }, [important]);
}

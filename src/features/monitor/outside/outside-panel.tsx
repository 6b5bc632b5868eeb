import { useState } from 'react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Alert, Button, Input } from 'antd';
import { call } from '../../../kernel/client/api-client.ts';
import { message } from '../../../kernel/client/feedback.ts';
import { useText } from '../../../kernel/client/language.ts';
import { ErrorPanel } from '../../../kernel/client/parts/error-panel.tsx';
import { useHeld } from '../../../kernel/client/parts/held.ts';
import { ScreenWaits } from '../../../kernel/client/screen-of.tsx';
import { words } from '../../../kernel/client/texts.ts';
import { useView } from '../../../kernel/client/view.ts';
import { OUTSIDE, type OutsideKind, type OutsideState } from './outside-kinds.rules.ts';

const EMPTY = ['未配置外部地址，使用内置页面', 'No outside address, the built-in page is used'] as const;

/** What an outside console is now. */
export function useOutside(kind: OutsideKind) {
  const { active } = useView();
  return useQuery({
    queryKey: ['outsideConsole', kind],
    queryFn: ({ signal }) =>
      call<OutsideState>('GET', `/api/admin/outsideConsole/${kind}`, { signal, quiet: true }),
    refetchInterval: active ? 60_000 : false,
  });
}

/** Whether the tab of an outside console is offered: where there is an address, or the right to give one. */
export function useOutsideOffered(kind: OutsideKind): boolean {
  const held = useHeld({ menu: OUTSIDE[kind].menu });
  const { data } = useOutside(kind);
  return held('btn_external') || (data !== undefined && data.url !== '');
}

/** An outside console in a frame, with its address for who may change it. */
export function OutsidePanel({ kind }: { readonly kind: OutsideKind }) {
  const text = useText();
  const held = useHeld({ menu: OUTSIDE[kind].menu });
  const { data, error, refetch } = useOutside(kind);
  if (error) return <ErrorPanel error={error} onRetry={() => void refetch()} />;
  if (!data) return <ScreenWaits />;
  const time = data.checkedAt?.slice(11, 19) ?? '';
  return (
    <div className="k-screen">
      {held('btn_external') && <Address key={data.url} kind={kind} url={data.url} />}
      {data.url === '' ? (
        <Alert className="mon-banner" type="info" showIcon title={text(EMPTY)} />
      ) : (
        <>
          <div className="mon-tools">
            <Button href={data.url} target="_blank" rel="noopener noreferrer">
              {text(['新窗口打开', 'Open in new window'])}
            </Button>
          </div>
          {data.reason ? (
            <Alert
              type="error"
              showIcon
              title={text([
                `外部控制台无法访问（${data.reason}，${time}）`,
                `Outside console unreachable (${data.reason}, ${time})`,
              ])}
            />
          ) : (
            <iframe
              className="mon-frame"
              src={data.url}
              title={text(['外部控制台', 'Outside console'])}
              sandbox="allow-scripts allow-forms allow-same-origin allow-popups"
              referrerPolicy="no-referrer"
            />
          )}
        </>
      )}
    </div>
  );
}

function Address({ kind, url }: { readonly kind: OutsideKind; readonly url: string }) {
  const text = useText();
  const client = useQueryClient();
  const [value, setValue] = useState(url);
  const [saving, setSaving] = useState(false);
  const save = async () => {
    setSaving(true);
    try {
      await call('PUT', `/api/admin/outsideConsole/${kind}`, { body: { url: value.trim() } });
      message.success(text(words.saved), 2);
      await client.invalidateQueries({ queryKey: ['outsideConsole', kind] });
    } catch {
      // Shown by the frame already.
    } finally {
      setSaving(false);
    }
  };
  return (
    <form
      className="mon-tools"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <Input
        style={{ maxWidth: 420 }}
        aria-label={text(['外部地址', 'Outside address'])}
        placeholder="https://"
        value={value}
        maxLength={300}
        onChange={(event) => setValue(event.target.value)}
      />
      <Button htmlType="submit" loading={saving} disabled={value.trim() === url}>
        {text(words.save)}
      </Button>
    </form>
  );
}

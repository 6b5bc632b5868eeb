import { Skeleton } from 'antd';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { fill } from '../../../kernel/contract/label.ts';
import { call, newIdempotencyKey } from '../../../kernel/client/api-client.ts';
import { ask, message, tellFault } from '../../../kernel/client/feedback.ts';
import { instantFull } from '../../../kernel/client/format.rules.ts';
import { useLanguageStore, useText } from '../../../kernel/client/language.ts';
import { AppDrawer } from '../../../kernel/client/parts/app-drawer.tsx';
import { ErrorPanel } from '../../../kernel/client/parts/error-panel.tsx';
import { useHeld } from '../../../kernel/client/parts/held.ts';
import { useSubmitGuard } from '../../../kernel/client/parts/use-guard.ts';
import { words } from '../../../kernel/client/texts.ts';
import {
  settingPage,
  SETTING_SOURCES,
  type SettingChange,
  type SettingOverride,
  type SettingRow,
} from './setting.contract.ts';
import { SETTING_KEY, SETTING_ROOT } from './setting-place.ts';

type Detail = SettingRow & { readonly overridden: readonly SettingOverride[] };

/** Who has a value of their own, and every change of a key, each of which can be taken back. */
export function SettingHistory({ row, onClose }: { readonly row: SettingRow; readonly onClose: () => void }) {
  const text = useText();
  const language = useLanguageStore((state) => state.language);
  const held = useHeld(settingPage);
  const client = useQueryClient();
  const guard = useSubmitGuard();
  const own = useQuery({
    queryKey: [...SETTING_KEY, 'detail', row.key, language],
    staleTime: 0,
    queryFn: ({ signal }) => call<Detail>('GET', `${SETTING_ROOT}/${row.key}`, { signal, quiet: true }),
  });
  const changes = useQuery({
    queryKey: [...SETTING_KEY, 'history', row.key, language],
    staleTime: 0,
    queryFn: ({ signal }) =>
      call<readonly SettingChange[]>('GET', `${SETTING_ROOT}/${row.key}/history`, { signal, quiet: true }),
  });
  const unset = text(['未设置', 'Not set']);
  const placeOf = (scope: keyof typeof SETTING_SOURCES, title: string | null) =>
    title ? `${text(SETTING_SOURCES[scope])} · ${title}` : text(SETTING_SOURCES[scope]);
  const undo = async (change: SettingChange) => {
    const agreed = await ask({
      title: text(
        fill(['将「{name}」（{place}）恢复为 {value}？', 'Put "{name}" ({place}) back to {value}?'], {
          name: row.name,
          place: placeOf(change.scope, change.place),
          value: change.before ?? unset,
        }),
      ),
      confirm: ['恢复', 'Put back'],
      cancel: words.cancel,
    });
    if (!agreed) return;
    await guard.run(async () => {
      try {
        await call('POST', `${SETTING_ROOT}/${row.key}/undo`, {
          body: { change: change.id, version: change.version },
          idempotencyKey: newIdempotencyKey(),
        });
        message.success(text(words.saved), 2);
      } catch (failure) {
        tellFault(failure);
      }
      await client.invalidateQueries({ queryKey: SETTING_KEY });
    });
  };
  const failed = own.error ?? changes.error;
  return (
    <AppDrawer open size={600} title={`${row.name} · ${text(['变更记录', 'History'])}`} onClose={onClose}>
      <p className="k-quiet dict-key">{row.key}</p>
      {failed ? (
        <ErrorPanel
          error={failed}
          onRetry={() => {
            void own.refetch();
            void changes.refetch();
          }}
        />
      ) : !own.data || !changes.data ? (
        <Skeleton active />
      ) : (
        <>
          {own.data.overridden.length > 0 && (
            <section>
              <h3 className="dict-heading">{text(['单独设置', 'Values of their own'])}</h3>
              <ul className="dict-uses">
                {own.data.overridden.map((one) => (
                  <li key={`${one.scope}${one.id}`}>
                    <span>{placeOf(one.scope, one.title)}</span>
                    <span>
                      {one.text} {row.unit ?? ''}
                    </span>
                  </li>
                ))}
              </ul>
            </section>
          )}
          <h3 className="dict-heading">{text(['变更记录', 'History'])}</h3>
          {changes.data.length === 0 ? (
            <p className="k-quiet">{text(['还没有修改过', 'Nothing was changed yet'])}</p>
          ) : (
            <ol className="k-timeline">
              {changes.data.map((change) => (
                <li key={change.id}>
                  <div className="k-timeline-head">
                    <strong>{change.who}</strong>
                    <time className="k-quiet">{instantFull(change.at)}</time>
                  </div>
                  <div className="dict-change">
                    <span>
                      {placeOf(change.scope, change.place)}
                      {text(['：', ': '])}
                      {change.before ?? unset} → {change.after ?? unset}
                    </span>
                    {held('btn_setting') && change.undoable && (
                      <button
                        type="button"
                        className="k-link"
                        disabled={guard.locked}
                        onClick={() => void undo(change)}
                      >
                        {text(
                          fill(['恢复为 {value}', 'Put back {value}'], { value: change.before ?? unset }),
                        )}
                      </button>
                    )}
                  </div>
                </li>
              ))}
            </ol>
          )}
        </>
      )}
    </AppDrawer>
  );
}

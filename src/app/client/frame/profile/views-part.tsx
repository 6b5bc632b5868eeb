import { useQueryClient } from '@tanstack/react-query';
import { call } from '../../../../kernel/client/api-client.ts';
import { useText } from '../../../../kernel/client/language.ts';
import { useSession } from '../../../../kernel/client/session.ts';
import { ask } from '../../notices/questions.ts';
import { fill } from '../../../../kernel/contract/label.ts';
import { go } from '../../location/location.ts';
import { closeLayer } from '../layers.ts';
import { pathOfMenu } from '../views/path-of-menu.ts';
import { ProfileQuery, rowsOf } from './profile-query.tsx';

interface SavedView {
  readonly id: string;
  readonly name: string;
  readonly menu: string;
  readonly own: boolean;
  readonly version: number;
}

type Answer = readonly SavedView[] | { readonly rows: readonly SavedView[] };

const key = ['profile', 'views'] as const;

/** The staff's own saved views of all lists. */
export function ViewsPart() {
  const text = useText();
  const client = useQueryClient();
  const titles = useSession((state) => state.titles);
  const remove = async (view: SavedView) => {
    const yes = await ask({
      title: ['删除视图', 'Delete view'],
      text: fill(['确定删除视图“{name}”？', 'Delete the view "{name}"?'], { name: view.name }),
      confirm: ['删除', 'Delete'],
      cancel: ['取消', 'Cancel'],
      danger: true,
    });
    if (!yes) return;
    await call('DELETE', `/api/admin/savedView/${encodeURIComponent(view.id)}`, {
      query: { version: view.version },
    }).catch(() => {});
    await client.invalidateQueries({ queryKey: key });
  };
  return (
    <ProfileQuery<Answer>
      queryKey={key}
      path="/api/admin/savedView"
      notOffered={
        <p className="quiet">
          {text(['请在各列表上方的视图栏中管理视图。', 'Manage your views in the bar above each list.'])}
        </p>
      }
      isEmpty={(data) => rowsOf(data).every((view) => !view.own)}
      empty={[
        '还没有保存的视图。在列表上设好筛选和列后，点“保存视图”即可保存。',
        'No saved views yet. Set filters and columns on a list, then press “Save view” above it.',
      ]}
    >
      {(data) => (
        <ul className="profile-list">
          {rowsOf(data)
            .filter((view) => view.own)
            .map((view) => {
              const title = titles[view.menu];
              const path = pathOfMenu(view.menu);
              return (
                <li key={view.id}>
                  <div>
                    <strong>{view.name}</strong>
                    <p className="quiet">{title ? text([title.title, title.titleEn]) : view.menu}</p>
                  </div>
                  {path && (
                    <button
                      type="button"
                      className="link-button"
                      onClick={() => {
                        closeLayer();
                        go(`${path}?view=${view.id}`);
                      }}
                    >
                      {text(['打开', 'Open'])}
                    </button>
                  )}
                  <button type="button" className="link-button" onClick={() => void remove(view)}>
                    {text(['删除', 'Delete'])}
                  </button>
                </li>
              );
            })}
        </ul>
      )}
    </ProfileQuery>
  );
}

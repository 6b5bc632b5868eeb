import { useView } from '../../../kernel/client/view.ts';
import type { SettingScope } from '../../../kernel/contract/setting-declaration.ts';

/** Where settings live on the server, and under which key their answers are kept. */
export const SETTING_ROOT = '/api/admin/setting';
export const SETTING_KEY = ['setting'] as const;

/** The place whose values are shown, from the address; `setQuery` changes parts of it, empty ones go. */
export function useSettingPlace(): {
  readonly scope: SettingScope;
  readonly place: Readonly<Record<string, string>>;
  readonly setQuery: (patch: Readonly<Record<string, string>>) => void;
} {
  const view = useView();
  const asked = view.query.get('scope');
  const scope = asked === 'tenant' || asked === 'project' ? asked : 'platform';
  const id = view.query.get('place') ?? '';
  const place: Record<string, string> =
    scope !== 'platform' && /^\d{1,15}$/.test(id)
      ? { [scope === 'project' ? 'projectId' : 'tenantId']: id }
      : {};
  return {
    scope,
    place,
    setQuery: (patch) => {
      const query = new URLSearchParams(view.query);
      for (const [name, value] of Object.entries(patch))
        if (value) query.set(name, value);
        else query.delete(name);
      view.setQuery(query);
    },
  };
}

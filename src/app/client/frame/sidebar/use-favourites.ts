import { usePreference } from '../../../../kernel/client/preference.ts';
import { showNotice } from '../../notices/notices.ts';

const MOST = 20;

/** Menus the staff marked with a star, kept on the server; at most 20. */
export function useFavourites(): {
  readonly codes: readonly string[];
  readonly toggle: (code: string) => void;
} {
  const [kept, store] = usePreference<readonly string[]>('sidebar.favourites');
  const codes = Array.isArray(kept) ? kept : [];
  const toggle = (code: string) => {
    if (codes.includes(code)) return store(codes.filter((one) => one !== code));
    if (codes.length < MOST) return store([...codes, code]);
    showNotice({ tone: 'warning', text: ['最多收藏20个菜单', 'At most 20 favourites'], duration: 2000 });
  };
  return { codes, toggle };
}

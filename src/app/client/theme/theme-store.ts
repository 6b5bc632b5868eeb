import { create } from 'zustand';
import { DEFAULT_THEME, hexOf, rgbOf } from './shades.rules.ts';
import { themeVariables } from './theme-variables.ts';

/** Light, dark, or what the computer says. */
export type Appearance = 'light' | 'dark' | 'system';

interface ThemeState {
  /** Theme colour, `#RRGGBB`. */
  readonly theme: string;
  readonly appearance: Appearance;
  /** What is shown now. */
  readonly dark: boolean;
}

const systemDark = window.matchMedia('(prefers-color-scheme: dark)');
const isDark = (appearance: Appearance) =>
  appearance === 'dark' || (appearance === 'system' && systemDark.matches);

function readAppearance(): Appearance {
  const kept = localStorage.getItem('appearance');
  return kept === 'light' || kept === 'dark' ? kept : 'system';
}

/** Theme colour and appearance of this page. */
export const useTheme = create<ThemeState>(() => {
  const appearance = readAppearance();
  return { theme: localStorage.getItem('theme') ?? DEFAULT_THEME, appearance, dark: isDark(appearance) };
});

/** Applies the kept theme and follows the computer's appearance. */
export function startTheme(): void {
  apply();
  systemDark.addEventListener('change', () => setTheme({}));
}

/** Changes colour or appearance at once everywhere and keeps it for the next first paint. */
export function setTheme(change: { readonly theme?: string; readonly appearance?: Appearance }): void {
  const before = useTheme.getState();
  const rgb = change.theme === undefined ? undefined : rgbOf(change.theme);
  const theme = rgb ? hexOf(rgb) : before.theme;
  const appearance = change.appearance ?? before.appearance;
  useTheme.setState({ theme, appearance, dark: isDark(appearance) });
  localStorage.setItem('theme', theme);
  localStorage.setItem('appearance', appearance);
  localStorage.setItem(
    'themeVariables',
    JSON.stringify({ light: themeVariables(theme, false), dark: themeVariables(theme, true) }),
  );
  apply();
}

function apply(): void {
  const { theme, dark } = useTheme.getState();
  const root = document.documentElement;
  root.dataset.appearance = dark ? 'dark' : 'light';
  for (const [name, value] of Object.entries(themeVariables(theme, dark)))
    root.style.setProperty(name, value);
}

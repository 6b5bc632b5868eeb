/** A tab of the strip. Its view is alive while `live`. */
export interface Tab {
  /** Path with its parameters filled in; the identity of the tab. */
  readonly path: string;
  /** Query of the view with its question mark, or empty. */
  readonly search: string;
  /** Number or name of the record, behind the menu's title. */
  readonly suffix: string;
  readonly pinned: boolean;
  /** Holds unsaved input. */
  readonly dirty: boolean;
  readonly live: boolean;
  /** Rebuilt at every visit. */
  readonly noCache: boolean;
  /** Grows when the view is destroyed and made again. */
  readonly generation: number;
  /** Clock of the last visit, for the least recently used. */
  readonly usedAt: number;
}

/** The strip as a value. */
export interface Strip {
  readonly tabs: readonly Tab[];
  /** Path of the shown tab; undefined while a page without tab is shown. */
  readonly active: string | undefined;
  /** Closed tabs, last one last. */
  readonly closed: readonly { readonly path: string; readonly search: string }[];
  readonly clock: number;
}

/** Live views kept per window unless the setting `frame.tabs.live_max` says otherwise. */
export const LIVE_MAX = 12;

const MOST_CLOSED = 10;

/** A strip without tabs. */
export const emptyStrip: Strip = { tabs: [], active: undefined, closed: [], clock: 0 };

/** Shows a path: its tab is made or selected, its view made when needed, the least recently used clean one dropped. */
export function visit(
  strip: Strip,
  place: { readonly path: string; readonly search: string; readonly noCache: boolean },
  liveMax = LIVE_MAX,
): Strip {
  const clock = strip.clock + 1;
  const left = leave(strip, place.path);
  const known = left.tabs.find((tab) => tab.path === place.path);
  const shown: Tab = known
    ? { ...known, search: place.search, noCache: place.noCache, live: true, usedAt: clock }
    : {
        path: place.path,
        search: place.search,
        suffix: '',
        pinned: false,
        dirty: false,
        live: true,
        noCache: place.noCache,
        generation: clock,
        usedAt: clock,
      };
  const tabs = known ? left.tabs.map((tab) => (tab === known ? shown : tab)) : [...left.tabs, shown];
  return { ...left, tabs: dropLeastRecent(tabs, place.path, liveMax), active: place.path, clock };
}

/** Shows a page without tab: no tab is active any more. */
export function leave(strip: Strip, next?: string): Strip {
  if (strip.active === undefined || strip.active === next)
    return { ...strip, active: next === strip.active ? next : undefined };
  const tabs = strip.tabs.map((tab) =>
    tab.path === strip.active && tab.noCache && !tab.dirty ? { ...tab, live: false } : tab,
  );
  return { ...strip, tabs, active: undefined };
}

function dropLeastRecent(tabs: readonly Tab[], shown: string, liveMax: number): readonly Tab[] {
  let over = tabs.filter((tab) => tab.live).length - liveMax;
  if (over <= 0) return tabs;
  const clean = tabs
    .filter((tab) => tab.live && !tab.dirty && tab.path !== shown)
    .sort((a, b) => a.usedAt - b.usedAt);
  const dropped = new Set(clean.slice(0, over).map((tab) => tab.path));
  return tabs.map((tab) => (dropped.has(tab.path) ? { ...tab, live: false } : tab));
}

/** Result of closing: the strip and where to go; undefined stays where it is. */
export interface Closing {
  readonly strip: Strip;
  readonly goTo: string | undefined;
}

/** Closes tabs. When the active one is among them the last remaining tab is next, `/` when none is left. */
export function close(strip: Strip, paths: readonly string[]): Closing {
  const gone = new Set(paths);
  const tabs = strip.tabs.filter((tab) => !gone.has(tab.path));
  const closed = [
    ...strip.closed,
    ...strip.tabs.filter((tab) => gone.has(tab.path)).map(({ path, search }) => ({ path, search })),
  ].slice(-MOST_CLOSED);
  const isActiveGone = strip.active !== undefined && gone.has(strip.active);
  const last = tabs.at(-1);
  return {
    strip: { ...strip, tabs, closed, active: isActiveGone ? undefined : strip.active },
    goTo: isActiveGone ? (last ? last.path + last.search : '/') : undefined,
  };
}

/** Which tabs a menu entry closes; pinned ones survive. */
export function pathsToClose(
  strip: Strip,
  kind: 'this' | 'others' | 'all' | 'left' | 'right',
  path: string,
): readonly string[] {
  const at = strip.tabs.findIndex((tab) => tab.path === path);
  return strip.tabs
    .filter((tab, index) => {
      if (kind === 'this') return tab.path === path;
      if (tab.pinned) return false;
      if (kind === 'all') return true;
      if (kind === 'others') return tab.path !== path;
      return kind === 'left' ? index < at : index > at;
    })
    .map((tab) => tab.path);
}

/** Pins or unpins; pinned tabs stand left. */
export function togglePin(strip: Strip, path: string): Strip {
  const tab = strip.tabs.find((one) => one.path === path);
  if (!tab) return strip;
  const rest = strip.tabs.filter((one) => one !== tab);
  const pins = rest.filter((one) => one.pinned).length;
  const tabs = [...rest.slice(0, pins), { ...tab, pinned: !tab.pinned }, ...rest.slice(pins)];
  return { ...strip, tabs };
}

/** Destroys the view of a tab and makes it again. */
export function refresh(strip: Strip, path: string): Strip {
  const clock = strip.clock + 1;
  return {
    ...strip,
    clock,
    tabs: strip.tabs.map((tab) =>
      tab.path === path
        ? { ...tab, generation: clock, dirty: false, suffix: '', live: tab.path === strip.active }
        : tab,
    ),
  };
}

/** Moves a tab in front of or behind another one, inside the pinned or the unpinned part. */
export function move(strip: Strip, path: string, to: string): Strip {
  const from = strip.tabs.findIndex((tab) => tab.path === path);
  const target = strip.tabs.findIndex((tab) => tab.path === to);
  if (from < 0 || target < 0 || from === target) return strip;
  if (strip.tabs[from]!.pinned !== strip.tabs[target]!.pinned) return strip;
  const tabs = [...strip.tabs];
  const [moved] = tabs.splice(from, 1);
  tabs.splice(target, 0, moved!);
  return { ...strip, tabs };
}

/** Changes what a view says about itself. */
export function change(
  strip: Strip,
  path: string,
  values: Partial<Pick<Tab, 'search' | 'suffix' | 'dirty'>>,
): Strip {
  return { ...strip, tabs: strip.tabs.map((tab) => (tab.path === path ? { ...tab, ...values } : tab)) };
}

/** Takes the last closed tab back: the strip without it and where to go. */
export function restore(strip: Strip): Closing {
  const last = strip.closed.at(-1);
  if (!last) return { strip, goTo: undefined };
  return { strip: { ...strip, closed: strip.closed.slice(0, -1) }, goTo: last.path + last.search };
}

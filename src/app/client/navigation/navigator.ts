import { useSession } from '../../../kernel/client/session.ts';
import {
  ownPlace,
  replaceAddress,
  replacePlace,
  useLocationStore,
  type Place,
} from '../location/location.ts';
import { signInAddress, takePlace } from '../login/kept-place.ts';
import { dropSession } from '../session/session-end.ts';
import { loadInfo, loadSession } from '../session/session-start.ts';
import { tryAgain } from '../session/try-again.ts';
import { readMustChange } from '../session/stored-flags.ts';
import { useLock } from '../session/lock-state.ts';
import { decide, normalPath, type KnownRoute } from './navigation.rules.ts';
import { useStage } from './stage.ts';

/** What the frame's part of the navigation gives once its code is loaded. */
export interface FrameNavigation {
  find(pathname: string): KnownRoute | undefined;
  isOpen(pathname: string): boolean;
  /** Opens or selects the tab of a place. */
  visit(place: Place): void;
  /** Shows a page without tab. */
  leave(): void;
  /** Loads what the frame needs before its first paint. */
  prepare(): Promise<void>;
}

let frame: FrameNavigation | undefined;
let loading = false;

/** Loads the frame's code, at most once. */
export async function loadFrame(): Promise<void> {
  if (frame) return;
  // Drawn as soon as the session is there: fetched beside it, not after it. A failure shows when it is drawn.
  import('../frame/frame-app.tsx').catch(() => {});
  const { frameNavigation } = await import('../frame/frame-navigation.ts');
  await frameNavigation.prepare();
  frame = frameNavigation;
}

/** Starts to follow the address: every change runs the navigation rules. */
export function startNavigator(): void {
  useLocationStore.subscribe((state, before) => {
    if (state.visit !== before.visit) follow();
  });
  useLock.subscribe((state, before) => {
    if (before.locked && !state.locked) follow();
  });
  follow();
}

/** Runs the rules for the current place (again). */
export function follow(): void {
  const { place } = useLocationStore.getState();
  const session = useSession.getState();
  const decision = decide(place, {
    signedIn: session.token !== undefined,
    mustChange: readMustChange(),
    menusLoaded: session.info !== undefined && frame !== undefined && loadedMenus(),
    menus: session.menus,
    find: (pathname) => frame?.find(pathname),
    isOpen: (pathname) => frame?.isOpen(pathname) ?? false,
  });
  switch (decision.kind) {
    case 'redirect':
      replacePlace(decision.to);
      return;
    case 'signIn':
      replacePlace(signInAddress(place));
      return;
    case 'load':
      void load();
      return;
    case 'mustChange':
      void loadForPasswordChange();
      return;
    case 'public':
      useStage.setState({ stage: { kind: 'public', page: decision.page } });
      return;
    case 'noAccess':
    case 'notFound':
      frame?.leave();
      useStage.setState({ stage: { kind: 'frame', page: decision.kind } });
      return;
    case 'screen':
      frame?.visit({ pathname: normalPath(place.pathname), search: place.search });
      useStage.setState({ stage: { kind: 'frame', page: 'screen' } });
  }
}

function loadedMenus(): boolean {
  return Object.keys(useSession.getState().titles).length > 0;
}

async function load(): Promise<void> {
  if (loading) return;
  loading = true;
  if (useStage.getState().stage.kind !== 'frame') useStage.setState({ stage: { kind: 'loading' } });
  try {
    await tryAgain(() => Promise.all([loadSession(), loadFrame()]));
  } catch {
    loading = false;
    // A locked session is alive: the cover is shown and unlocking runs the rules again.
    if (useLock.getState().locked) return;
    dropSession();
    replacePlace(signInAddress(useLocationStore.getState().place));
    return;
  }
  standHere(useSession.getState().info!.id);
  loading = false;
  follow();
}

/** The place is that of the staff who is here now, with what its own ended session had open there. */
function standHere(staff: string): void {
  ownPlace(staff);
  const { pathname, search } = useLocationStore.getState().place;
  const kept = takePlace(pathname, staff);
  if (kept && !search) replaceAddress(kept);
}

async function loadForPasswordChange(): Promise<void> {
  if (!useSession.getState().info) {
    try {
      const [info] = await tryAgain(() => Promise.all([loadInfo(), loadFrame()]));
      useSession.setState({ info });
    } catch {
      if (useLock.getState().locked) return;
      dropSession();
      replacePlace('/login');
      return;
    }
  }
  useStage.setState({ stage: { kind: 'mustChange' } });
}

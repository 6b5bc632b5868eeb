import { call } from '../../../kernel/client/api-client.ts';

/** The server may answer with the rights of before for this long. */
const KEPT_MS = 1_000;
/** Everybody's rights change at once when menus do: the pages do not ask in the same moment. */
const SPREAD_MS = 200;

let loaded: string | undefined;
let reload: (() => Promise<void>) | undefined;
let running = false;
let latest: string | undefined;

/** Puts in what reloads the menus in place; undefined while no menus are loaded. */
export function onEpochChange(action: (() => Promise<void>) | undefined): void {
  reload = action;
  if (action) loaded = latest;
}

/** Asks for the epoch: rights of this staff may just have changed. Takes effect through `noteEpoch`. */
export function checkEpoch(): void {
  const before = latest;
  const ask = () => call('GET', '/api/admin/notification/unread', { quiet: true }).catch(() => {});
  setTimeout(
    () =>
      void ask().then(() => {
        // Asked before this instance had heard of the change.
        if (reload && latest === before) setTimeout(() => void ask(), KEPT_MS);
      }),
    Math.random() * SPREAD_MS,
  );
}

/** Takes the `X-Permission-Epoch` of an answer; another one than the loaded reloads the menus once. */
export function noteEpoch(value: string): void {
  latest = value;
  if (!reload || value === loaded || running) return;
  running = true;
  void reload()
    .then(() => {
      loaded = latest;
    })
    // A failed reload was shown by the error catalogue; the next answer tries again.
    .catch(() => {})
    .finally(() => {
      running = false;
    });
}

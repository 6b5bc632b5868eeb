let loaded: string | undefined;
let reload: (() => Promise<void>) | undefined;
let running = false;
let latest: string | undefined;

/** Puts in what reloads the menus in place; undefined while no menus are loaded. */
export function onEpochChange(action: (() => Promise<void>) | undefined): void {
  reload = action;
  if (action) loaded = latest;
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

declare const __BUILD__: string | undefined;

/** Build the code of this page came from; `unknown` in development until the server told it. */
let build = typeof __BUILD__ === 'string' ? __BUILD__ : 'unknown';

/** Build id of this page. */
export function pageBuild(): string {
  return build;
}

/**
 * Asks the server for its build; true when the page is of another one. A page that was not told its build takes the
 * first answer for it.
 */
export async function isBuildOutdated(): Promise<boolean> {
  try {
    const response = await fetch('/version', { cache: 'no-store' });
    if (!response.ok) return false;
    const { build: latest } = (await response.json()) as { build?: string };
    if (!latest || latest === 'unknown') return false;
    if (build === 'unknown') build = latest;
    return latest !== build;
  } catch {
    return false;
  }
}

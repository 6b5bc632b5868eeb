let build: string | undefined;

/** Build id of this page, `unknown` until the server told it. */
export function pageBuild(): string {
  return build ?? 'unknown';
}

/** Asks the server for its build. The first answer is the build of this page; returns true when a later one differs. */
export async function isBuildOutdated(): Promise<boolean> {
  try {
    const response = await fetch('/version', { cache: 'no-store' });
    if (!response.ok) return false;
    const body = (await response.json()) as { build?: string; data?: { build?: string } };
    const latest = body.build ?? body.data?.build;
    if (!latest) return false;
    build ??= latest;
    return latest !== build;
  } catch {
    return false;
  }
}

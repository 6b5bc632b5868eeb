import type { Label } from '../../../kernel/contract/label.ts';

/** The phone a preview is for. */
export const PHONES = ['ios', 'android'] as const;
export type Phone = (typeof PHONES)[number];

/** A module as the rule of what is shown reads it. */
export interface ModuleFacts {
  readonly id: number;
  readonly parentId: number | null;
  readonly enabled: boolean;
  readonly iosMin: string;
  readonly androidMin: string;
  /** Empty: all projects. */
  readonly projectIds: readonly number[];
}

/** Who looks at the app: in which project, with which version on which phone. */
export interface Viewer {
  readonly projectId: number | undefined;
  readonly phone: Phone;
  readonly version: string;
}

/** An app version x.y.z. */
export const VERSION = {
  source: '\\d{1,4}\\.\\d{1,4}\\.\\d{1,4}',
  message: ['版本号格式为 x.y.z，如 3.2.0', 'A version is x.y.z, such as 3.2.0'],
} as const;

/** Below zero when the first version is older, above when it is newer, compared number by number. */
export function compareVersions(a: string, b: string): number {
  const [one, other] = [a, b].map((version) => version.split('.').map(Number));
  for (let at = 0; at < 3; at++) {
    const difference = (one![at] ?? 0) - (other![at] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** Modules a viewer sees: enabled ones of its project that its version can open, and only below ones it sees itself. */
export function visibleModules<M extends ModuleFacts>(modules: readonly M[], viewer: Viewer): M[] {
  const byId = new Map(modules.map((one) => [one.id, one]));
  const known = new Map<number, boolean>();
  const isVisible = (one: M): boolean => {
    let seen = known.get(one.id);
    if (seen === undefined) {
      known.set(one.id, false);
      const least = viewer.phone === 'ios' ? one.iosMin : one.androidMin;
      const parent = one.parentId === null ? undefined : byId.get(one.parentId);
      seen =
        one.enabled &&
        (one.projectIds.length === 0 ||
          (viewer.projectId !== undefined && one.projectIds.includes(viewer.projectId))) &&
        (least === '' || compareVersions(viewer.version, least) >= 0) &&
        (one.parentId === null || (parent !== undefined && isVisible(parent)));
      known.set(one.id, seen);
    }
    return seen;
  };
  return modules.filter(isVisible);
}

/** What is wrong with the address of a module, or undefined. H5 pages need one, https only. */
export function urlProblem(showType: string, url: string): Label | undefined {
  if (url === '')
    return showType === 'native' ? undefined : ['H5 页面须填写链接', 'An H5 page needs its address'];
  // No names and passwords in front of the host, and nothing a browser would drop or turn into something else.
  return /^https:\/\/(?:[a-z0-9-]+\.)+[a-z0-9-]{2,}(?::\d{1,5})?(?:[/?#][^\s\\<>"\p{C}]*)?$/u.test(url)
    ? undefined
    : ['请填写 https 开头的完整链接', 'Please enter a whole https address'];
}

import { fill, type Label } from '../../../kernel/contract/label.ts';

/** The platforms a link has a template for, by the field that holds it. */
export const PLATFORMS = ['ios', 'android', 'h5', 'miniProgram'] as const;
export type Platform = (typeof PLATFORMS)[number];

/** A parameter of a link. */
export interface LinkParameter {
  readonly name: string;
  readonly required?: boolean | null;
  readonly sample?: string | null;
}

/** Schemes that run code or read files, whatever the setting says. Source: group 09, jumpUrlManager. */
const NEVER = new Set(['javascript', 'data', 'file', 'vbscript', 'blob', 'about']);

/** Names of the `{…}` places of a template, each once. */
export function placesOf(template: string): string[] {
  return [...new Set([...template.matchAll(/\{([^{}]*)\}/g)].map((match) => match[1]!))];
}

/**
 * What is wrong with a template, or undefined. A mini-program takes a page path, the web https only; apps take https or one of the
 * allowed schemes, where `app schemes` stands for every scheme of an app's own.
 */
export function templateProblem(
  platform: Platform,
  template: string,
  parameters: readonly LinkParameter[],
  schemes: readonly string[],
): Label | undefined {
  // Browsers drop these before they look at the scheme.
  // eslint-disable-next-line no-control-regex
  if (/[\u0000-\u0020\u007f-\u009f\u200b-\u200f\u2028-\u202e\ufeff]/.test(template))
    return ['链接不能含空白或不可见字符', 'A link has no blanks and no invisible characters'];
  const known = new Set(parameters.map((one) => one.name));
  const unknown = placesOf(template).find((name) => !known.has(name));
  if (unknown !== undefined)
    return fill(['参数 {name} 未定义', 'The parameter {name} is not defined'], { name: unknown || '{}' });
  if (platform === 'miniProgram')
    return /^\/?[a-zA-Z0-9_][\w./-]*(\?[^#]*)?$/.test(template)
      ? undefined
      : ['请填写小程序页面路径，如 pages/home/index', 'Please enter a page path such as pages/home/index'];
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(template)?.[1]?.toLowerCase();
  if (!scheme) return ['请填写完整链接', 'Please enter the whole link'];
  const allowed =
    !NEVER.has(scheme) &&
    (scheme === 'https' ||
      (platform !== 'h5' &&
        (schemes.includes(scheme) || (schemes.includes('app schemes') && scheme !== 'http'))));
  return allowed
    ? undefined
    : fill(['不允许的链接协议 {scheme}', 'The scheme {scheme} is not allowed'], { scheme });
}

/** A template with its places filled, values encoded; missing optional ones become empty. */
export function filledLink(template: string, values: Readonly<Record<string, string>>): string {
  return template.replace(/\{([^{}]*)\}/g, (_all, name: string) => encodeURIComponent(values[name] ?? ''));
}

import type { Label } from './label.ts';

/** A screen of its own: the last rung of the escape ladder. Its endpoints are declared in its server file. */
export interface PageSpec {
  readonly name: string;
  readonly menu: string;
  readonly title: Label;
  readonly purpose?: Label;
  /** Elements the page's endpoints and buttons use. */
  readonly elements?: Readonly<Record<string, Label>>;
}

export interface Page extends PageSpec {
  readonly archetype: 'page';
}

/** Declares a page. */
export function definePage(spec: PageSpec): Page {
  return { ...spec, archetype: 'page' };
}

import type { Label } from '../contract/label.ts';
import type { ResourceSpec } from '../contract/resource.ts';
import { actionWords, formWords, words } from './texts.ts';

/** What a route of a resource beside its list shows. */
export type ModeKind = 'add' | 'edit' | 'detail';

/** A mode with the row it is about; a new row has none. */
export interface Mode {
  readonly kind: ModeKind;
  readonly id: string | undefined;
}

const KINDS: readonly ModeKind[] = ['add', 'edit', 'detail'];

/** The mode a route pattern or path below its group stands for by the contract's `modes`; undefined: none. */
export function declaredMode(resource: Pick<ResourceSpec, 'modes'>, path: string): ModeKind | undefined {
  const below = segmentsOf(path).slice(1);
  return KINDS.find((kind) => {
    const declared = resource.modes?.[kind];
    if (declared === undefined) return false;
    const wanted = segmentsOf(declared);
    return (
      wanted.length === below.length &&
      wanted.every((segment, index) => segment.startsWith(':') || segment === below[index])
    );
  });
}

/** Which mode of a resource a place is: by its contract, by a path such as `…/edit/7`, or by an `:id`; undefined: the list. */
export function modeOf(
  resource: Pick<ResourceSpec, 'modes'>,
  place: {
    readonly path: string;
    readonly params: Readonly<Record<string, string>>;
    readonly query: URLSearchParams;
  },
): Mode | undefined {
  const { path, params, query } = place;
  const implied = KINDS.find((kind) => kind === params.mode);
  const kind = declaredMode(resource, path) ?? implied ?? (params.id === undefined ? undefined : 'detail');
  if (!kind) return undefined;
  return { kind, id: kind === 'add' ? undefined : (params.id ?? query.get('id') ?? undefined) };
}

/**
 * Path of a mode, or undefined when it is shown over the list. `list` is the path of the list; declared modes stand in its
 * group. Further parameters of a declared path (`:role`) are the row's values of that name; without the row there is no path.
 * Forms that are pages without routes of their own stand below the list.
 */
export function modePath(
  resource: Pick<ResourceSpec, 'modes' | 'form' | 'detail'>,
  kind: ModeKind,
  list: string,
  id = '0',
  row?: Readonly<Record<string, unknown>>,
): string | undefined {
  const own = encodeURIComponent(id);
  const declared =
    resource.modes?.[kind] ??
    (kind === 'detail' && resource.detail?.mode === 'page' ? resource.detail.route : undefined);
  if (declared !== undefined) {
    const path = declared.startsWith('/') ? declared : `/${segmentsOf(list)[0]}/${declared}`;
    if (path.includes(':id')) {
      const named = path.replace(':id', own).replace(/:(\w+)/g, (whole, name: string) => {
        const value = row?.[name];
        return typeof value === 'string' ? encodeURIComponent(value) : whole;
      });
      return named.includes(':') ? undefined : named;
    }
    return kind === 'add' ? path : `${path}?id=${own}`;
  }
  const isPage = resource.form?.as === 'page' || resource.form?.as === 'steps';
  return kind !== 'detail' && isPage ? `${list}/${kind}/${own}` : undefined;
}

/** What a mode is called on its tab: 新增商品, 编辑商品, 商品详情. */
export function modeTitle(resource: Pick<ResourceSpec, 'title' | 'noun' | 'actions'>, kind: ModeKind): Label {
  const noun = resource.noun ?? resource.title;
  if (kind === 'add') return createTitle(resource.actions?.create?.label ?? actionWords.create, noun);
  if (kind === 'edit') return [formWords.edit[0].replace('{title}', noun[0]), `Edit ${lower(noun[1])}`];
  return [`${noun[0]}${words.details[0]}`, `${noun[1]} ${words.details[1].toLowerCase()}`];
}

/** The button's own words when they name the object (新增商品), else button and title together. */
export function createTitle(label: Label, title: Label): Label {
  if (Array.from(label[0]).length > 2) return label;
  return [`${label[0]}${title[0]}`, `${label[1]} ${lower(title[1])}`];
}

function lower(title: string): string {
  return title.toLowerCase();
}

function segmentsOf(path: string): string[] {
  return path.split('/').filter(Boolean);
}

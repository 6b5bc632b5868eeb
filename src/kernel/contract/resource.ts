import {
  instant,
  ref,
  text,
  type Choice,
  type Field,
  type Fields,
  type Tone,
  type ValueOf,
} from './fields.ts';
import type { Label } from './label.ts';

/** A state of a resource: its label, tone and the code the paths of the specification send. */
export interface StateSpec extends Choice {
  readonly tone: Tone;
}

/** What a staff can do with a row, with several rows, or on the page. */
export interface ActionSpec {
  readonly label: Label;
  /**
   * `row` acts on one row, `bulk` on the selected ones, `page` needs no row, `rowAndBulk` is offered in both places. `system`
   * is never offered: jobs and other features run it by `actAsSystem`.
   */
  readonly on: 'row' | 'bulk' | 'rowAndBulk' | 'page' | 'system';
  /** States in which it is offered and accepted; absent: every state. */
  readonly from?: readonly string[];
  /** State afterwards; absent: unchanged. Several: the handler picks one of them. */
  readonly to?: string | readonly string[];
  /** Element that allows it, without the menu part: `btn_audit`. */
  readonly element: string;
  /** Asked before the action; `{field}` is replaced by the row's text of that field. */
  readonly confirm?: Label;
  /** Fields of the input form. */
  readonly input?: Fields;
  readonly tone?: 'primary' | 'default' | 'danger';
  /** Most rows of one bulk call (default 200). */
  readonly bulkMax?: number;
  /**
   * `screen`: the button opens a custom interaction that the screen file registers; there is no generic dialog. `drag`: done by
   * hand in the list or tree, there is no button.
   */
  readonly opens?: 'dialog' | 'screen' | 'drag';
  /** Stored wording of the timeline entry; default: the label. */
  readonly event?: Label;
  /** Input whose text is the remark of the timeline entry, unless a handler gives another. */
  readonly remark?: string;
  /** Told after success instead of the plain word; `{name}` is replaced by that entry of the action's result. */
  readonly message?: Label;
  /** What is shown after success: `open` the row that was made or changed. */
  readonly then?: 'open';
  /** The row counts as unchanged: neither version nor time nor person of the last change move. */
  readonly untouched?: true;
}

/** A tab above the list with a live count; `filter` is merged into the query, `named` asks the server's own condition. */
export interface TabSpec {
  readonly key: string;
  readonly label: Label;
  readonly filter?: Readonly<Record<string, string>>;
  readonly named?: boolean;
}

/** One block of a form or detail. */
export interface SectionSpec {
  readonly title: Label;
  readonly note?: Label;
  readonly fields: readonly string[];
}

export interface ListSpec {
  /** Field names in column order. */
  readonly columns: readonly string[];
  /** Columns that start hidden. */
  readonly hidden?: readonly string[];
  /** Field names in filter order; each needs `search`. */
  readonly filters?: readonly string[];
  /** Default sort: field name, `-` in front for descending. */
  readonly sort: string;
  readonly tabs?: readonly TabSpec[];
  /** Field names of the export, or true for the columns of the list. */
  readonly export?: boolean | readonly string[];
  /** Element that allows the export; default `btn_export`. For menus that tell several exports apart. */
  readonly exportElement?: string;
  /** Column that links to the detail; default the first. */
  readonly link?: string;
  /** Money and integer fields that are totalled over all pages, beside the pager. */
  readonly sums?: readonly string[];
  /** What an unfiltered list without rows says. */
  readonly empty?: Label;
}

export interface FormSpec {
  readonly sections: readonly SectionSpec[];
  readonly width?: number;
  /** Where it stands: a drawer over the list (default), a page with a tab of its own, or a page that asks section by section. */
  readonly as?: 'drawer' | 'page' | 'steps';
}

/** A list of rows that belong to the row of a detail. The child resource stands under the same menu and has its own endpoints. */
export interface PartSpec {
  readonly key: string;
  readonly title: Label;
  /** Contract of the child rows. */
  readonly resource: Resource;
  /** Field of the child that points to the row of the detail; it needs a search mode. */
  readonly by: string;
  /** Columns shown here; default those of the child's list without `by`. */
  readonly columns?: readonly string[];
}

/** Declares a child list of a detail. Throws when the child cannot be asked for the rows of one parent. */
export function part(spec: PartSpec): PartSpec {
  if (!spec.resource.fields[spec.by]?.search)
    throw new Error(`Part ${spec.key}: ${spec.resource.name}.${spec.by} has no search mode`);
  return spec;
}

/** Rows below rows of the same kind. Its table has a column of the parent and, for their order, `position`. */
export interface TreeSpec {
  /** Field (ref or treeRef to the same resource) that names the row above. */
  readonly parent: string;
  /** Most levels, counted from 1; default 10. */
  readonly maxDepth?: number;
}

/** Rows in an order of their own, kept in an integer field that is never typed. */
export interface OrderSpec {
  readonly field: string;
  /** Field whose rows of one value are ordered among themselves. */
  readonly within?: string;
}

/** How rows come in from a file. */
export interface ImportSpec {
  /** Field that names a row: found ones are changed, others made. */
  readonly key: string;
  /** Fields of the columns in order. */
  readonly fields: readonly string[];
  readonly mode: 'insert' | 'update' | 'upsert';
  /** What to do once the rows are in, said beside the result. */
  readonly afterwards?: Label;
}

/** Routes of a resource beside its list, as paths below the group: the codes of the catalogue, `:id` allowed. */
export interface ModeSpec {
  readonly add?: string;
  readonly edit?: string;
  readonly detail?: string;
}

export interface DetailSpec {
  readonly mode: 'drawer' | 'page';
  readonly sections: readonly SectionSpec[];
  /** Route of the page mode, with `:id`. */
  readonly route?: string;
  /** Lists of rows that belong to this one, in their order. */
  readonly parts?: readonly PartSpec[];
}

/** Everything the engine needs to know of one kind of row. At most 25 properties: see docs/ARCHITECTURE.md. */
export interface ResourceSpec<F extends Fields = Fields, A extends string = string> {
  /** Name in API paths: `/api/jinmao/web/{name}`. camelCase noun. */
  readonly name: string;
  /** Menu code that allows reading. */
  readonly menu: string;
  /** Further menu codes that show the same rows. */
  readonly alsoMenus?: readonly string[];
  readonly title: Label;
  /** What one row is called, where the title names the screen: 用户 for 用户管理. Default: the title. */
  readonly noun?: Label;
  /** One line for newcomers, shown behind the info icon. */
  readonly purpose?: Label;
  /** Path prefix under /api; default `/jinmao/web`, organisation and system resources use `/admin`. */
  readonly base?: '/jinmao/web' | '/admin';
  readonly fields: F;
  readonly states?: Readonly<Record<string, StateSpec>>;
  /** Field that holds the readable name (default `name`, else `code`). */
  readonly titleField?: string;
  readonly list: ListSpec;
  readonly form?: FormSpec;
  readonly detail?: DetailSpec;
  /** `create`, `update`, `remove` are actions like any other; their input is the form. */
  readonly actions?: Readonly<Record<A, ActionSpec>>;
  /** Elements that are no action: `btn_view`, `btn_export`, `btn_reveal`. */
  readonly elements?: Readonly<Record<string, Label>>;
  /** Shows personal or money data: the frame puts the watermark over it. */
  readonly sensitive?: boolean;
  /** Readable number prefix of `code`, for the palette. */
  readonly prefix?: string;
  /** Adds the fields creator, createdAt, updater and updatedAt. */
  readonly stamps?: true;
  /** Rows stand below each other; adds the endpoint of the tree and the action `move`. */
  readonly tree?: TreeSpec;
  /** Rows are put in order by dragging; adds the endpoint `order`. */
  readonly orderable?: OrderSpec;
  /** Add, edit and detail routes of the catalogue that are modes of this resource. */
  readonly modes?: ModeSpec;
  /** A row can be the model of a new one: its form values are offered in the form of a new row. */
  readonly copy?: true;
  readonly importable?: ImportSpec;
  /** `unused`: the default of `remove` refuses while other rows refer to this one, and says who and how many. */
  readonly deletable?: 'unused';
  /** Made by `viewOf`: another menu over rows of a kind. */
  readonly view?: ViewSpec;
}

/** Rows of another resource under a menu of their own. */
export interface ViewSpec {
  /** Name of the resource whose rows they are: what timelines, audit records and counts call them. */
  readonly of: string;
  /** Choice fields with the one value these rows have; it is neither shown nor asked for. */
  readonly fixed: Readonly<Record<string, string>>;
}

/**
 * A second menu over rows of a resource: rights, elements, scope and paths are its own, the rows are those with the fixed
 * values. `actions` are those it offers; columns, filters, tabs and form are the base's without the fixed fields unless told.
 */
export function viewOf<F extends Fields, A extends string, const B extends A>(
  base: Resource<F, A>,
  spec: Pick<ResourceSpec, 'name' | 'menu' | 'title' | 'noun' | 'purpose' | 'modes' | 'elements' | 'form'> & {
    readonly fixed: ViewSpec['fixed'];
    readonly list?: Partial<ListSpec>;
    readonly actions?: readonly B[];
    /** Fields neither shown nor asked for here. */
    readonly without?: readonly string[];
    /** Fields that have to be filled in here. */
    readonly required?: readonly string[];
    /** References that are chosen among other rows here. */
    readonly targets?: Readonly<Record<string, string>>;
    readonly detail?: DetailSpec;
  },
): Resource<F, B> {
  const { fixed, list = {}, actions, without = [], required = [], targets = {}, ...own } = spec;
  const fields = Object.fromEntries(
    Object.entries(base.fields).map(([name, field]) => [
      name,
      {
        ...field,
        ...(required.includes(name) ? { required: true } : {}),
        ...(targets[name] ? { target: targets[name] } : {}),
      },
    ]),
  );
  const hidden = new Set([...Object.keys(fixed), ...without]);
  const shown = (names: readonly string[]) => names.filter((name) => !hidden.has(name));
  const sections = (all: readonly SectionSpec[]) =>
    all
      .map((section) => ({ ...section, fields: shown(section.fields) }))
      .filter((section) => section.fields.length > 0);
  const { tabs, filters, columns, export: exported, hidden: starts, ...restOfList } = base.list;
  const full = {
    ...base,
    fields,
    ...(base.form ? { form: { ...base.form, sections: sections(base.form.sections) } } : {}),
    ...(base.detail ? { detail: { ...base.detail, sections: sections(base.detail.sections) } } : {}),
    ...own,
    list: {
      ...restOfList,
      columns: shown(columns),
      ...(starts ? { hidden: shown(starts) } : {}),
      ...(filters ? { filters: shown(filters) } : {}),
      ...(tabs ? { tabs } : {}),
      ...(exported === undefined ? {} : { export: Array.isArray(exported) ? shown(exported) : exported }),
      ...list,
    },
    actions: Object.fromEntries(
      Object.entries(base.actions ?? {}).filter(([name]) => !actions || actions.includes(name as B)),
    ),
    view: { of: base.name, fixed },
  } as unknown as ResourceSpec;
  const problems = contractProblems(full);
  if (problems.length > 0) throw new Error(`View ${spec.name}: ${problems.join('; ')}`);
  return full as unknown as Resource<F, B>;
}

/** A resource contract with its rows' type. */
export interface Resource<F extends Fields = Fields, A extends string = string> extends ResourceSpec<F, A> {
  readonly archetype: 'resource';
}

/** The wire type of a row. */
export type Row<R extends { readonly fields: Fields }> = {
  readonly id: string;
  readonly version: number;
  readonly actions: readonly string[];
  readonly encryptionField?: string;
} & { readonly [K in keyof R['fields']]: ValueOf<R['fields'][K]> };

/**
 * Declares a resource and checks it at once: columns, filters, sorts, states and sections must name what exists.
 * Throws with the resource's name when the declaration contradicts itself.
 */
export function defineResource<const F extends Fields, const A extends string = never>(
  spec: ResourceSpec<F, A>,
): Resource<F, A> {
  const full = withOwnActions(spec.stamps ? { ...spec, fields: { ...spec.fields, ...STAMPS } } : spec);
  const problems = contractProblems(full as ResourceSpec);
  if (problems.length > 0) throw new Error(`Resource ${spec.name}: ${problems.join('; ')}`);
  return { ...full, archetype: 'resource' } as Resource<F, A>;
}

/** Trees and lists in an own order have the actions of dragging; who may edit may drag, unless the contract says otherwise. */
function withOwnActions(spec: ResourceSpec): ResourceSpec {
  const element = spec.actions?.update?.element ?? 'btn_edit';
  const before = text(['放在其前', 'Before'], { max: 15 });
  const own: Record<string, ActionSpec> = {};
  if (spec.tree)
    own.move = {
      on: 'row',
      label: ['移动', 'Move'],
      element,
      opens: 'drag',
      input: { parent: { ...spec.fields[spec.tree.parent]!, required: false, readOnly: false }, before },
    };
  if (spec.orderable)
    own.order = {
      on: 'row',
      label: ['排序', 'Order'],
      element,
      opens: 'drag',
      untouched: true,
      input: { before },
    };
  if (Object.keys(own).length === 0) return spec;
  // Behind the declared ones, whose order is that of the buttons.
  return { ...spec, actions: { ...spec.actions, ...own, ...spec.actions } };
}

/** Who made and last changed a row, and when; staff names are no personal data. */
export const STAMPS = {
  creator: ref('staff', ['创建人', 'Created by'], { readOnly: true, width: 100 }),
  createdAt: instant(['创建时间', 'Created'], {
    readOnly: true,
    sortable: true,
    search: 'range',
    width: 150,
  }),
  updater: ref('staff', ['更新人', 'Updated by'], { readOnly: true, width: 100 }),
  updatedAt: instant(['更新时间', 'Updated'], {
    readOnly: true,
    sortable: true,
    search: 'range',
    width: 150,
  }),
} as const;

/** Fields with the state as a choice field named `state`, when the resource has states. */
export function fieldsOf(resource: ResourceSpec): Readonly<Record<string, Field>> {
  if (!resource.states || resource.fields.state) return resource.fields;
  let fields = withState.get(resource);
  if (!fields) withState.set(resource, (fields = { ...resource.fields, state: stateField(resource) }));
  return fields;
}

const withState = new WeakMap<ResourceSpec, Readonly<Record<string, Field>>>();

/** The form fields in order, or every writable field when no form is declared. */
export function formFieldNames(resource: ResourceSpec, mode: 'create' | 'update'): string[] {
  const names = resource.form
    ? resource.form.sections.flatMap((section) => section.fields)
    : Object.keys(resource.fields);
  return names.filter((name) => {
    const field = resource.fields[name];
    return field && !field.readOnly && !(mode === 'update' && field.createOnly);
  });
}

/** The field that holds a row's readable name. */
export function titleFieldOf(resource: ResourceSpec): string {
  if (resource.titleField) return resource.titleField;
  if (resource.fields.name) return 'name';
  return resource.fields.code ? 'code' : resource.list.columns[0]!;
}

/** Full element code of an action or element: `<menu>:btn_<verb>`. */
export function elementCode(resource: { readonly menu: string }, element: string): string {
  return `${resource.menu}:${element}`;
}

/** Code of the menu an element belongs to; a code that is a menu's own stays as it is. */
export function menuOfElement(code: string): string {
  const end = code.indexOf(':');
  return end < 0 ? code : code.slice(0, end);
}

/** The element that allows the export of a list, without the menu part. */
export function exportElementOf(resource: Pick<ResourceSpec, 'list'>): string {
  return resource.list.exportElement ?? 'btn_export';
}

/** All element codes a resource declares, with their labels; `btn_export` and `btn_reveal` come by themselves. */
export function elementsOf(resource: ResourceSpec): Record<string, Label> {
  const elements: Record<string, Label> = {};
  for (const action of Object.values(resource.actions ?? {})) elements[action.element] ??= action.label;
  if (resource.list.export) elements[exportElementOf(resource)] ??= ['导出', 'Export'];
  if (Object.values(resource.fields).some((field) => field.mask))
    elements.btn_reveal ??= ['查看明文', 'Reveal'];
  for (const [element, label] of Object.entries(resource.elements ?? {})) elements[element] = label;
  return elements;
}

function stateField(resource: ResourceSpec): Field<string> {
  return {
    kind: 'choice',
    label: ['状态', 'Status'],
    choices: resource.states!,
    search: 'in',
    readOnly: true,
  };
}

function contractProblems(spec: ResourceSpec): string[] {
  const problems: string[] = [];
  const fields = fieldsOf(spec);
  const known = (where: string, names: readonly string[]) => {
    for (const name of names) if (!fields[name]) problems.push(`${where} names unknown field ${name}`);
  };
  for (const name of [
    ...spec.list.columns,
    ...(Array.isArray(spec.list.export) ? spec.list.export : []),
    ...(spec.detail?.sections ?? []).flatMap((section) => section.fields),
  ])
    if (fields[name]?.secret) problems.push(`secret field ${name} is never shown`);
  known('list.columns', spec.list.columns);
  known('list.filters', spec.list.filters ?? []);
  known('list.hidden', spec.list.hidden ?? []);
  known('list.sort', [spec.list.sort.replace(/^-/, '')]);
  if (Array.isArray(spec.list.export)) known('list.export', spec.list.export);
  known('list.sums', spec.list.sums ?? []);
  for (const name of spec.list.sums ?? [])
    if (!['money', 'integer'].includes(fields[name]?.kind ?? '') || fields[name]?.mask)
      problems.push(`list.sums: ${name} is no open money or integer field`);
  for (const section of spec.form?.sections ?? []) known('form', section.fields);
  for (const section of spec.detail?.sections ?? []) known('detail', section.fields);
  for (const name of spec.list.filters ?? [])
    if (fields[name] && !fields[name].search) problems.push(`filter ${name} has no search mode`);
  const sort = fields[spec.list.sort.replace(/^-/, '')];
  if (sort && !sort.sortable) problems.push(`default sort ${spec.list.sort} is not sortable`);
  for (const [name, field] of Object.entries(fields)) {
    if (field.secret && (field.search || field.sortable || field.keyword || field.mask))
      problems.push(`secret field ${name} is never read`);
    if (field.mask && field.sortable) problems.push(`masked field ${name} must not be sortable`);
    if (field.mask && field.search && field.search !== 'equals')
      problems.push(`masked field ${name} allows exact search only`);
  }
  if (spec.tree) known('tree.parent', [spec.tree.parent]);
  if (spec.orderable)
    known('orderable', [spec.orderable.field, ...(spec.orderable.within ? [spec.orderable.within] : [])]);
  if (spec.importable) known('importable', [spec.importable.key, ...spec.importable.fields]);
  const states = new Set(Object.keys(spec.states ?? {}));
  const reached = new Set<string>();
  for (const [name, action] of Object.entries(spec.actions ?? {})) {
    if (!/^btn_[a-zA-Z]+(_[a-zA-Z]+)*$/.test(action.element))
      problems.push(`action ${name}: element ${action.element} is not btn_<verb>`);
    const remark = action.remark === undefined ? undefined : action.input?.[action.remark];
    if (
      action.remark !== undefined &&
      (!remark || !['text', 'longText'].includes(remark.kind) || remark.secret || remark.mask)
    )
      problems.push(`action ${name}: remark ${action.remark} is no open text among its inputs`);
    for (const state of action.from ?? [])
      if (!states.has(state)) problems.push(`action ${name} from unknown state ${state}`);
    for (const state of [action.to ?? []].flat()) {
      if (!states.has(state)) problems.push(`action ${name} to unknown state ${state}`);
      reached.add(state);
    }
  }
  return problems;
}

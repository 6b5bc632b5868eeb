import type { Fields } from '../../../kernel/contract/fields.ts';
import { call } from '../../../kernel/client/api-client.ts';
import type { FormValues } from '../../../kernel/client/form/form-values.rules.ts';
import { TreeForm } from '../layout/tree-form.tsx';
import { IconPicker } from './icon-picker.tsx';
import { menuFields } from './menu.contract.ts';
import { MENU_KEY, MENU_ROOT, type MenuItem } from './menu-wire.ts';

/** Titles, icon, order and switches of a menu; without a menu it makes a directory or a link below `parent`. */
export function MenuForm(props: {
  readonly menu: MenuItem | undefined;
  readonly parent: string | null;
  readonly canEdit: boolean;
  readonly onDirty: (dirty: boolean) => void;
  readonly onSaved: (menu: MenuItem) => void;
  readonly onCancel?: () => void;
}) {
  const { menu, parent } = props;
  const send = (
    written: Readonly<Record<string, unknown>>,
    version: number | undefined,
    idempotencyKey: string,
  ) => {
    const given = Object.entries(written).filter(([, value]) => menu !== undefined || value !== null);
    const body = Object.fromEntries(
      given.map(([name, value]) => [name, value ?? (name === 'sort' || name === 'openIn' ? null : '')]),
    );
    return menu
      ? call<MenuItem>('PUT', `${MENU_ROOT}/item/${menu.code}`, {
          body: { version, ...body },
          idempotencyKey,
          quiet: true,
        })
      : call<MenuItem>('POST', `${MENU_ROOT}/item`, {
          body: { parent, ...body },
          idempotencyKey,
          quiet: true,
        });
  };
  return (
    <TreeForm
      record={menu}
      valuesOf={valuesOf}
      fieldsOf={(values) => fieldsOf(menu, parent, values)}
      send={send}
      treeKey={MENU_KEY}
      canEdit={props.canEdit}
      wide={menu !== undefined}
      inputs={{ icon: (input) => <IconPicker {...input} /> }}
      onDirty={props.onDirty}
      onSaved={props.onSaved}
      onCancel={props.onCancel}
    />
  );
}

function fieldsOf(menu: MenuItem | undefined, parent: string | null, values: FormValues): Fields {
  const type = menu?.type ?? values.type;
  const link: Fields =
    type === 'link' ? { url: { ...menuFields.url, required: true }, openIn: menuFields.openIn } : {};
  const { titleZh, titleEn, icon, sort, hidden, noCache, subCache, description } = menuFields;
  if (menu) return { titleZh, titleEn, ...link, icon, sort, hidden, noCache, subCache, description };
  const choices = {
    dirt: menuFields.type.choices.dirt,
    // A link stands below a directory.
    ...(parent === null ? {} : { link: menuFields.type.choices.link }),
  };
  return {
    code: menuFields.code,
    type: { ...menuFields.type, choices },
    titleZh,
    titleEn,
    ...link,
    icon,
    sort,
    description,
  };
}

function valuesOf(menu: MenuItem | undefined): FormValues {
  if (!menu) return { type: 'dirt', openIn: 'window' };
  const { titleZh, titleEn, icon, hidden, noCache, subCache, description, url, openIn, places } = menu;
  return {
    titleZh,
    titleEn,
    icon: icon || undefined,
    hidden,
    noCache,
    subCache,
    description: description || undefined,
    url: url || undefined,
    openIn,
    // A refusal over a stale version carries the menu without its places.
    sort: places?.[0] ? String(places[0].sort) : undefined,
  };
}

import type { Fields } from './fields.ts';
import type { Label } from './label.ts';
import type { SectionSpec } from './resource.ts';

/** One record of settings behind one form. Field names are the setting keys with `.` written `_`. */
export interface SettingsSpec {
  readonly name: string;
  readonly menu: string;
  readonly title: Label;
  readonly purpose?: Label;
  readonly fields: Fields;
  /** Setting key of each field. */
  readonly keys: Readonly<Record<string, string>>;
  readonly sections: readonly SectionSpec[];
  /** Every change asks for a reason, and one of the history can be set back by who holds `btn_restore`. */
  readonly reasoned?: true;
  /** Elements besides `btn_save`. */
  readonly elements?: Readonly<Record<string, Label>>;
}

export interface Settings extends SettingsSpec {
  readonly archetype: 'settings';
}

/** Declares a settings screen. Throws when a section or key names an unknown field. */
export function defineSettings(spec: SettingsSpec): Settings {
  for (const name of [...spec.sections.flatMap((section) => section.fields), ...Object.keys(spec.keys)])
    if (!spec.fields[name]) throw new Error(`Settings ${spec.name}: unknown field ${name}`);
  return { ...spec, archetype: 'settings' };
}

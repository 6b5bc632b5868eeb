import { lazy, Suspense, type ReactNode } from 'react';
import type { Field, FileValue } from '../../contract/fields.ts';
import { isEmpty } from '../../contract/input.ts';
import type { Label } from '../../contract/label.ts';
import { fieldsOf, type ResourceSpec } from '../../contract/resource.ts';
import { NOTHING, fileSize } from '../format.rules.ts';
import { useLanguageStore, useText } from '../language.ts';
import { CopyButton } from '../parts/copy-button.tsx';
import { cellValue, isNumeric, type ValueContext } from '../parts/field-value.tsx';
import { useHeld } from '../parts/held.ts';
import type { ScreenSlots } from '../slots.ts';
import { words } from '../texts.ts';
import { LinesTable } from './lines-table.tsx';
import { valueText } from '../value-text.rules.ts';
import type { RowData } from '../wire.ts';

const SafeHtml = lazy(() =>
  import('../parts/safe-html.tsx').then((module) => ({ default: module.SafeHtml })),
);
const Gallery = lazy(() => import('./gallery.tsx').then((module) => ({ default: module.Gallery })));

const WIDE = new Set(['longText', 'richText', 'images', 'files', 'json', 'lines']);

/** The facts of a row in sections of two or three columns, as the contract orders them; grey values without a row. */
export function DetailFacts({
  resource,
  row,
  cells,
}: {
  readonly resource: ResourceSpec;
  readonly row: RowData | undefined;
  readonly cells?: ScreenSlots['cells'];
}) {
  const text = useText();
  const language = useLanguageStore((state) => state.language);
  const held = useHeld(resource);
  const fields = fieldsOf(resource);
  const context: ValueContext = { language, canReveal: held('btn_reveal'), cells };
  return (
    <>
      {factSections(resource).map((section, index) => (
        <section key={index} className="k-facts-section">
          <h3>{text(section.title)}</h3>
          {section.note && <p className="k-quiet">{text(section.note)}</p>}
          <dl className={row ? 'k-facts' : 'k-facts k-skeleton'}>
            {section.fields.map((name) => (
              <div key={name} className={WIDE.has(fields[name]!.kind) ? 'k-fact k-fact-wide' : 'k-fact'}>
                <dt>{text(fields[name]!.label)}</dt>
                <dd className={isNumeric(fields[name]!) ? 'k-number' : ''}>
                  {row ? factValue(name, fields[name]!, row, context) : <span className="k-bone" />}
                </dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
    </>
  );
}

function factValue(name: string, field: Field, row: RowData, context: ValueContext): ReactNode {
  const value = row[name];
  if (context.cells?.[name] || field.mask) return cellValue(name, field, row, context);
  if (isEmpty(value)) return <span className="k-nothing">{NOTHING}</span>;
  switch (field.kind) {
    case 'code':
      return (
        <>
          {String(value)} <CopyButton value={String(value)} />
        </>
      );
    case 'instant':
      return <time>{valueText(field, value, context.language, true)}</time>;
    case 'money':
      return `¥${valueText(field, value, context.language)}`;
    case 'richText':
      return (
        <Suspense fallback={NOTHING}>
          <SafeHtml html={String(value)} />
        </Suspense>
      );
    case 'longText':
      return <span className="k-lines">{String(value)}</span>;
    case 'json':
      return <pre className="k-code">{JSON.stringify(value, null, 2)}</pre>;
    case 'lines':
      return (
        <LinesTable
          field={field}
          rows={value as readonly Readonly<Record<string, unknown>>[]}
          encryptionField={row.encryptionField}
          canReveal={context.canReveal}
        />
      );
    case 'refs':
      return valueText(field, value, context.language);
    case 'image':
    case 'images':
      return (
        <Suspense fallback={NOTHING}>
          <Gallery files={[value].flat() as FileValue[]} />
        </Suspense>
      );
    case 'file':
    case 'files':
      return ([value].flat() as FileValue[]).map((file) => (
        <a key={file.id} className="k-file" href={file.url} target="_blank" rel="noreferrer">
          {file.name} <span className="k-quiet">{fileSize(file.size)}</span>
        </a>
      ));
    default:
      return cellValue(name, field, row, context);
  }
}

function factSections(resource: ResourceSpec): { title: Label; note?: Label; fields: readonly string[] }[] {
  if (resource.detail && resource.detail.sections.length > 0) return [...resource.detail.sections];
  const shown = (names: readonly string[]) => names.filter((name) => !resource.fields[name]?.secret);
  if (resource.form && resource.form.sections.length > 0) {
    const named = new Set(resource.form.sections.flatMap((section) => section.fields));
    const rest = Object.keys(resource.fields).filter((name) => !named.has(name));
    return [
      ...resource.form.sections,
      ...(rest.length > 0 ? [{ title: words.system, fields: rest }] : []),
    ].map((section) => ({ ...section, fields: shown(section.fields) }));
  }
  return [{ title: words.basics, fields: shown(Object.keys(resource.fields)) }];
}

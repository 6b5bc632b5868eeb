import { useState } from 'react';
import { Alert, Radio } from 'antd';
import type { Fields } from '../../contract/fields.ts';
import { useLanguageStore, useText } from '../language.ts';
import { formWords } from '../texts.ts';
import { valueText } from '../value-text.rules.ts';
import type { Conflict } from './form-values.rules.ts';
import type { OpenConflict } from './use-resource-form.ts';

/** Shows what someone else changed meanwhile and lets the staff take theirs or keep their own, field by field. */
export function ConflictPanel(props: {
  readonly fields: Fields;
  readonly conflict: OpenConflict;
  readonly onResolve: (name: string, take: 'theirs' | 'mine') => void;
}) {
  const text = useText();
  const { conflicts, theirs } = props.conflict;
  return (
    <Alert
      type="warning"
      className="k-conflict"
      title={text(formWords.conflictTitle)}
      description={
        <>
          <p>{text(conflicts.length > 0 ? formWords.conflictText : formWords.conflictSame)}</p>
          {conflicts.map((one) => (
            <ConflictRow
              key={one.name}
              fields={props.fields}
              one={one}
              onResolve={(take) => props.onResolve(one.name, take)}
            />
          ))}
          {theirs.map((one) => (
            <TheirChange key={one.name} fields={props.fields} one={one} />
          ))}
        </>
      }
    />
  );
}

function ConflictRow({
  fields,
  one,
  onResolve,
}: {
  readonly fields: Fields;
  readonly one: Conflict;
  readonly onResolve: (take: 'theirs' | 'mine') => void;
}) {
  const text = useText();
  const language = useLanguageStore((state) => state.language);
  const [take, setTake] = useState<'theirs' | 'mine'>('mine');
  const field = fields[one.name]!;
  return (
    <div className="k-conflict-row">
      <strong>{text(field.label)}</strong>
      <Radio.Group
        value={take}
        aria-label={text(field.label)}
        onChange={(event) => {
          const next = event.target.value as 'theirs' | 'mine';
          setTake(next);
          onResolve(next);
        }}
        options={[
          { value: 'mine', label: `${text(formWords.mine)}: ${valueText(field, one.mine, language, true)}` },
          {
            value: 'theirs',
            label: `${text(formWords.theirs)}: ${valueText(field, one.theirs, language, true)}`,
          },
        ]}
      />
    </div>
  );
}

function TheirChange({ fields, one }: { readonly fields: Fields; readonly one: Conflict }) {
  const text = useText();
  const language = useLanguageStore((state) => state.language);
  const field = fields[one.name]!;
  return (
    <div className="k-conflict-row">
      <strong>{text(field.label)}</strong>
      <span>
        <del>{valueText(field, one.before, language, true)}</del> →{' '}
        {valueText(field, one.theirs, language, true)}
      </span>
    </div>
  );
}

import { useRef } from 'react';
import { Button } from 'antd';
import { message } from '../../../kernel/client/feedback.ts';
import { FieldInput } from '../../../kernel/client/form/field-input.tsx';
import { useText } from '../../../kernel/client/language.ts';
import type { SlotInputProps } from '../../../kernel/client/slots.ts';
import type { Field } from '../../../kernel/contract/fields.ts';
import { phonesOfFile } from './push-phones.rules.ts';

const MEGABYTE = 1024 * 1024;

/** A list of phones, typed or read from a text or CSV file; what a file brings is seen before it is saved. */
export function PhonesInput({
  field,
  id,
  value,
  onChange,
  disabled,
}: SlotInputProps & { readonly field: Field }) {
  const text = useText();
  const input = useRef<HTMLInputElement>(null);
  const read = async (file: File | undefined) => {
    if (!file) return;
    const found = file.size <= MEGABYTE ? phonesOfFile(await file.text()) : '';
    if (found) onChange?.(found);
    else
      message.warning(
        text(['文件中没有手机号，或超过 1 MB', 'There are no phones in the file, or it is above 1 MB']),
        5,
      );
  };
  const label = `${text(['从文件读取', 'Read a file'])} ${text(field.label)}`;
  return (
    <>
      <FieldInput
        field={field}
        value={value}
        disabled={disabled}
        onChange={(next) => onChange?.(next)}
        {...(id ? { id } : {})}
      />
      <input
        ref={input}
        type="file"
        hidden
        aria-label={label}
        accept=".txt,.csv,text/plain,text/csv"
        onChange={(event) => {
          void read(event.target.files?.[0]);
          event.target.value = '';
        }}
      />
      <Button
        type="link"
        size="small"
        aria-label={label}
        disabled={disabled}
        onClick={() => input.current?.click()}
      >
        {text(['从 txt、csv 文件读取', 'Read a txt or csv file'])}
      </Button>
    </>
  );
}

import { FieldInput } from '../../../kernel/client/form/field-input.tsx';
import type { SlotInputProps } from '../../../kernel/client/slots.ts';
import type { Field } from '../../../kernel/contract/fields.ts';
import { EmojiPanel } from './emojied.tsx';
import './emoji.css';

/** The input of a content of staff with the panel of pictures beside it. Source: group 01, Content rules. */
export function EmojiInput({
  field,
  id,
  value,
  onChange,
  disabled,
}: SlotInputProps & { readonly field: Field }) {
  const change = (next: unknown) => onChange?.(next);
  return (
    <>
      <FieldInput field={field} value={value} onChange={change} disabled={disabled} {...(id ? { id } : {})} />
      {!disabled && (
        <div className="em-beside">
          <EmojiPanel onPick={(code) => put(code, id, String(value ?? ''), change)} />
        </div>
      )}
    </>
  );
}

/** Puts a code where the cursor stands: into plain text by its value, into formatted text as if it was pasted. */
function put(code: string, id: string | undefined, value: string, change: (next: string) => void): void {
  const input = id === undefined ? null : document.getElementById(id);
  if (input?.isContentEditable) {
    input.focus();
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/plain', code);
    input.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
    return;
  }
  const area = input instanceof HTMLTextAreaElement ? input : undefined;
  const from = area?.selectionStart ?? value.length;
  change(value.slice(0, from) + code + value.slice(area?.selectionEnd ?? from));
  requestAnimationFrame(() => {
    area?.focus();
    area?.setSelectionRange(from + code.length, from + code.length);
  });
}

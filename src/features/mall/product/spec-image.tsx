import { useRef, useState } from 'react';
import { Button } from 'antd';
import { CloseOutlined, PictureOutlined } from '@ant-design/icons';
import { call } from '../../../kernel/client/api-client.ts';
import { message } from '../../../kernel/client/feedback.ts';
import { useText } from '../../../kernel/client/language.ts';
import { words } from '../../../kernel/client/texts.ts';
import type { FileValue } from '../../../kernel/contract/fields.ts';

const TYPES = ['image/jpeg', 'image/png', 'image/webp', 'image/gif'];
const MOST_BYTES = 10 * 1024 * 1024;

/** The picture of one spec in a cell of the matrix: a click chooses another file, the cross takes it away. */
export function SpecImage(props: {
  readonly value: string | null;
  readonly label: string;
  readonly disabled: boolean;
  readonly onChange: (id: string | null) => void;
}) {
  const text = useText();
  const input = useRef<HTMLInputElement>(null);
  const [busy, setBusy] = useState(false);
  const upload = async (file: File) => {
    if (!TYPES.includes(file.type) || file.size > MOST_BYTES)
      return void message.warning(text(['请选择不超过10MB的图片', 'Choose a picture of up to 10 MB']), 5);
    setBusy(true);
    try {
      const multipart = new FormData();
      multipart.append('file', file);
      const stored = await call<FileValue>('POST', '/api/jinmao/web/file', { multipart, timeout: 120_000 });
      props.onChange(stored.id);
    } catch {
      // The frame has shown why.
    } finally {
      setBusy(false);
    }
  };
  return (
    <span className="spec-image">
      <input
        ref={input}
        type="file"
        hidden
        accept={TYPES.join(',')}
        aria-label={props.label}
        onChange={(event) => {
          const file = event.target.files?.[0];
          if (file) void upload(file);
          event.target.value = '';
        }}
      />
      <Button
        type={props.value ? 'text' : 'dashed'}
        size="small"
        disabled={props.disabled}
        loading={busy}
        aria-label={props.label}
        title={props.label}
        {...(props.value ? {} : { icon: <PictureOutlined /> })}
        onClick={() => input.current?.click()}
      >
        {props.value && <img src={`/api/file/${props.value}`} alt="" width={32} height={32} />}
      </Button>
      {props.value && !props.disabled && (
        <button
          type="button"
          className="k-eye"
          aria-label={`${text(words.remove)} ${props.label}`}
          onClick={() => props.onChange(null)}
        >
          <CloseOutlined aria-hidden />
        </button>
      )}
    </span>
  );
}

import { useRef, useState } from 'react';
import { Button, Image } from 'antd';
import { CloseOutlined, LeftOutlined, PaperClipOutlined, PlusOutlined } from '@ant-design/icons';
import { message } from '../feedback.ts';
import type { FileValue } from '../../contract/fields.ts';
import { fill } from '../../contract/label.ts';
import { call } from '../api-client.ts';
import { fileSize } from '../format.rules.ts';
import { useText } from '../language.ts';
import { formWords, words } from '../texts.ts';

const IMAGE_TYPES = ['image/jpeg', 'image/png', 'image/webp', 'image/gif'];
const MEGABYTE = 1024 * 1024;

/** Pixels of the shorter side of a picture; what the browser cannot read is left to the server. */
async function shorterSide(file: File): Promise<number> {
  const picture = await createImageBitmap(file).catch(() => undefined);
  const side = picture ? Math.min(picture.width, picture.height) : Infinity;
  picture?.close();
  return side;
}

/** Uploads images (with preview and order) or files at once; the form keeps what the server answered. */
export function UploadInput(props: {
  readonly value: readonly FileValue[];
  readonly onChange: (files: readonly FileValue[]) => void;
  readonly image: boolean;
  readonly max: number;
  /** Largest file in MB, where the field allows less than uploads do. */
  readonly megabytes?: number | undefined;
  /** Fewest pixels of a picture on each side. */
  readonly pixels?: number | undefined;
  readonly label: string;
  readonly disabled?: boolean;
  readonly id?: string;
}) {
  const text = useText();
  const input = useRef<HTMLInputElement>(null);
  const [busy, setBusy] = useState(0);
  const most = props.image ? 10 : 20;
  const limit = Math.min(props.megabytes ?? most, most);
  const room = props.max - props.value.length;
  const add = async (chosen: readonly File[]) => {
    let files = props.value;
    if (chosen.length > room) void message.warning(text(fill(formWords.tooMany, { n: props.max })), 3);
    for (const file of chosen.slice(0, room)) {
      const problem =
        file.size > limit * MEGABYTE
          ? formWords.tooLarge
          : props.image && !IMAGE_TYPES.includes(file.type)
            ? formWords.notImage
            : undefined;
      if (problem) {
        void message.warning(text(fill(problem, { name: file.name, n: limit })), 5);
        continue;
      }
      if (props.pixels !== undefined && (await shorterSide(file)) < props.pixels) {
        void message.warning(text(fill(formWords.tooSmall, { name: file.name, n: props.pixels })), 5);
        continue;
      }
      setBusy((count) => count + 1);
      try {
        const multipart = new FormData();
        multipart.append('file', file);
        files = [
          ...files,
          await call<FileValue>('POST', '/api/jinmao/web/file', { multipart, timeout: 120_000 }),
        ];
        props.onChange(files);
      } catch {
        // The frame has shown why; the others go on.
      } finally {
        setBusy((count) => count - 1);
      }
    }
  };
  const drop = (file: FileValue) => props.onChange(props.value.filter((one) => one.id !== file.id));
  const forward = (index: number) => {
    const next = [...props.value];
    next.splice(index - 1, 0, next.splice(index, 1)[0]!);
    props.onChange(next);
  };
  return (
    <div
      className="k-upload"
      {...(props.id ? { id: props.id } : {})}
      tabIndex={-1}
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        if (!props.disabled) void add([...event.dataTransfer.files]);
      }}
    >
      <input
        ref={input}
        type="file"
        hidden
        aria-label={props.label}
        multiple={props.max > 1}
        accept={props.image ? IMAGE_TYPES.join(',') : undefined}
        onChange={(event) => {
          void add([...(event.target.files ?? [])]);
          event.target.value = '';
        }}
      />
      <div className={props.image ? 'k-upload-images' : 'k-upload-files'}>
        {props.value.map((file, index) => (
          <div key={file.id} className="k-upload-one">
            {props.image ? (
              <Image src={file.url} alt={file.name} width={80} height={80} />
            ) : (
              <a href={file.url} target="_blank" rel="noreferrer">
                <PaperClipOutlined aria-hidden /> {file.name}{' '}
                <span className="k-quiet">{fileSize(file.size)}</span>
              </a>
            )}
            {!props.disabled && (
              <span className="k-upload-tools">
                {props.image && index > 0 && (
                  <button
                    type="button"
                    className="k-eye"
                    aria-label={`${text(words.moveUp)} ${file.name}`}
                    onClick={() => forward(index)}
                  >
                    <LeftOutlined aria-hidden />
                  </button>
                )}
                <button
                  type="button"
                  className="k-eye"
                  aria-label={`${text(words.remove)} ${file.name}`}
                  onClick={() => drop(file)}
                >
                  <CloseOutlined aria-hidden />
                </button>
              </span>
            )}
          </div>
        ))}
        {room > 0 && !props.disabled && (
          <Button
            className={props.image ? 'k-upload-add' : ''}
            type="dashed"
            loading={busy > 0}
            icon={<PlusOutlined />}
            aria-label={`${text(formWords.upload)} ${props.label}`}
            onClick={() => input.current?.click()}
          >
            {text(formWords.upload)}
          </Button>
        )}
      </div>
      <div className="k-quiet k-small">
        {text(fill(props.image ? formWords.uploadHint : formWords.fileHint, { n: limit }))}
      </div>
    </div>
  );
}

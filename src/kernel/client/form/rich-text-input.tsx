import { useRef, useState } from 'react';
import { Button, Segmented } from 'antd';
import {
  BoldOutlined,
  ItalicOutlined,
  LinkOutlined,
  OrderedListOutlined,
  PictureOutlined,
  UnorderedListOutlined,
} from '@ant-design/icons';
import type { FileValue } from '../../contract/fields.ts';
import { call } from '../api-client.ts';
import { useText } from '../language.ts';
import { SafeHtml } from '../parts/safe-html.tsx';
import { formWords } from '../texts.ts';
import { insertTag, type TagKind } from './rich-text.rules.ts';

/** Formatted text: tags typed or put in by the tool bar, and the cleaned result to look at. */
export function RichTextInput(props: {
  readonly value: string;
  readonly onChange: (html: string) => void;
  readonly onBlur?: () => void;
  readonly label: string;
  readonly disabled?: boolean;
  readonly id?: string;
}) {
  const text = useText();
  const area = useRef<HTMLTextAreaElement>(null);
  const picture = useRef<HTMLInputElement>(null);
  const [mode, setMode] = useState<'write' | 'preview'>('write');
  const put = (kind: TagKind, extra?: string) => {
    const element = area.current;
    if (!element) return;
    const next = insertTag(props.value, element.selectionStart, element.selectionEnd, kind, extra);
    props.onChange(next.html);
    requestAnimationFrame(() => {
      element.focus();
      element.setSelectionRange(next.start, next.end);
    });
  };
  const upload = async (file: File | undefined) => {
    if (!file) return;
    const multipart = new FormData();
    multipart.append('file', file);
    // The frame shows why it failed.
    const saved = await call<FileValue>('POST', '/api/jinmao/web/file', {
      multipart,
      timeout: 120_000,
    }).catch(() => undefined);
    if (saved) put('image', saved.url);
  };
  const tools: readonly [TagKind, React.ReactNode, readonly [string, string]][] = [
    ['heading', <b key="h">H</b>, ['标题', 'Heading']],
    ['bold', <BoldOutlined key="b" />, ['加粗', 'Bold']],
    ['italic', <ItalicOutlined key="i" />, ['斜体', 'Italic']],
    ['list', <UnorderedListOutlined key="u" />, ['列表', 'List']],
    ['numbered', <OrderedListOutlined key="o" />, ['编号列表', 'Numbered list']],
    ['link', <LinkOutlined key="l" />, ['链接', 'Link']],
  ];
  return (
    <div className="k-rich-editor">
      <div className="k-rich-tools">
        {tools.map(([kind, icon, label]) => (
          <Button
            key={kind}
            type="text"
            size="small"
            icon={icon}
            disabled={props.disabled === true || mode === 'preview'}
            aria-label={text(label)}
            title={text(label)}
            onClick={() => put(kind)}
          />
        ))}
        <Button
          type="text"
          size="small"
          icon={<PictureOutlined />}
          disabled={props.disabled === true || mode === 'preview'}
          aria-label={text(['图片', 'Image'])}
          title={text(['图片', 'Image'])}
          onClick={() => picture.current?.click()}
        />
        <input
          ref={picture}
          type="file"
          hidden
          accept="image/*"
          aria-label={text(['图片', 'Image'])}
          onChange={(event) => void upload(event.target.files?.[0])}
        />
        <Segmented
          size="small"
          value={mode}
          onChange={setMode}
          options={[
            { value: 'write', label: text(formWords.write) },
            { value: 'preview', label: text(formWords.preview) },
          ]}
        />
      </div>
      {mode === 'preview' ? (
        <div className="k-rich-preview">
          <SafeHtml html={props.value} />
        </div>
      ) : (
        <textarea
          ref={area}
          {...(props.id ? { id: props.id } : {})}
          className="k-rich-area"
          aria-label={props.label}
          value={props.value}
          disabled={props.disabled === true}
          rows={10}
          onChange={(event) => props.onChange(event.target.value)}
          onBlur={props.onBlur}
        />
      )}
    </div>
  );
}

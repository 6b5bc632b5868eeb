import { useEffect, useRef, useState } from 'react';
import { Segmented } from 'antd';
import { EditorContent, useEditor, useEditorState, type Editor } from '@tiptap/react';
import Image from '@tiptap/extension-image';
import StarterKit from '@tiptap/starter-kit';
import type { FileValue } from '../../contract/fields.ts';
import type { Label } from '../../contract/label.ts';
import { call } from '../api-client.ts';
import { useText } from '../language.ts';
import { Icon } from '../parts/icon.tsx';
import { LightInput } from '../parts/light-input.tsx';
import { PopButton } from '../parts/pop-button.tsx';
import { formWords, words } from '../texts.ts';
import { linkAddress, needsSource } from './rich-text.rules.ts';

const EXTENSIONS = [
  StarterKit.configure({
    heading: { levels: [2, 3, 4] },
    link: { openOnClick: false, autolink: true, HTMLAttributes: { target: null, rel: null, class: null } },
  }),
  Image.configure({ inline: true }),
];

/** Formatted text as it will look; pictures are uploaded when chosen, pasted or dropped. The source can be changed too. */
export function RichTextInput(props: {
  readonly value: string;
  readonly onChange: (html: string) => void;
  readonly onBlur?: () => void;
  readonly label: string;
  readonly disabled?: boolean;
  readonly id?: string;
}) {
  const text = useText();
  const [asSource, setSource] = useState(false);
  const onlySource = needsSource(props.value);
  const source = asSource || onlySource;
  return (
    <div className="k-rich-editor">
      {source ? (
        <>
          <div className="k-rich-tools">
            {onlySource && <span className="k-quiet k-small">{text(formWords.onlySource)}</span>}
            <Modes source disabled={onlySource} onChange={setSource} />
          </div>
          <textarea
            {...(props.id ? { id: props.id } : {})}
            className="k-rich-area"
            aria-label={props.label}
            spellCheck={false}
            value={props.value}
            disabled={props.disabled === true}
            rows={10}
            onChange={(event) => props.onChange(event.target.value)}
            onBlur={props.onBlur}
          />
        </>
      ) : (
        <VisualEditor {...props} onSource={() => setSource(true)} />
      )}
    </div>
  );
}

function VisualEditor(props: {
  readonly value: string;
  readonly onChange: (html: string) => void;
  readonly onBlur?: () => void;
  readonly label: string;
  readonly disabled?: boolean;
  readonly id?: string;
  readonly onSource: () => void;
}) {
  const { value, disabled = false } = props;
  // What the editor said last: only a value from elsewhere (a draft, a reset) is put into it.
  const said = useRef(value);
  const picture = useRef<HTMLInputElement>(null);
  const editor: Editor = useEditor({
    extensions: EXTENSIONS,
    content: value,
    editable: !disabled,
    editorProps: {
      attributes: {
        class: 'k-rich',
        role: 'textbox',
        'aria-multiline': 'true',
        'aria-label': props.label,
        ...(props.id ? { id: props.id } : {}),
      },
      handlePaste: (_view, event) => takePictures(editor, event.clipboardData?.files),
      handleDrop: (_view, event) => takePictures(editor, event.dataTransfer?.files),
    },
    onUpdate: ({ editor: now }) => {
      // The empty line that always waits behind a list is no text.
      said.current = now.isEmpty ? '' : now.getHTML().replace(/(<p><\/p>)+$/, '');
      props.onChange(said.current);
    },
    onBlur: () => props.onBlur?.(),
  });
  useEffect(() => {
    if (value === said.current) return;
    said.current = value;
    editor.commands.setContent(value, { emitUpdate: false });
  }, [editor, value]);
  useEffect(() => editor.setEditable(!disabled, false), [editor, disabled]);
  return (
    <>
      <div className="k-rich-tools" role="toolbar" aria-label={props.label}>
        {!disabled && <Tools editor={editor} onPicture={() => picture.current?.click()} />}
        <Modes source={false} disabled={false} onChange={props.onSource} />
      </div>
      <input
        ref={picture}
        type="file"
        hidden
        accept="image/*"
        aria-label={props.label}
        onChange={(event) => {
          takePictures(editor, event.target.files ?? undefined);
          event.target.value = '';
        }}
      />
      <EditorContent editor={editor} />
    </>
  );
}

function Modes(props: {
  readonly source: boolean;
  readonly disabled: boolean;
  readonly onChange: (source: boolean) => void;
}) {
  const text = useText();
  return (
    <Segmented
      size="small"
      disabled={props.disabled}
      value={props.source ? 'source' : 'write'}
      onChange={(mode) => props.onChange(mode === 'source')}
      options={[
        { value: 'write', label: text(formWords.write) },
        { value: 'source', label: text(formWords.source) },
      ]}
    />
  );
}

type Command = readonly [
  name: string,
  icon: Parameters<typeof Icon>[0]['name'],
  label: Label,
  run: (editor: Editor) => void,
  attributes?: Record<string, unknown>,
];

const COMMANDS: readonly Command[] = [
  [
    'heading',
    'heading',
    ['标题', 'Heading'],
    (editor) => editor.chain().focus().toggleHeading({ level: 3 }).run(),
  ],
  ['bold', 'bold', ['加粗', 'Bold'], (editor) => editor.chain().focus().toggleBold().run()],
  ['italic', 'italic', ['斜体', 'Italic'], (editor) => editor.chain().focus().toggleItalic().run()],
  ['bulletList', 'list', ['列表', 'List'], (editor) => editor.chain().focus().toggleBulletList().run()],
  [
    'orderedList',
    'numbered',
    ['编号列表', 'Numbered list'],
    (editor) => editor.chain().focus().toggleOrderedList().run(),
  ],
  ['blockquote', 'quote', ['引用', 'Quote'], (editor) => editor.chain().focus().toggleBlockquote().run()],
];

function Tools({ editor, onPicture }: { readonly editor: Editor; readonly onPicture: () => void }) {
  const text = useText();
  const now = useEditorState({
    editor,
    selector: ({ editor: one }) => ({
      active: COMMANDS.filter(([name]) => one.isActive(name)).map(([name]) => name),
      link: one.isActive('link') ? String(one.getAttributes('link').href ?? '') : undefined,
      undo: one.can().undo(),
      redo: one.can().redo(),
    }),
  });
  const tool = (
    key: string,
    icon: Parameters<typeof Icon>[0]['name'],
    label: Label,
    run: () => void,
    state: { readonly pressed?: boolean; readonly disabled?: boolean } = {},
  ) => (
    <button
      key={key}
      type="button"
      className="k-tool k-rich-tool"
      {...(state.pressed === undefined ? {} : { 'aria-pressed': state.pressed })}
      disabled={state.disabled ?? false}
      aria-label={text(label)}
      title={text(label)}
      // The text keeps the focus and with it what is chosen in it.
      onMouseDown={(event) => event.preventDefault()}
      onClick={run}
    >
      <Icon name={icon} />
    </button>
  );
  return (
    <>
      {COMMANDS.map(([name, icon, label, run]) =>
        tool(name, icon, label, () => run(editor), { pressed: now.active.includes(name) }),
      )}
      <LinkTool editor={editor} link={now.link} />
      {tool('image', 'picture', ['图片', 'Image'], onPicture)}
      {tool('undo', 'undo', ['撤销', 'Undo'], () => editor.chain().focus().undo().run(), {
        disabled: !now.undo,
      })}
      {tool('redo', 'redo', ['重做', 'Redo'], () => editor.chain().focus().redo().run(), {
        disabled: !now.redo,
      })}
    </>
  );
}

function LinkTool({ editor, link }: { readonly editor: Editor; readonly link: string | undefined }) {
  const text = useText();
  const [open, setOpen] = useState(false);
  const [typed, setTyped] = useState('');
  const address = linkAddress(typed);
  const put = () => {
    if (!address) return;
    setOpen(false);
    const chain = editor.chain().focus().extendMarkRange('link');
    if (editor.state.selection.empty && link === undefined)
      chain
        .insertContent({
          type: 'text',
          text: typed.trim(),
          marks: [{ type: 'link', attrs: { href: address } }],
        })
        .run();
    else chain.setLink({ href: address }).run();
  };
  return (
    <PopButton
      open={open}
      onOpenChange={(now) => {
        setTyped(link ?? '');
        setOpen(now);
      }}
      className="k-tool k-rich-tool"
      label={text(formWords.link)}
      title={text(formWords.link)}
      panel={
        <div
          ref={focusInput}
          className="k-rich-link"
          onKeyDown={(event) => {
            if (event.key !== 'Enter') return;
            // Not the form around it.
            event.preventDefault();
            put();
          }}
        >
          <LightInput
            value={typed}
            placeholder="https://"
            aria-label={text(formWords.linkAddress)}
            onChange={setTyped}
          />
          <button type="button" className="k-button" disabled={!address} onClick={put}>
            {text(words.ok)}
          </button>
          {link !== undefined && (
            <button
              type="button"
              className="k-button"
              onClick={() => {
                setOpen(false);
                editor.chain().focus().extendMarkRange('link').unsetLink().run();
              }}
            >
              {text(words.remove)}
            </button>
          )}
        </div>
      }
    >
      <Icon name="link" />
    </PopButton>
  );
}

/** The panel is shown behind its drawing: only then its input can take the focus. */
function focusInput(panel: HTMLElement | null): void {
  if (panel) requestAnimationFrame(() => panel.querySelector('input')?.focus());
}

/** Uploads pictures and puts them where the cursor is; false when there are none among the files. */
function takePictures(editor: Editor | null, files: FileList | undefined): boolean {
  const pictures = [...(files ?? [])].filter((file) => file.type.startsWith('image/'));
  if (!editor || pictures.length === 0) return false;
  void (async () => {
    for (const file of pictures) {
      const multipart = new FormData();
      multipart.append('file', file);
      // The frame shows why it failed.
      const saved = await call<FileValue>('POST', '/api/jinmao/web/file', {
        multipart,
        timeout: 120_000,
      }).catch(() => undefined);
      if (saved && !editor.isDestroyed)
        editor.chain().focus().setImage({ src: saved.url, alt: saved.name }).run();
    }
  })();
  return true;
}

import { useEffect, useEffectEvent, useRef, useState, type KeyboardEvent, type ReactNode } from 'react';
import { placeLayer, type LayerAlign } from './place-layer.ts';
import { useEscape } from './use-escape.ts';
import '../kernel.css';

/** One entry of a menu, or a line between entries. */
export type MenuEntry =
  | 'line'
  | {
      readonly key: string;
      readonly label: ReactNode;
      readonly run: () => void;
      readonly danger?: boolean;
      readonly disabled?: boolean;
      readonly title?: string | undefined;
    };

/** What a button with a menu is given. */
export interface MenuButtonProps {
  readonly entries: readonly MenuEntry[];
  readonly children: ReactNode;
  readonly className: string;
  readonly label?: string | undefined;
  readonly title?: string | undefined;
  readonly align?: LayerAlign;
  readonly tabIndex?: number;
}

/** A button that opens a menu. The menu exists only while it is open: a list holds twenty of them. */
export function MenuButton(props: MenuButtonProps) {
  const button = useRef<HTMLButtonElement>(null);
  const [open, setOpen] = useState(false);
  const close = () => setOpen(false);
  return (
    <>
      <button
        ref={button}
        type="button"
        className={props.className}
        {...(props.tabIndex === undefined ? {} : { tabIndex: props.tabIndex })}
        aria-haspopup="menu"
        aria-expanded={open}
        {...(props.label ? { 'aria-label': props.label } : {})}
        {...(props.title ? { title: props.title } : {})}
        onClick={() => setOpen(!open)}
        onKeyDown={(event) => {
          if (event.key !== 'ArrowDown' || open) return;
          event.preventDefault();
          setOpen(true);
        }}
      >
        {props.children}
      </button>
      {open && (
        <Menu
          entries={props.entries}
          anchor={button}
          align={props.align ?? 'start'}
          label={props.label}
          onClose={close}
        />
      )}
    </>
  );
}

function Menu(props: {
  readonly entries: readonly MenuEntry[];
  readonly anchor: { readonly current: HTMLElement | null };
  readonly align: LayerAlign;
  readonly label: string | undefined;
  readonly onClose: () => void;
}) {
  const { anchor, align, onClose } = props;
  const menu = useRef<HTMLDivElement>(null);
  const leave = useEffectEvent(onClose);
  const leaveToButton = () => {
    anchor.current?.focus({ preventScroll: true });
    onClose();
  };
  useEscape(true, leaveToButton);
  useEffect(() => {
    const layer = menu.current!;
    const end = placeLayer(layer, anchor.current!, align);
    layer.querySelector<HTMLElement>('[role=menuitem]:not(:disabled)')?.focus({ preventScroll: true });
    const onOutside = (event: Event) => {
      const target = event.target as Node;
      if (!layer.contains(target) && !anchor.current?.contains(target)) leave();
    };
    const onBlur = () => leave();
    document.addEventListener('pointerdown', onOutside, true);
    window.addEventListener('blur', onBlur);
    return () => {
      end();
      document.removeEventListener('pointerdown', onOutside, true);
      window.removeEventListener('blur', onBlur);
      // A tab that is hidden with an open menu comes back without it.
      leave();
    };
  }, [anchor, align]);
  const onKeyDown = (event: KeyboardEvent) => {
    const items = [...menu.current!.querySelectorAll<HTMLElement>('[role=menuitem]:not(:disabled)')];
    const at = items.indexOf(document.activeElement as HTMLElement);
    const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: items.length - 1 }[event.key];
    if (next !== undefined) {
      event.preventDefault();
      event.stopPropagation();
      items[(next + items.length) % items.length]?.focus();
    } else if (event.key === 'Tab') {
      event.preventDefault();
      event.stopPropagation();
      leaveToButton();
    }
  };
  return (
    <div
      ref={menu}
      className="k-menu"
      role="menu"
      popover="manual"
      aria-label={props.label}
      onKeyDown={onKeyDown}
    >
      {props.entries.map((entry, index) =>
        entry === 'line' ? (
          <hr key={index} />
        ) : (
          <button
            key={entry.key}
            type="button"
            role="menuitem"
            tabIndex={-1}
            className={entry.danger ? 'k-menu-danger' : ''}
            disabled={entry.disabled}
            title={entry.title}
            onClick={(event) => {
              event.stopPropagation();
              // Before the action, which may move the focus on.
              anchor.current?.focus({ preventScroll: true });
              onClose();
              entry.run();
            }}
          >
            {entry.label}
          </button>
        ),
      )}
    </div>
  );
}

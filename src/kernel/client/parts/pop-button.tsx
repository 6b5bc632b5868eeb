import { useEffect, useEffectEvent, useId, useRef, type CSSProperties, type ReactNode } from 'react';
import { placeLayer, type LayerAlign } from './place-layer.ts';
import { useEscape } from './use-escape.ts';
import '../kernel.css';

/** What a button with a panel is given. */
export interface PopButtonProps {
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
  /** Drawn only while open. */
  readonly panel: ReactNode;
  readonly children: ReactNode;
  readonly className: string;
  readonly label?: string | undefined;
  readonly title?: string | undefined;
  readonly align?: LayerAlign;
  readonly panelStyle?: CSSProperties;
  /** Also opens while the pointer or the focus is on it. */
  readonly hover?: boolean;
}

/** A button that opens a panel beside it; Esc and a click elsewhere close it. */
export function PopButton(props: PopButtonProps) {
  const { open, onOpenChange } = props;
  const button = useRef<HTMLButtonElement>(null);
  const id = useId();
  const shownAt = useRef(0);
  const show = () => {
    shownAt.current = Date.now();
    onOpenChange(true);
  };
  const hover = props.hover
    ? {
        onPointerEnter: show,
        onPointerLeave: () => onOpenChange(false),
        onFocus: show,
        onBlur: () => onOpenChange(false),
      }
    : {};
  return (
    <>
      <button
        ref={button}
        type="button"
        className={props.className}
        aria-expanded={open}
        aria-controls={open ? id : undefined}
        {...(props.label ? { 'aria-label': props.label } : {})}
        {...(props.title ? { title: props.title } : {})}
        {...hover}
        onClick={() => {
          // The focus or the pointer that came with this click has just opened it.
          if (props.hover && Date.now() - shownAt.current < 300) return;
          onOpenChange(!open);
        }}
      >
        {props.children}
      </button>
      {open && (
        <Panel
          id={id}
          anchor={button}
          align={props.align ?? 'start'}
          style={props.panelStyle}
          label={props.label ?? props.title}
          onClose={() => onOpenChange(false)}
        >
          {props.panel}
        </Panel>
      )}
    </>
  );
}

function Panel(props: {
  readonly id: string;
  readonly anchor: { readonly current: HTMLElement | null };
  readonly align: LayerAlign;
  readonly style: CSSProperties | undefined;
  readonly label: string | undefined;
  readonly onClose: () => void;
  readonly children: ReactNode;
}) {
  const { anchor, align } = props;
  const panel = useRef<HTMLDivElement>(null);
  const leave = useEffectEvent(props.onClose);
  useEscape(true, () => {
    const focused = document.activeElement;
    if (focused === document.body || panel.current?.contains(focused))
      anchor.current?.focus({ preventScroll: true });
    props.onClose();
  });
  useEffect(() => {
    const layer = panel.current!;
    const end = placeLayer(layer, anchor.current!, align);
    const onOutside = (event: Event) => {
      const target = event.target as Node;
      // What a press removes (a row of the panel) is no longer part of it, but it was.
      if (target.isConnected && !layer.contains(target) && !anchor.current?.contains(target)) leave();
    };
    document.addEventListener('pointerdown', onOutside, true);
    return () => {
      end();
      document.removeEventListener('pointerdown', onOutside, true);
    };
  }, [anchor, align]);
  return (
    <div
      ref={panel}
      id={props.id}
      className="k-pop"
      popover="manual"
      role="group"
      aria-label={props.label}
      style={props.style}
    >
      {props.children}
    </div>
  );
}

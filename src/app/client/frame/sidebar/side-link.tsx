import type { MouseEvent } from 'react';
import { useText } from '../../../../kernel/client/language.ts';
import { MenuIcon } from '../../../../kernel/client/parts/menu-icon.tsx';
import { fill, type Label } from '../../../../kernel/contract/label.ts';
import { go } from '../../location/location.ts';
import { useFavourites } from './use-favourites.ts';

/**
 * A link of the side menu with badge and star; opens in the frame, with Ctrl or the middle button in a new window.
 * `outside` is an address that always opens in a window of its own.
 */
export function SideLink(props: {
  readonly path: string;
  readonly outside?: string | undefined;
  readonly code: string;
  readonly title: Label;
  readonly isCurrent: boolean;
  readonly icon?: string;
  readonly collapsed?: boolean;
  readonly badge?: string;
  readonly canBeFavourite?: boolean;
}) {
  const text = useText();
  const { path, code, title, isCurrent, icon, collapsed = false, badge } = props;
  const open = (event: MouseEvent) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return;
    if (props.outside) return;
    event.preventDefault();
    go(path);
  };
  const waiting = badge && text(fill(['{n} 笔待审核', '{n} to audit'], { n: badge }));
  return (
    <div className="side-row">
      <a
        href={props.outside ?? path}
        {...(props.outside && { target: '_blank', rel: 'noopener noreferrer' })}
        className="side-link"
        aria-current={isCurrent ? 'page' : undefined}
        title={text(title)}
        onClick={open}
      >
        {icon && <MenuIcon name={icon} code={code} />}
        {!collapsed && <span className="side-title">{text(title)}</span>}
        {badge && (
          <span className="side-badge">
            <span aria-hidden="true">{badge}</span>
            <span className="visually-hidden">{waiting}</span>
          </span>
        )}
      </a>
      {props.canBeFavourite && <Star code={code} title={title} />}
    </div>
  );
}

function Star({ code, title }: { readonly code: string; readonly title: Label }) {
  const text = useText();
  const { codes, toggle } = useFavourites();
  const isOn = codes.includes(code);
  const action: Label = isOn ? ['取消收藏', 'Remove from favourites'] : ['收藏', 'Add to favourites'];
  return (
    <button
      type="button"
      className="side-star"
      aria-pressed={isOn}
      aria-label={`${text(action)}: ${text(title)}`}
      title={text(action)}
      onClick={(event) => {
        event.stopPropagation();
        toggle(code);
      }}
    >
      <svg viewBox="0 0 24 24" width="14" height="14" aria-hidden="true">
        <path d="M12 3.5l2.6 5.4 5.9.8-4.3 4.1 1 5.9-5.2-2.8-5.2 2.8 1-5.9L3.5 9.7l5.9-.8z" />
      </svg>
    </button>
  );
}

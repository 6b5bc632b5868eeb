import { useState } from 'react';
import { Button, Popover } from 'antd';
import { useText } from '../../../kernel/client/language.ts';
import { MENU_ICONS, MenuIcon } from '../../../kernel/client/parts/menu-icon.tsx';
import type { SlotInputProps } from '../../../kernel/client/slots.ts';

/** Icons of menus as they are drawn in the side menu, and `hidden`. */
export function IconPicker({ id, value, onChange, disabled }: SlotInputProps) {
  const text = useText();
  const [open, setOpen] = useState(false);
  const chosen = (value as string | undefined) ?? '';
  const choose = (icon: string | undefined) => {
    onChange?.(icon);
    setOpen(false);
  };
  const icons =
    chosen && chosen !== 'hidden' && !MENU_ICONS.includes(chosen) ? [chosen, ...MENU_ICONS] : MENU_ICONS;
  return (
    <Popover
      trigger="click"
      placement="bottomLeft"
      open={open && !disabled}
      onOpenChange={setOpen}
      content={
        <div className="icon-picker" role="listbox" aria-label={text(['图标', 'Icon'])}>
          {icons.map((icon) => (
            <button
              key={icon}
              type="button"
              role="option"
              aria-selected={icon === chosen}
              title={icon}
              onClick={() => choose(icon)}
            >
              <MenuIcon name={icon} code="" />
            </button>
          ))}
          <span className="icon-words">
            <Button size="small" type="text" onClick={() => choose('hidden')}>
              {text(['hidden（不显示）', 'hidden (not shown)'])}
            </Button>
            <Button size="small" type="text" onClick={() => choose(undefined)}>
              {text(['清除', 'Clear'])}
            </Button>
          </span>
        </div>
      }
    >
      <Button {...(id ? { id } : {})} className="icon-chosen" disabled={disabled} aria-haspopup="listbox">
        {chosen === 'hidden' ? (
          text(['不显示', 'Not shown'])
        ) : chosen ? (
          <>
            <MenuIcon name={chosen} code="" /> {chosen}
          </>
        ) : (
          text(['选择图标', 'Choose an icon'])
        )}
      </Button>
    </Popover>
  );
}

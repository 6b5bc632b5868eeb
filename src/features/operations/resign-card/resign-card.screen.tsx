import { useState } from 'react';
import { Button } from 'antd';
import { SettingOutlined } from '@ant-design/icons';
import { useText } from '../../../kernel/client/language.ts';
import { AppDrawer } from '../../../kernel/client/parts/app-drawer.tsx';
import { useHeld } from '../../../kernel/client/parts/held.ts';
import { TabList } from '../../../kernel/client/parts/tab-list.tsx';
import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import { useView } from '../../../kernel/client/view.ts';
import { resignCard, resignCardSettings, resignCardUse } from './resign-card.contract.ts';

/** Opens the settings, for who may change them. */
function SettingsButton() {
  const text = useText();
  const held = useHeld(resignCard);
  const [open, setOpen] = useState(false);
  if (!held('btn_save')) return null;
  return (
    <>
      <Button icon={<SettingOutlined />} onClick={() => setOpen(true)}>
        {text(['设置', 'Settings'])}
      </Button>
      {open && (
        <AppDrawer open size={560} title={text(resignCardSettings.title)} onClose={() => setOpen(false)}>
          <ScreenOf contract={resignCardSettings} />
        </AppDrawer>
      )}
    </>
  );
}

/** Cards members got, and the days they made up for, as tabs. */
function ResignCardScreen() {
  const text = useText();
  const view = useView();
  const uses = view.query.get('part') === 'uses';
  const strip = (
    <TabList
      label={text(resignCard.title)}
      tabs={[
        { key: 'cards', label: text(['获取', 'Received']) },
        { key: 'uses', label: text(['使用', 'Used']) },
      ]}
      active={uses ? 'uses' : 'cards'}
      onChange={(key) => view.setQuery(new URLSearchParams(key === 'cards' ? {} : { part: key }))}
    />
  );
  return uses ? (
    <ScreenOf key="uses" contract={resignCardUse} slots={{ above: strip }} />
  ) : (
    <ScreenOf key="cards" contract={resignCard} slots={{ above: strip, toolbar: <SettingsButton /> }} />
  );
}

/** 补签卡. */
export const screen = { contract: resignCard, component: ResignCardScreen };

import { lazy, Suspense, useState } from 'react';
import { Button } from 'antd';
import { Icon } from '../parts/icon.tsx';
import { fill } from '../../contract/label.ts';
import { message } from '../feedback.ts';
import { useText } from '../language.ts';
import { copyText } from '../parts/copy-button.tsx';
import { MenuButton, type MenuEntry } from '../parts/menu-button.tsx';
import { TabList } from '../parts/tab-list.tsx';
import { viewWords, words } from '../texts.ts';
import type { SavedViewStore } from './use-saved-views.ts';

const SaveViewDialog = lazy(() =>
  import('./saved-view-dialogs.tsx').then((module) => ({ default: module.SaveViewDialog })),
);
const ShareViewDialog = lazy(() =>
  import('./saved-view-dialogs.tsx').then((module) => ({ default: module.ShareViewDialog })),
);

const DEFAULT_KEY = '$default';
const LIMIT = 30;

/** The bar of saved views: default, own and shared ones; a dot marks changes that are not saved. */
export function SavedViews({ views }: { readonly views: SavedViewStore }) {
  const text = useText();
  const [dialog, setDialog] = useState<'saveAs' | 'share'>();
  const { current, changed } = views;
  const own = current?.own === true;
  const full = views.all.filter((view) => view.own).length >= LIMIT;
  // Failures are shown by the frame.
  const quietly = (work: Promise<void>) =>
    void work.then(() => message.success(text(words.saved), 2)).catch(() => {});
  const copyLink = async () => {
    const link = await views.link().catch(() => undefined);
    if (link !== undefined && (await copyText(link))) void message.success(text(viewWords.linkCopied), 2);
  };
  const entries: readonly MenuEntry[] = [
    ...(own && changed ? [{ key: 'save', label: text(words.save), run: () => quietly(views.save()) }] : []),
    {
      key: 'saveAs',
      label: text(viewWords.saveAs),
      disabled: full,
      title: full ? text(viewWords.tooMany) : undefined,
      run: () => setDialog('saveAs'),
    },
    ...(own
      ? [
          {
            key: 'default',
            label: text(current.isDefault ? viewWords.unsetDefault : viewWords.setDefault),
            run: () => quietly(views.setDefault(!current.isDefault)),
          },
        ]
      : []),
    { key: 'link', label: text(viewWords.copyLink), run: () => void copyLink() },
    ...(own ? [{ key: 'share', label: text(viewWords.shareGroup), run: () => setDialog('share') }] : []),
    'line',
    {
      key: 'reset',
      label: text(viewWords.reset),
      disabled: !changed && !current,
      run: () => views.apply(undefined),
    },
    ...(own || current?.canWithdraw
      ? [
          {
            key: 'remove',
            label: text(own ? viewWords.remove : viewWords.withdraw),
            danger: true,
            run: () => quietly(views.remove()),
          },
        ]
      : []),
  ];
  return (
    <div className="k-views">
      <TabList
        className="k-view-tabs"
        label={text(viewWords.bar)}
        active={current?.id ?? DEFAULT_KEY}
        onChange={(key) => views.apply(views.all.find((view) => view.id === key))}
        tabs={[
          {
            key: DEFAULT_KEY,
            label: text(viewWords.default),
            extra: mark(!current && changed, text(viewWords.changed)),
          },
          ...views.all.map((view) => ({
            key: view.id,
            label: view.name,
            extra: (
              <>
                {!view.own && <span className="k-shared">{view.groupName ?? text(viewWords.shared)}</span>}
                {mark(current?.id === view.id && changed, text(viewWords.changed))}
              </>
            ),
          })),
        ]}
      />
      {changed && (
        <Button type="link" size="small" onClick={() => (own ? quietly(views.save()) : setDialog('saveAs'))}>
          {text(own ? words.save : viewWords.save)}
        </Button>
      )}
      {(changed || current || views.all.length > 0) && (
        <MenuButton
          className="k-eye"
          label={text(viewWords.manage)}
          title={text(viewWords.manage)}
          entries={entries}
        >
          <Icon name="down" className="k-view-caret" />
        </MenuButton>
      )}
      {views.skipped > 0 && (
        <span className="k-quiet">{text(fill(viewWords.skipped, { n: views.skipped }))}</span>
      )}
      <Suspense>
        {dialog === 'saveAs' && (
          <SaveViewDialog
            taken={views.all.filter((view) => view.own).map((view) => view.name)}
            onSave={(name) => views.saveAs(name)}
            onClose={() => setDialog(undefined)}
          />
        )}
        {dialog === 'share' && current && (
          <ShareViewDialog view={current} onShare={views.share} onClose={() => setDialog(undefined)} />
        )}
      </Suspense>
    </div>
  );
}

function mark(on: boolean, title: string) {
  return on ? <span className="k-dot" role="img" aria-label={title} title={title} /> : null;
}

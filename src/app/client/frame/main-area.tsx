import { useEffect, useRef } from 'react';
import { useText } from '../../../kernel/client/language.ts';
import { textOf } from '../../../kernel/contract/label.ts';
import { useLanguageStore } from '../../../kernel/client/language.ts';
import { useLocationStore } from '../location/location.ts';
import { productTitle } from '../product-title.ts';
import { beforePaint } from './before-paint.ts';
import { Banners } from './banners/banners.tsx';
import { useTitleOf } from './routes/titles.ts';
import { TabStrip } from './tabs/tab-strip.tsx';
import { useTabs } from './tabs/tabs-store.ts';
import { NoAccessPage } from './views/no-access-page.tsx';
import { NotFoundPage } from './views/not-found-page.tsx';
import { ViewFrame } from './views/view-frame.tsx';
import { TOP_BAR_HEIGHT } from './use-frame-layout.ts';
import { Watermark } from './watermark/watermark.tsx';

/** Height of the tab strip in px. */
const TAB_STRIP = 36;

/** Tab strip and live views: the only page scroller; every navigation starts at its top. */
export function MainArea(props: {
  readonly page: 'screen' | 'noAccess' | 'notFound';
  readonly height: number;
}) {
  const text = useText();
  const scroller = useRef<HTMLDivElement>(null);
  const visitNumber = useLocationStore((state) => state.visit);
  const firstVisit = useRef(visitNumber);
  const search = useLocationStore((state) => state.place.search);
  const tabs = useTabs((state) => state.tabs);
  const from = new URLSearchParams(search).get('from') ?? '';
  useDocumentTitle(props.page, from);
  useEffect(
    () =>
      beforePaint(() => {
        scroller.current?.scrollTo({ top: 0 });
        // A page that was just loaded starts at its first stop, the link that skips to the content.
        if (visitNumber === firstVisit.current) return;
        // Keyboard users go on in the new screen when what they used is gone.
        if (document.activeElement === document.body)
          document.getElementById('content')?.focus({ preventScroll: true });
      }),
    [visitNumber],
  );
  // Sorted so that reordering tabs never moves the nodes of live views.
  const live = tabs.filter((tab) => tab.live).sort((a, b) => a.generation - b.generation);
  return (
    <div className="main-area" ref={scroller} style={{ height: props.height }}>
      <BannerSpace />
      <TabStrip />
      <main id="content" className="content" tabIndex={-1} aria-label={text(['正文', 'Content'])}>
        {live.map((tab) => (
          <ViewFrame key={`${tab.path} ${tab.generation}`} path={tab.path} />
        ))}
        {props.page === 'noAccess' && <NoAccessPage pathname={from} />}
        {props.page === 'notFound' && <NotFoundPage pathname={from} />}
        <Watermark />
      </main>
    </div>
  );
}

/** The banners; tells dialogs of the screens where the tab strip ends below them. */
function BannerSpace() {
  const space = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = space.current!;
    const observer = new ResizeObserver(() =>
      document.body.style.setProperty('--view-top', `${TOP_BAR_HEIGHT + TAB_STRIP + element.offsetHeight}px`),
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return (
    <div ref={space}>
      <Banners />
    </div>
  );
}

function useDocumentTitle(page: 'screen' | 'noAccess' | 'notFound', from: string): void {
  const language = useLanguageStore((state) => state.language);
  const active = useTabs((state) => state.tabs.find((tab) => tab.path === state.active));
  const titleOf = useTitleOf();
  const label =
    page === 'noAccess'
      ? (['无权访问', 'No access'] as const)
      : page === 'notFound'
        ? (['页面不存在', 'Page not found'] as const)
        : titleOf(active?.path ?? from);
  const title = [textOf(label, language), page === 'screen' ? active?.suffix : ''].filter(Boolean).join(' ');
  useEffect(() => {
    document.title = `${title} - ${textOf(productTitle, language)}`;
  }, [title, language]);
}

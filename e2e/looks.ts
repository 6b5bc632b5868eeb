import type { Page } from 'playwright-core';

/** Shown surfaces that are nearly white, as short descriptions. */
export const whitePanels = (page: Page) =>
  page.evaluate(() => {
    const found: string[] = [];
    for (const element of document.querySelectorAll<HTMLElement>('body *')) {
      const box = element.getBoundingClientRect();
      if (box.width * box.height < 1_500 || box.width < 20 || box.height < 12) continue;
      if (!element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
      if (element instanceof HTMLImageElement) continue;
      const style = getComputedStyle(element);
      const [red, green, blue, alpha = 1] = (style.backgroundColor.match(/[\d.]+/g) ?? []).map(Number) as [
        number,
        number,
        number,
        number?,
      ];
      const light = (0.2126 * red + 0.7152 * green + 0.0722 * blue) / 255;
      if (alpha > 0.4 && light > 0.6)
        found.push(
          `${element.tagName}.${element.className} ${style.backgroundColor} ${Math.round(box.width)}×${Math.round(box.height)}`,
        );
    }
    return found;
  });

/** Pixels by which the page is wider than its window. */
export const overflow = (page: Page): Promise<number> =>
  page.evaluate(() => {
    const area = document.querySelector('.main-area')!;
    return Math.max(
      document.documentElement.scrollWidth - document.documentElement.clientWidth,
      // Cut off is no better than scrolled.
      area.scrollWidth - area.clientWidth,
    );
  });

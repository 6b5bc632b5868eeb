/** Takes the focus out of the view that is left: an open range picker throws when it is hidden with the focus inside. */
export function closeLayersBeforeNavigation(): void {
  const focused = document.activeElement;
  if (focused instanceof HTMLElement && focused.closest('[data-view], .ant-picker-dropdown')) focused.blur();
}

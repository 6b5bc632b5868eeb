import { Modal } from 'antd';

/**
 * Takes away what would stay over the next tab: open confirmations, and the focus of the view that is left
 * (an open range picker throws when it is hidden with the focus inside).
 */
export function closeLayersBeforeNavigation(): void {
  Modal.destroyAll();
  const focused = document.activeElement;
  if (focused instanceof HTMLElement && focused.closest('[data-view], .ant-picker-dropdown')) focused.blur();
}

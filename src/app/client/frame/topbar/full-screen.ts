import { showNotice } from '../../notices/notices.ts';

/** Enters or leaves full screen; says so when the browser has none. */
export function toggleFullScreen(): void {
  if (!document.fullscreenEnabled) return refuse();
  if (document.fullscreenElement) void document.exitFullscreen();
  else document.documentElement.requestFullscreen().catch(refuse);
}

function refuse(): void {
  showNotice({
    tone: 'warning',
    text: ['您的浏览器不支持全屏', 'you browser can not work'],
    duration: 2000,
  });
}

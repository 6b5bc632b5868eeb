import { useEffect, useState } from 'react';
import { useText } from '../../../../kernel/client/language.ts';
import { showNotice } from '../../notices/notices.ts';
import { BarIcon } from './bar-icon.tsx';

/** Full-screen toggle; the icon follows the real state, also after Esc. */
export function FullScreenButton() {
  const text = useText();
  const [isFull, setFull] = useState(() => document.fullscreenElement !== null);
  useEffect(() => {
    const onChange = () => setFull(document.fullscreenElement !== null);
    document.addEventListener('fullscreenchange', onChange);
    return () => document.removeEventListener('fullscreenchange', onChange);
  }, []);
  const refuse = () =>
    showNotice({
      tone: 'warning',
      text: ['您的浏览器不支持全屏', 'you browser can not work'],
      duration: 2000,
    });
  const toggle = () => {
    if (!document.fullscreenEnabled) return refuse();
    if (document.fullscreenElement) void document.exitFullscreen();
    else document.documentElement.requestFullscreen().catch(refuse);
  };
  const label = isFull ? text(['退出全屏', 'Leave full screen']) : text(['全屏', 'Full screen']);
  return (
    <button type="button" className="bar-button wide-only" aria-label={label} title={label} onClick={toggle}>
      <BarIcon name={isFull ? 'shrink' : 'expand'} />
    </button>
  );
}

import { useEffect, useState } from 'react';
import { useText } from '../../../../kernel/client/language.ts';
import { BarIcon } from './bar-icon.tsx';
import { toggleFullScreen } from './full-screen.ts';

/** Full-screen toggle; the icon follows the real state, also after Esc. */
export function FullScreenButton() {
  const text = useText();
  const [isFull, setFull] = useState(() => document.fullscreenElement !== null);
  useEffect(() => {
    const onChange = () => setFull(document.fullscreenElement !== null);
    document.addEventListener('fullscreenchange', onChange);
    return () => document.removeEventListener('fullscreenchange', onChange);
  }, []);
  const label = isFull ? text(['退出全屏', 'Leave full screen']) : text(['全屏', 'Full screen']);
  return (
    <button
      type="button"
      className="bar-button wide-only"
      aria-label={label}
      title={label}
      onClick={toggleFullScreen}
    >
      <BarIcon name={isFull ? 'shrink' : 'expand'} />
    </button>
  );
}

import { useText } from '../../kernel/client/language.ts';
import { readCookie } from './session/token-cookie.ts';

/** The shape of the frame while the session loads. */
export function StartSkeleton() {
  const text = useText();
  const collapsed = readCookie('sidebarStatus') === '0';
  return (
    <div className={collapsed ? 'start-skeleton collapsed' : 'start-skeleton'} role="status" aria-busy="true">
      <span className="visually-hidden">{text(['正在加载', 'Loading'])}</span>
      <div className="start-side" />
      <div className="start-top" />
      <div className="start-main">
        <i className="bone w30" />
        <i className="bone" />
        <i className="bone" />
        <i className="bone w60" />
      </div>
    </div>
  );
}

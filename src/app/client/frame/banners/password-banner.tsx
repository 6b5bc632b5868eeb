import { useState } from 'react';
import { useText } from '../../../../kernel/client/language.ts';
import { fill } from '../../../../kernel/contract/label.ts';
import { readCookie, writeCookie } from '../../session/token-cookie.ts';
import { openLayer } from '../layers.ts';
import { daysToWarn } from './password-days.rules.ts';

/** From seven days before the password expires; can be dismissed for the day. */
export function PasswordBanner() {
  const text = useText();
  const [isDismissed, setDismissed] = useState(() => readCookie('overDayDismissed') === '1');
  const days = daysToWarn(readCookie('OverDay'));
  if (days === undefined || isDismissed) return null;
  const dismiss = () => {
    const endOfDay = new Date();
    endOfDay.setHours(24, 0, 0, 0);
    writeCookie('overDayDismissed', '1', (endOfDay.getTime() - Date.now()) / 86_400_000);
    setDismissed(true);
  };
  return (
    <div className="frame-banner warn" role="status">
      <span>
        {text(fill(['密码将在 {n} 天后过期', 'Your password expires in {n} {n|day|days}'], { n: days }))}
      </span>
      <button type="button" className="link-button" onClick={() => openLayer('password')}>
        {text(['立即修改', 'Change now'])}
      </button>
      <button type="button" className="link-button" onClick={dismiss}>
        {text(['今天不再提示', 'Dismiss for today'])}
      </button>
    </div>
  );
}

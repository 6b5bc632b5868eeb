import { useState } from 'react';
import { Button } from 'antd';
import { SettingOutlined } from '@ant-design/icons';
import { useQuery } from '@tanstack/react-query';
import { call } from '../../../kernel/client/api-client.ts';
import { thousands } from '../../../kernel/client/format.rules.ts';
import { useText } from '../../../kernel/client/language.ts';
import { AppDrawer } from '../../../kernel/client/parts/app-drawer.tsx';
import { useHeld } from '../../../kernel/client/parts/held.ts';
import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import type { ScreenSlots } from '../../../kernel/client/slots.ts';
import { rootOf } from '../../../kernel/client/wire.ts';
import { signInRule, signInSettings, type SignInFigures } from './sign-in-rule.contract.ts';
import './sign-in.css';

/** Sign-ins of the last thirty days in the projects one works in. */
function Figures() {
  const text = useText();
  const { data } = useQuery({
    queryKey: ['signInRule', 'figures'],
    queryFn: () => call<SignInFigures>('GET', `${rootOf(signInRule)}/figures`),
  });
  if (!data) return <div className="si-figures" aria-busy />;
  const most = Math.max(1, ...data.days.map((one) => one.signed));
  const facts = [
    [text(['今日签到', 'Today']), data.today],
    [text(['昨日签到', 'Yesterday']), data.yesterday],
    [text(['30天发放积分', 'Points in 30 days']), data.points],
  ] as const;
  return (
    <section className="si-figures" aria-label={text(['签到数据', 'Figures of sign-ins'])}>
      <dl>
        {facts.map(([label, value]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd className="k-number">{thousands(String(value))}</dd>
          </div>
        ))}
        {data.streaks.map((one) => (
          <div key={one.streak}>
            <dt>{text([`连续${one.streak}天`, `${one.streak} days in a row`])}</dt>
            <dd className="k-number">{thousands(String(one.members))}</dd>
          </div>
        ))}
      </dl>
      <ol className="si-bars" aria-label={text(['近30天签到人数', 'Sign-ins of the last 30 days'])}>
        {data.days.map((one) => (
          <li key={one.day} title={`${one.day}: ${one.signed}`}>
            <span style={{ blockSize: `${Math.round((one.signed / most) * 100)}%` }} />
            <span className="k-hidden">{`${one.day}: ${one.signed}`}</span>
          </li>
        ))}
      </ol>
    </section>
  );
}

/** Opens the cycle, for who may change it. */
function CycleButton() {
  const text = useText();
  const held = useHeld(signInRule);
  const [open, setOpen] = useState(false);
  if (!held('btn_save')) return null;
  return (
    <>
      <Button icon={<SettingOutlined />} onClick={() => setOpen(true)}>
        {text(['周期与提醒', 'Cycle and reminder'])}
      </Button>
      {open && (
        <AppDrawer open size={520} title={text(signInSettings.title)} onClose={() => setOpen(false)}>
          <ScreenOf contract={signInSettings} />
        </AppDrawer>
      )}
    </>
  );
}

const slots: ScreenSlots = { above: <Figures />, toolbar: <CycleButton /> };

function SignInScreen() {
  return <ScreenOf contract={signInRule} slots={slots} />;
}

/** 签到配置. */
export const screen = { contract: signInRule, component: SignInScreen };

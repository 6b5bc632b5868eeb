import '../../../kernel/client/tree/split-screen.css';
import { lazy, Suspense, useState } from 'react';
import { Alert, Button } from 'antd';
import { useQuery } from '@tanstack/react-query';
import { call } from '../../../kernel/client/api-client.ts';
import { useText } from '../../../kernel/client/language.ts';
import { useHeld } from '../../../kernel/client/parts/held.ts';
import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import type { ScreenSlots } from '../../../kernel/client/slots.ts';
import { ImportButton } from '../../../kernel/client/import/import-button.tsx';
import { whitelist } from './whitelist.contract.ts';
import { ENFORCEMENT_KEY, type Enforcement } from './enforcement.ts';

const HitsDrawer = lazy(() =>
  import('./whitelist-dialogs.tsx').then((module) => ({ default: module.HitsDrawer })),
);
const TestDialog = lazy(() =>
  import('./whitelist-dialogs.tsx').then((module) => ({ default: module.TestDialog })),
);
const EnforceDialog = lazy(() =>
  import('./whitelist-dialogs.tsx').then((module) => ({ default: module.EnforceDialog })),
);

const slots: ScreenSlots = {
  above: <EnforcementNotice />,
  toolbar: (
    <>
      <HitsButton />
      <ImportButton
        element="WhiteManage:btn_import"
        choice={{ source: 'whitelist', resource: 'whitelist', title: ['登录白名单', 'Login whitelist'] }}
      />
    </>
  ),
  actionScreens: {
    test: ({ close }) => <TestDialog onClose={close} />,
    enforce: ({ close, done }) => <EnforceDialog onClose={close} onDone={() => done([])} />,
  },
};

/** Login whitelist with its test, its switch for everybody and its hits. */
function WhitelistScreen() {
  return <ScreenOf contract={whitelist} slots={slots} />;
}

/** Login whitelist. */
export const screen = { contract: whitelist, component: WhitelistScreen };

/** Says that addresses bind every account, while they do. */
function EnforcementNotice() {
  const text = useText();
  const { data } = useQuery({
    queryKey: ENFORCEMENT_KEY,
    queryFn: ({ signal }) =>
      call<Enforcement>('GET', '/api/admin/whitelist/enforcement', { signal, quiet: true }),
  });
  if (!data?.enforced) return null;
  return (
    <Alert
      type="info"
      showIcon
      className="k-dialog-error"
      title={text([
        `全员地址限制已启用：没有单独规则的账号只能从公共地址登录（您可见 ${data.rows} 条）`,
        `Enforced for all: accounts without rows of their own sign in from common ranges only (you see ${data.rows})`,
      ])}
    />
  );
}

function HitsButton() {
  const text = useText();
  const held = useHeld(whitelist);
  const [open, setOpen] = useState(false);
  if (!held('btn_hit')) return null;
  return (
    <>
      <Button type="text" onClick={() => setOpen(true)}>
        {text(['命中记录', 'Hits'])}
      </Button>
      <Suspense>{open && <HitsDrawer onClose={() => setOpen(false)} />}</Suspense>
    </>
  );
}

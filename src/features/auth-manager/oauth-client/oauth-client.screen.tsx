import { Tag } from 'antd';
import { useText } from '../../../kernel/client/language.ts';
import { instantShort } from '../../../kernel/client/format.rules.ts';
import { useHeld } from '../../../kernel/client/parts/held.ts';
import { lazyPart } from '../../../kernel/client/parts/lazy-part.tsx';
import { ScreenOf } from '../../../kernel/client/screen-of.tsx';
import type { DetailPart, ScreenSlots } from '../../../kernel/client/slots.ts';
import type { RowData } from '../../../kernel/client/wire.ts';
import { oauthClient } from './oauth-client.contract.ts';
import { StatusTag } from '../../../kernel/client/parts/status-tag.tsx';
import { GRANTS } from './oauth-client.rules.ts';

const parts = () => import('./oauth-client-parts.tsx');
const SecretsPart = lazyPart(() => parts().then((module) => module.SecretsPart));
const TokensPart = lazyPart(() => parts().then((module) => module.TokensPart));
const TestPart = lazyPart(() => parts().then((module) => module.TestPart));
const SecretsDialog = lazyPart(() => parts().then((module) => module.SecretsDialog));
const TokensDialog = lazyPart(() => parts().then((module) => module.TokensDialog));
const CallsButton = lazyPart(() => parts().then((module) => module.CallsButton));
const WordsInput = lazyPart(() => parts().then((module) => module.WordsInput));
const ScopesInput = lazyPart(() => parts().then((module) => module.ScopesInput));

const SECRETS: DetailPart = {
  key: 'secrets',
  label: ['密钥', 'Secrets'],
  render: (row) => <SecretsPart row={row} />,
};
const TOKENS: DetailPart = {
  key: 'tokens',
  label: ['令牌', 'Tokens'],
  render: (row) => <TokensPart row={row} />,
};
const TEST: DetailPart = { key: 'test', label: ['测试', 'Test'], render: (row) => <TestPart row={row} /> };

const slots: ScreenSlots = {
  cells: {
    grantTypes: (row) => <Grants row={row} />,
    secrets: (row) => <SecretCell row={row} />,
  },
  inputs: {
    grantTypes: (props) => <WordsInput {...props} />,
    scopes: (props) => <ScopesInput {...props} />,
    autoApprove: (props) => <ScopesInput {...props} of="scopes" />,
  },
  toolbar: <CallsButton />,
  actionScreens: {
    removeSecret: (props) => <SecretsDialog {...props} />,
    endSecret: (props) => <SecretsDialog {...props} />,
    revoke: (props) => <TokensDialog {...props} />,
  },
};

/** OAuth clients with their secrets and live tokens. */
function OauthClientScreen() {
  const held = useHeld(oauthClient);
  const detailParts = [SECRETS, ...(held('btn_token') ? [TOKENS] : []), ...(held('btn_test') ? [TEST] : [])];
  return <ScreenOf contract={oauthClient} slots={{ ...slots, detailParts }} />;
}

/** OAuth clients. */
export const screen = { contract: oauthClient, component: OauthClientScreen };

function Grants({ row }: { readonly row: RowData }) {
  const text = useText();
  return (
    <>
      {(row.grantTypes as readonly (keyof typeof GRANTS)[]).map((grant) => (
        <Tag key={grant}>{text(GRANTS[grant]?.label ?? [grant, grant])}</Tag>
      ))}
    </>
  );
}

const SOON_MS = 14 * 86_400_000;

/** How many secrets are live; amber when one ends within 14 days. */
function SecretCell({ row }: { readonly row: RowData }) {
  const text = useText();
  const count = Number(row.secrets ?? 0);
  if (row.type === 'public' && row.builtin !== true) return <>{text(['无需密钥', 'None needed'])}</>;
  const ends = typeof row.secretExpiresAt === 'string' ? row.secretExpiresAt : undefined;
  const soon = ends !== undefined && Date.parse(ends) - Date.now() <= SOON_MS;
  return (
    <span>
      {count === 0 ? (
        <StatusTag tone="error" choice={{ label: ['没有密钥', 'No secret'] }} />
      ) : (
        <Tag>{count}</Tag>
      )}
      {ends !== undefined && (
        <StatusTag
          tone={soon ? 'warning' : 'default'}
          choice={{ label: [`${instantShort(ends)} 到期`, `ends ${instantShort(ends)}`] }}
        />
      )}
    </span>
  );
}

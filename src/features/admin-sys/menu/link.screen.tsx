import { useEffect, useState } from 'react';
import { Alert, Button } from 'antd';
import { useText } from '../../../kernel/client/language.ts';
import { PageTitle } from '../../../kernel/client/parts/page-title.tsx';
import { useSession, type MenuNode } from '../../../kernel/client/session.ts';
import { useView } from '../../../kernel/client/view.ts';
import '../../../kernel/client/kernel.css';
import './link.css';

/** An outside link of the side menu in a tab: the page itself where it lets itself be embedded, else a button that opens it. */
function LinkScreen() {
  const text = useText();
  const view = useView();
  const tree = useSession((state) => state.tree);
  const link = findLink(tree, view.params.code ?? '');
  if (!link?.url)
    return (
      <p className="k-state k-quiet">
        {text(['没有此链接，或您没有权限', 'There is no such link, or you have no permission'])}
      </p>
    );
  return (
    <div className="k-screen link-screen">
      <PageTitle title={[link.title, link.titleEn || link.title]}>
        <Button href={link.url} target="_blank" rel="noopener noreferrer">
          {text(['在新窗口打开', 'Open in a new window'])}
        </Button>
      </PageTitle>
      {link.openIn === 'frame' ? (
        <LinkFrame url={link.url} title={text([link.title, link.titleEn || link.title])} />
      ) : (
        <p className="k-quiet">{link.url}</p>
      )}
    </div>
  );
}

/**
 * The site in a frame. The page was delivered with the sites it may embed; one that was added since, or to which the
 * site leads, is refused by the browser, and the frame says what to do instead of staying empty.
 */
function LinkFrame({ url, title }: { readonly url: string; readonly title: string }) {
  const text = useText();
  const [refused, setRefused] = useState(false);
  useEffect(() => {
    const hear = (event: SecurityPolicyViolationEvent) => {
      if (event.effectiveDirective === 'frame-src') setRefused(true);
    };
    document.addEventListener('securitypolicyviolation', hear);
    return () => document.removeEventListener('securitypolicyviolation', hear);
  }, []);
  return (
    <>
      {refused && (
        <Alert
          type="warning"
          showIcon
          title={text([
            '此网站未能嵌入。若是刚添加的链接，请刷新整个页面；若它跳转到了别的网站，请在新窗口打开，或请管理员把该网站加入允许跳转的主机。',
            'The site could not be embedded. If the link is new, reload the whole page; if it leads to another site, open it in a new window or have that site added to the allowed hosts.',
          ])}
          action={
            <Button size="small" onClick={() => location.reload()}>
              {text(['刷新页面', 'Reload the page'])}
            </Button>
          }
        />
      )}
      {/* The site stays another origin: it reaches neither the session nor the page around it. */}
      <iframe
        className="link-frame"
        src={url}
        title={title}
        sandbox="allow-scripts allow-same-origin allow-forms allow-popups allow-downloads"
        referrerPolicy="no-referrer"
      />
    </>
  );
}

function findLink(nodes: readonly MenuNode[], code: string): MenuNode | undefined {
  for (const node of nodes) {
    const found = node.code === code && node.url ? node : findLink(node.children ?? [], code);
    if (found) return found;
  }
  return undefined;
}

/** Outside links in the frame. */
export const screen = { component: LinkScreen };

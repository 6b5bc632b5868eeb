import { Button } from 'antd';
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
        // The site stays another origin: it reaches neither the session nor the page around it.
        <iframe
          className="link-frame"
          src={link.url}
          title={text([link.title, link.titleEn || link.title])}
          sandbox="allow-scripts allow-same-origin allow-forms allow-popups allow-downloads"
          referrerPolicy="no-referrer"
        />
      ) : (
        <p className="k-quiet">{link.url}</p>
      )}
    </div>
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

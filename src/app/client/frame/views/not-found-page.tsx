import { useText } from '../../../../kernel/client/language.ts';
import { useSession } from '../../../../kernel/client/session.ts';
import { go } from '../../location/location.ts';
import { menuLinks } from '../menu-links.ts';
import { nearestMenus } from './nearest-menus.rules.ts';

/** 404: a path the product does not have, with the three nearest menus. */
export function NotFoundPage({ pathname }: { readonly pathname: string }) {
  const text = useText();
  const tree = useSession((state) => state.tree);
  const near = pathname === '' ? [] : nearestMenus(pathname, menuLinks(tree));
  return (
    <div className="page-note">
      <p className="page-note-code" aria-hidden="true">
        404
      </p>
      <h1>{text(['页面不存在', 'Page not found'])}</h1>
      <p>{text(['您访问的页面不存在', 'The page you asked for does not exist'])}</p>
      {near.length > 0 && (
        <>
          <p className="quiet">{text(['您是不是要找', 'Perhaps you were looking for'])}</p>
          <ul className="near-menus">
            {near.map((menu) => (
              <li key={menu.path}>
                <button type="button" className="link-button" onClick={() => go(menu.path)}>
                  {text(menu.title)}
                </button>
              </li>
            ))}
          </ul>
        </>
      )}
      <div className="page-note-buttons">
        <button type="button" className="plain-button primary" onClick={() => go('/')}>
          {text(['回到首页', 'Home'])}
        </button>
      </div>
    </div>
  );
}

import { useText } from '../../../../kernel/client/language.ts';
import { useSession } from '../../../../kernel/client/session.ts';
import { menuLinks } from '../menu-links.ts';
import { SideLink } from './side-link.tsx';
import { useFavourites } from './use-favourites.ts';

/** The starred menus at the top of the side menu. */
export function Favourites(props: {
  readonly active: string | undefined;
  readonly badge: string | undefined;
}) {
  const text = useText();
  const tree = useSession((state) => state.tree);
  const { codes } = useFavourites();
  const links = menuLinks(tree);
  const starred = codes.flatMap((code) => links.find((link) => link.code === code) ?? []);
  if (starred.length === 0) return null;
  return (
    <li className="side-favourites">
      <p className="side-caption">{text(['收藏', 'Favourites'])}</p>
      <ul className="side-entries" data-depth={0}>
        {starred.map((link) => (
          <li key={link.code}>
            <SideLink
              path={link.path}
              outside={link.outside}
              code={link.code}
              title={link.title}
              isCurrent={props.active === link.path}
              canBeFavourite
              {...(link.code === 'mm_orderRefund' && props.badge && { badge: props.badge })}
            />
          </li>
        ))}
      </ul>
    </li>
  );
}

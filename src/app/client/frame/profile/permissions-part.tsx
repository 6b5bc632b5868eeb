import { useState } from 'react';
import { useText } from '../../../../kernel/client/language.ts';
import { ProfileQuery, rowsOf } from './profile-query.tsx';

interface HeldRight {
  readonly code: string;
  readonly title: string;
  readonly elements?: readonly { readonly code: string; readonly title: string }[];
  /** Data scope in words. */
  readonly scope?: string | null;
  /** Names of the groups that grant it. */
  readonly groups?: readonly string[];
}

type Answer = readonly HeldRight[] | { readonly rows: readonly HeldRight[] };

/** Held menus with their elements, data scope and the group each comes from. */
export function PermissionsPart() {
  const text = useText();
  const [typed, setTyped] = useState('');
  const wanted = typed.trim().toLowerCase();
  return (
    <ProfileQuery<Answer>
      queryKey={['profile', 'permissions']}
      path="/api/admin/profile/permissions"
      isEmpty={(data) => rowsOf(data).length === 0}
    >
      {(data) => (
        <>
          <div className="input-box">
            <input
              value={typed}
              placeholder={text(['按菜单名查找', 'Find a menu'])}
              aria-label={text(['按菜单名查找', 'Find a menu'])}
              onChange={(event) => setTyped(event.target.value)}
            />
          </div>
          <ul className="profile-list">
            {rowsOf(data)
              .filter((right) => `${right.title} ${right.code}`.toLowerCase().includes(wanted))
              .map((right) => (
                <li key={right.code}>
                  <div>
                    <strong>{right.title}</strong> <span className="quiet">{right.scope}</span>
                    {right.elements && right.elements.length > 0 && (
                      <p>{right.elements.map((element) => element.title || element.code).join(' · ')}</p>
                    )}
                    {right.groups && right.groups.length > 0 && (
                      <p className="quiet">
                        {text(['来自角色', 'From'])}: {right.groups.join(', ')}
                      </p>
                    )}
                  </div>
                </li>
              ))}
          </ul>
        </>
      )}
    </ProfileQuery>
  );
}

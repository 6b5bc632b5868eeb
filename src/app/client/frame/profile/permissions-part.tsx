import { useState } from 'react';
import { useText } from '../../../../kernel/client/language.ts';
import { fill, type Label } from '../../../../kernel/contract/label.ts';
import { ProfileQuery, rowsOf } from './profile-query.tsx';

interface Source {
  readonly group: string;
  /** Own group when the right is inherited from another one. */
  readonly through: string | null;
}

interface HeldRight {
  readonly code: string;
  readonly title: string;
  readonly titleEn: string;
  readonly scopes: readonly {
    readonly dataScope: string;
    readonly departments: readonly string[];
    readonly source: Source;
  }[];
  readonly elements: readonly {
    readonly code: string;
    readonly name: string;
    readonly nameEn: string;
    readonly sources: readonly Source[];
  }[];
}

const scopeWords: Readonly<Record<string, Label>> = {
  all: ['全部数据', 'All data'],
  dept_tree: ['本部门及下级', 'Own department and below'],
  dept: ['本部门', 'Own department'],
  depts: ['指定部门', 'Chosen departments'],
  self: ['本人', 'Own rows'],
};

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
              .filter((right) =>
                `${right.title} ${right.titleEn} ${right.code}`.toLowerCase().includes(wanted),
              )
              .map((right) => (
                <RightLine key={right.code} right={right} />
              ))}
          </ul>
        </>
      )}
    </ProfileQuery>
  );
}

function RightLine({ right }: { readonly right: HeldRight }) {
  const text = useText();
  const groupsOf = (sources: readonly Source[]) => [...new Set(sources.map((source) => source.group))];
  const ofMenu = groupsOf(right.scopes.map((scope) => scope.source)).join();
  const elements = right.elements.map((element) => {
    const name = text([element.name, element.nameEn || element.name]);
    const groups = groupsOf(element.sources);
    // Said only where it is another group than that of the menu itself.
    return groups.join() === ofMenu ? name : `${name} (${groups.join(', ')})`;
  });
  return (
    <li>
      <div>
        <strong>{text([right.title, right.titleEn || right.title])}</strong>
        {elements.length > 0 && <p>{elements.join(' · ')}</p>}
        {right.scopes.map(({ dataScope, departments, source }, index) => (
          <p key={index} className="quiet">
            {[text(scopeWords[dataScope] ?? [dataScope, dataScope]), ...departments].join(' · ')} —{' '}
            {source.through
              ? text(
                  fill(['来自角色 {group}（经由 {through}）', 'from {group} through {through}'], {
                    group: source.group,
                    through: source.through,
                  }),
                )
              : text(fill(['来自角色 {group}', 'from {group}'], { group: source.group }))}
          </p>
        ))}
      </div>
    </li>
  );
}

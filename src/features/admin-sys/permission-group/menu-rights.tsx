import { Checkbox, Select, TreeSelect } from 'antd';
import { useLanguageStore, useText } from '../../../kernel/client/language.ts';
import { isGivable, notGivable, toggleElements, type Ticks } from './authority-state.rules.ts';
import { DATA_SCOPES, SCOPE_LABELS, type DataScope } from './grant-diff.rules.ts';
import type { Authority } from './group-wire.ts';

/** Data scope and elements of the menu clicked in the tree. Cells are plain: a menu may have hundreds of elements. */
export function MenuRights(props: {
  readonly authority: Authority;
  readonly ticks: Ticks;
  readonly menu: string | undefined;
  readonly onChange: (ticks: Ticks) => void;
}) {
  const { authority, ticks, onChange } = props;
  const text = useText();
  const language = useLanguageStore((state) => state.language);
  const menu = authority.menus.find((one) => one.code === props.menu);
  if (!menu)
    return (
      <section className="pg-rights">
        <p className="k-state k-quiet">
          {text(['点击左侧菜单，查看数据范围和按钮', 'Click a menu to see its data scope and elements'])}
        </p>
      </section>
    );
  const { readOnly } = authority.group;
  const own = ticks.menus.get(menu.code);
  const inherited = ticks.inherit
    ? authority.inherited.menus.find((one) => one.code === menu.code)
    : undefined;
  const grant = own ?? inherited;
  const elements = authority.elements.filter((element) => element.menu === menu.code);
  const inheritedElements = new Set(ticks.inherit ? authority.inherited.elements : []);
  const open = elements.filter(
    (element) => element.held && !readOnly && !inheritedElements.has(element.code),
  );
  const ticked = open.filter((element) => ticks.elements.has(element.code)).length;
  const setGrant = (next: { dataScope: DataScope; departmentIds: readonly string[] }) => {
    onChange({ ...ticks, menus: new Map(ticks.menus).set(menu.code, next) });
  };
  const heldDepartments = menu.may.departments === null ? undefined : new Set(menu.may.departments);
  return (
    <section className="pg-rights" aria-label={language === 'zh' ? menu.title : menu.titleEn}>
      <header className="pg-rights-head">
        <strong>{language === 'zh' ? menu.title : menu.titleEn}</strong>
        <small className="k-quiet">{menu.code}</small>
        {menu.type !== 'dirt' && (
          <span className="pg-scope-row">
            <label htmlFor="pg-scope">{text(['数据范围', 'Data scope'])}</label>
            <Select
              id="pg-scope"
              className="pg-scope-select"
              value={grant?.dataScope ?? null}
              disabled={readOnly || !own || !isGivable(menu)}
              placeholder={text(['勾选菜单后设置', 'Tick the menu first'])}
              options={DATA_SCOPES.map((scope) => ({
                value: scope,
                label: text(SCOPE_LABELS[scope]),
                disabled: !menu.may.scopes.includes(scope),
                title: menu.may.scopes.includes(scope)
                  ? ''
                  : text(isGivable(menu) ? WIDER : notGivable(authority, menu.code)),
              }))}
              onChange={(dataScope: DataScope) => setGrant({ dataScope, departmentIds: [] })}
            />
          </span>
        )}
        {own?.dataScope === 'depts' && (
          <TreeSelect
            className="pg-departments"
            multiple
            treeCheckStrictly
            treeCheckable
            labelInValue
            treeDataSimpleMode={{ id: 'id', pId: 'parentId', rootPId: null as never }}
            treeData={authority.departments.map((one) => ({
              ...one,
              value: one.id,
              disableCheckbox: heldDepartments !== undefined && !heldDepartments.has(one.id),
            }))}
            value={own.departmentIds.map((id) => ({
              value: id,
              label: authority.departments.find((one) => one.id === id)?.title ?? id,
            }))}
            disabled={readOnly || !isGivable(menu)}
            status={own.departmentIds.length === 0 ? 'error' : ''}
            showSearch={{ treeNodeFilterProp: 'title' }}
            placeholder={text(['请选择部门', 'Choose departments'])}
            aria-label={text(['部门', 'Departments'])}
            onChange={(chosen: unknown) =>
              setGrant({
                dataScope: 'depts',
                departmentIds: (chosen as { value: string }[]).map((one) => one.value),
              })
            }
          />
        )}
        {menu.type !== 'dirt' && own && <small className="pg-within k-quiet">{text(WITHIN)}</small>}
      </header>
      {elements.length === 0 ? (
        <p className="k-quiet">{text(['该菜单没有按钮', 'This menu has no elements'])}</p>
      ) : (
        <div className="pg-table-host">
          <table className="pg-table">
            <thead>
              <tr>
                <th>
                  <Checkbox
                    checked={open.length > 0 && ticked === open.length}
                    indeterminate={ticked > 0 && ticked < open.length}
                    disabled={open.length === 0}
                    aria-label={text(['全选', 'Select all'])}
                    onChange={(event) =>
                      onChange(
                        toggleElements(
                          authority,
                          ticks,
                          menu.code,
                          open.map((element) => element.code),
                          event.target.checked,
                        ),
                      )
                    }
                  />
                </th>
                <th>{text(['名称', 'Name'])}</th>
                <th>{text(['编码', 'Code'])}</th>
                <th>{text(['类型', 'Type'])}</th>
                <th>{text(['方式', 'Method'])}</th>
                <th>{text(['开放的接口', 'Opens'])}</th>
              </tr>
            </thead>
            <tbody>
              {elements.map((element) => {
                const byInheritance =
                  inheritedElements.has(element.code) && !ticks.elements.has(element.code);
                const locked = readOnly || byInheritance || !element.held;
                const refused = element.held ? '' : text(notGivable(authority, menu.code));
                return (
                  <tr key={element.code} className={element.held ? '' : 'pg-locked'} title={refused}>
                    <td>
                      <input
                        type="checkbox"
                        checked={readOnly || byInheritance || ticks.elements.has(element.code)}
                        disabled={locked}
                        aria-label={`${language === 'zh' ? element.name : element.nameEn}${refused && ` ${refused}`}`}
                        onChange={(event) =>
                          onChange(
                            toggleElements(authority, ticks, menu.code, [element.code], event.target.checked),
                          )
                        }
                      />
                    </td>
                    <td>
                      {language === 'zh' ? element.name : element.nameEn}
                      {!element.held && !readOnly && (
                        <small className="k-quiet">
                          {' '}
                          {text(
                            authority.elsewhere.includes(menu.code)
                              ? ['仅限本公司', 'Own company only']
                              : ['未持有', 'Not held'],
                          )}
                        </small>
                      )}
                      {byInheritance && <small className="k-quiet"> {text(['继承', 'Inherited'])}</small>}
                    </td>
                    <td className="k-quiet">{element.code.slice(element.menu.length + 1)}</td>
                    <td className="k-quiet">
                      {text(element.type === 'uri' ? ['接口', 'URI'] : ['按钮', 'Button'])}
                    </td>
                    <td className="k-quiet">{element.method}</td>
                    <td className="k-quiet" title={element.endpoints.join('\n')}>
                      {element.endpoints[0] ?? element.uri}
                      {element.endpoints.length > 1 && ` +${element.endpoints.length - 1}`}
                    </td>
                  </tr>
                );
              })}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}

const WITHIN = [
  '始终限于员工本人的公司与项目；要限定项目，请在用户资料中选择项目',
  'Always within the own company and projects of a staff; to limit projects, choose them at the user',
] as const;
const WIDER = ['超出您自己的数据范围', 'Wider than your own data scope'] as const;

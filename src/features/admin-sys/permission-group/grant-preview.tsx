import { Alert } from 'antd';
import { fill, type Label } from '../../../kernel/contract/label.ts';
import { useLanguageStore, useText } from '../../../kernel/client/language.ts';
import { SCOPE_LABELS } from './grant-diff.rules.ts';
import type { Authority, PreviewAnswer, PreviewRow, WireMenuGrant } from './group-wire.ts';
import './permission-group.css';

const BLOCKS: readonly {
  readonly key: 'added' | 'removed' | 'widened' | 'narrowed' | 'rescoped' | 'followed';
  readonly label: Label;
  readonly tone: string;
}[] = [
  { key: 'added', label: ['新增', 'Added'], tone: 'success' },
  { key: 'removed', label: ['移除', 'Removed'], tone: 'error' },
  { key: 'widened', label: ['范围扩大', 'Scope widened'], tone: 'warning' },
  { key: 'narrowed', label: ['范围缩小', 'Scope narrowed'], tone: 'processing' },
  { key: 'rescoped', label: ['范围变更', 'Scope changed'], tone: 'warning' },
  { key: 'followed', label: ['随之变化', 'Follows'], tone: 'default' },
];

/** What a save would change, with the number of staff who gain or lose each right. */
export function GrantPreview({
  preview,
  departments = [],
}: {
  readonly preview: PreviewAnswer;
  readonly departments?: Authority['departments'];
}) {
  const text = useText();
  const language = useLanguageStore((state) => state.language);
  const titleOf = (row: { title: string; titleEn: string }) => (language === 'zh' ? row.title : row.titleEn);
  const nameOf = new Map(departments.map((one) => [one.id, one.title]));
  const scopeText = (grant: WireMenuGrant) =>
    `${text(SCOPE_LABELS[grant.dataScope])}${grant.departmentIds.length > 0 ? ` (${grant.departmentIds.map((id) => nameOf.get(id) ?? id).join(text(['、', ', ']))})` : ''}`;
  const countText = (row: PreviewRow) => {
    const parts: string[] = [];
    if (row.gain > 0) parts.push(text(fill(['{n} 人获得', '{n} staff {n|gains|gain} it'], { n: row.gain })));
    if (row.lose > 0) parts.push(text(fill(['{n} 人失去', '{n} staff {n|loses|lose} it'], { n: row.lose })));
    if (row.changed > 0)
      parts.push(text(fill(['{n} 人数据范围变化', 'scope changes for {n} staff'], { n: row.changed })));
    return parts.length === 0 ? text(['无人受影响', 'Nobody is affected']) : parts.join(text(['，', ', ']));
  };
  const empty = BLOCKS.every((block) => preview[block.key].length === 0) && preview.inherit === null;
  return (
    <div className="pg-preview">
      {preview.missing.length > 0 && (
        <Alert
          type="error"
          showIcon
          title={
            text(['不能授予自己没有的权限：', 'You cannot grant what you do not hold: ']) +
            preview.missing.map(titleOf).join(text(['、', ', ']))
          }
        />
      )}
      {preview.gone && preview.gone.length > 0 && (
        <Alert
          type="warning"
          showIcon
          title={text(
            fill(
              [
                '{n} 项权限已下线，不会恢复',
                '{n} {n|right does|rights do} not exist any more and {n|does|do} not come back',
              ],
              {
                n: preview.gone.length,
              },
            ),
          )}
        />
      )}
      {preview.inherit !== null && (
        <Alert
          type="info"
          showIcon
          title={text(
            preview.inherit
              ? ['将继承上级权限', 'Rights of the group above will be inherited']
              : ['将不再继承上级权限', 'Rights of the group above will no longer be inherited'],
          )}
        />
      )}
      {empty && (
        <p className="k-state k-quiet">
          {text(['与当前权限相同，没有变更', 'Same as now, nothing changes'])}
        </p>
      )}
      {BLOCKS.map((block) => {
        const rows = preview[block.key];
        if (rows.length === 0) return null;
        return (
          <section key={block.key}>
            <h3>
              <span className={`k-tag k-tone-${block.tone}`}>
                <i aria-hidden="true" />
                {text(block.label)}
              </span>
              <span className="k-count">{rows.length}</span>
            </h3>
            <ul className="pg-changes">
              {rows.map((row) => (
                <li key={row.code}>
                  <span>
                    {titleOf(row)} <small className="k-quiet">{row.code}</small>
                  </span>
                  <span className="k-quiet">
                    {row.before && row.after
                      ? `${scopeText(row.before)} → ${scopeText(row.after)}`
                      : row.after
                        ? scopeText(row.after)
                        : ''}
                  </span>
                  <span className={row.lose > 0 ? 'k-bad' : row.gain > 0 ? 'k-strong' : 'k-quiet'}>
                    {countText(row)}
                  </span>
                </li>
              ))}
            </ul>
          </section>
        );
      })}
    </div>
  );
}

import type { ReactNode } from 'react';
import { Skeleton } from 'antd';
import type { ActionRunner } from '../../../kernel/client/action/use-action.tsx';
import { DetailActions, DetailTitle } from '../../../kernel/client/detail/detail-body.tsx';
import { DetailDrawer } from '../../../kernel/client/detail/detail-drawer.tsx';
import { useRow } from '../../../kernel/client/detail/use-row.ts';
import { useText } from '../../../kernel/client/language.ts';
import { ErrorPanel } from '../../../kernel/client/parts/error-panel.tsx';
import type { ScreenSlots } from '../../../kernel/client/slots.ts';
import { useView } from '../../../kernel/client/view.ts';
import type { ResourceSpec } from '../../../kernel/contract/resource.ts';
import { BelowPart } from './organisation-parts.tsx';
import { organisation } from './organisation.contract.ts';

const resource = organisation as unknown as ResourceSpec;

/** The right side of a chosen management unit: its children are projects, which are no rows of this list. */
export function UnitPanel(props: {
  readonly id: string;
  readonly slots: ScreenSlots;
  readonly action: ActionRunner;
  readonly shapes: ReactNode;
}) {
  const { id, action } = props;
  const text = useText();
  const view = useView();
  const { data: row, isError, error, refetch } = useRow(resource, id);
  const detail = view.query.get('detail') ?? undefined;
  const show = (next: string | undefined) => {
    const query = new URLSearchParams(view.query);
    if (next) query.set('detail', next);
    else query.delete('detail');
    view.setQuery(query);
  };
  return (
    <div className="k-screen">
      <header className="k-title">
        <h1>{row ? <DetailTitle resource={resource} row={row} /> : text(organisation.title)}</h1>
        <div className="k-title-actions">
          {row && <DetailActions resource={resource} row={row} action={action} />}
        </div>
      </header>
      {props.shapes}
      {isError ? (
        <ErrorPanel error={error} onRetry={() => void refetch()} />
      ) : !row ? (
        <Skeleton active paragraph={{ rows: 6 }} />
      ) : (
        <>
          <h3>{text(['项目', 'Projects'])}</h3>
          <BelowPart id={id} />
          <p>
            <button type="button" className="k-link" onClick={() => show(id)}>
              {text(['查看机构详情', 'Details of the organisation'])}
            </button>
          </p>
        </>
      )}
      {detail !== undefined && (
        <DetailDrawer
          resource={resource}
          slots={props.slots}
          id={detail}
          siblings={[detail]}
          action={action}
          onMove={show}
          onClose={() => show(undefined)}
        />
      )}
    </div>
  );
}

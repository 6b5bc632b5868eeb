import './organisation.css';
import { useEffect, useEffectEvent, useState } from 'react';
import { Button, Segmented, Skeleton } from 'antd';
import { useQuery } from '@tanstack/react-query';
import { call } from '../../../kernel/client/api-client.ts';
import { useAfterAction } from '../../../kernel/client/action/use-after-action.ts';
import { DetailPage } from '../../../kernel/client/detail/detail-page.tsx';
import { ResourceForm } from '../../../kernel/client/form/resource-form.tsx';
import { useFormRow } from '../../../kernel/client/form/use-form-row.ts';
import { useText } from '../../../kernel/client/language.ts';
import { modeTitle } from '../../../kernel/client/modes.rules.ts';
import { ErrorPanel } from '../../../kernel/client/parts/error-panel.tsx';
import { useHeld } from '../../../kernel/client/parts/held.ts';
import { useLeaveQuestion } from '../../../kernel/client/parts/use-confirm.ts';
import type { ScreenSlots } from '../../../kernel/client/slots.ts';
import { formWords } from '../../../kernel/client/texts.ts';
import { useView } from '../../../kernel/client/view.ts';
import { keysOf, type RowData } from '../../../kernel/client/wire.ts';
import type { Fields } from '../../../kernel/contract/fields.ts';
import type { ResourceSpec } from '../../../kernel/contract/resource.ts';
import type { OrganisationKind } from '../../../domain/places/organisation.rules.ts';
import { choicesBelow, foreignTo, KINDS, organisation, requiredFor } from './organisation.contract.ts';
import { HangInput, LongitudeInput, RegionInput } from './organisation-inputs.tsx';
import { NodeSelect } from './rearrange-dialogs.tsx';
import { useOrganisationSlots } from './organisation.screen.tsx';

const LIST = '/baseData/mechanism';

/** Inputs of a kind's form below a parent. */
const inputsOf = (kind: OrganisationKind, parent?: string): NonNullable<ScreenSlots['inputs']> => ({
  region: (props) => <RegionInput {...props} level={kind === 'centre_city' ? 2 : 3} />,
  longitude: (props) => <LongitudeInput {...props} />,
  hang: (props) => <HangInput {...props} parent={parent} />,
});

/** The contract as the form of a kind shows it: without what the kind has nothing to do with, with what it needs marked. */
function formOf(kind: OrganisationKind): ResourceSpec {
  const needed = new Set(requiredFor(kind));
  const foreign = new Set(foreignTo(kind));
  const fields: Fields = Object.fromEntries(
    Object.entries(organisation.fields).map(([name, field]) => [
      name,
      needed.has(name) && name !== 'parent' ? { ...field, required: true } : field,
    ]),
  );
  return {
    ...(organisation as unknown as ResourceSpec),
    fields,
    form: {
      as: 'page',
      sections: organisation
        .form!.sections.map((section) => ({
          ...section,
          fields: section.fields.filter((name) => !foreign.has(name)),
        }))
        .filter((section) => section.fields.length > 0),
    },
  };
}

/** Adds (`parentId`, `kind`), edits (`id`) or shows (`id`, `view=1`) an organisation. */
function OrganisationPage() {
  const view = useView();
  const slots = useOrganisationSlots();
  const id = view.query.get('id') ?? undefined;
  if (id === undefined) return <AddPage />;
  if (view.query.get('view') === '1')
    return <DetailPage key={id} resource={organisation as unknown as ResourceSpec} slots={slots} id={id} />;
  return <EditPage key={id} id={id} />;
}

/** Head, way out, and what follows a save; the same for a new and an edited organisation. */
function useFormFrame(mode: 'add' | 'edit', dirty: boolean) {
  const text = useText();
  const view = useView();
  const mayLeave = useLeaveQuestion();
  const leave = () => {
    view.setDirty(false);
    view.open(LIST);
    view.close();
  };
  const cancel = async () => {
    if (dirty && !(await mayLeave())) return;
    leave();
  };
  const head = (name?: string) => (
    <header className="k-title">
      <h1>
        {text(modeTitle(organisation as unknown as ResourceSpec, mode))}
        {name && <span className="k-title-name">{name}</span>}
      </h1>
    </header>
  );
  return { leave, cancel: () => void cancel(), head };
}

function EditPage({ id }: { readonly id: string }) {
  const text = useText();
  const view = useView();
  const after = useAfterAction(organisation as unknown as ResourceSpec);
  const [dirty, setDirty] = useState(false);
  const row = useFormRow(organisation as unknown as ResourceSpec, id);
  const { leave, cancel, head } = useFormFrame('edit', dirty);
  const name = row.data && String(row.data.name);
  const nameTab = useEffectEvent((suffix: string) => view.setTitle(suffix));
  useEffect(() => {
    if (name) nameTab(name);
  }, [name]);
  const frame = (body: React.ReactNode) => (
    <div className="k-screen k-form-page">
      {head(name)}
      {body}
    </div>
  );
  if (row.isError) return frame(<ErrorPanel error={row.error} onRetry={() => void row.refetch()} />);
  if (!row.data) return frame(<Skeleton active paragraph={{ rows: 10 }} />);
  if (!row.data.actions.includes('update'))
    return frame(
      <div className="k-state" role="alert">
        <strong>{text(formWords.notEditable)}</strong>
        <span className="k-quiet">{text(formWords.notEditableNote)}</span>
        <Button onClick={leave}>{text(['返回', 'Back'])}</Button>
      </div>,
    );
  return frame(
    <ResourceForm
      resource={formOf(row.data.kind as OrganisationKind)}
      row={row.data}
      slots={{ inputs: inputsOf(row.data.kind as OrganisationKind) }}
      layout="page"
      page={`${view.path}?id=${id}`}
      onSaved={(saved) => {
        after('update', organisation.actions!.update!, [saved.id], saved);
        leave();
      }}
      onCancel={cancel}
      onDirty={(now) => {
        setDirty(now);
        view.setDirty(now);
      }}
    />,
  );
}

interface Proposal {
  readonly code: string;
  readonly parent?: { readonly id: string; readonly title: string; readonly kind: OrganisationKind };
}

function AddPage() {
  const text = useText();
  const view = useView();
  const held = useHeld(organisation as unknown as ResourceSpec);
  const after = useAfterAction(organisation as unknown as ResourceSpec);
  const [dirty, setDirty] = useState(false);
  const [round, setRound] = useState(0);
  const { leave, cancel, head } = useFormFrame('add', dirty);
  const mayLeave = useLeaveQuestion();
  const parentId = view.query.get('parentId') ?? view.query.get('parent') ?? undefined;
  const proposal = useQuery({
    queryKey: [...keysOf.all(organisation.name), 'proposal', parentId ?? '', round],
    gcTime: 0,
    staleTime: Infinity,
    queryFn: ({ signal }) =>
      call<Proposal>('GET', '/api/jinmao/web/organisation/proposal', {
        ...(parentId ? { query: { parent: parentId } } : {}),
        signal,
        quiet: true,
      }),
  });
  const parent = proposal.data?.parent;
  const kinds = choicesBelow(parent?.kind);
  const wanted = view.query.get('kind') as OrganisationKind | null;
  const kind = wanted && kinds.includes(wanted) ? wanted : kinds[0];
  const go = async (query: Readonly<Record<string, string | undefined>>) => {
    if (dirty && !(await mayLeave())) return;
    const next = new URLSearchParams();
    for (const [name, value] of Object.entries(query)) if (value) next.set(name, value);
    setDirty(false);
    view.setDirty(false);
    view.setQuery(next);
  };
  const saved = (row: RowData, again: boolean) => {
    after('create', organisation.actions!.create!, [row.id], row);
    if (!again) return leave();
    setDirty(false);
    view.setDirty(false);
    setRound(round + 1);
    view.setQuery(new URLSearchParams({ parentId: row.id }));
  };
  const noteDirty = (now: boolean) => {
    setDirty(now);
    view.setDirty(now);
  };
  return (
    <div className="k-screen k-form-page">
      {head()}
      <div className="org-place">
        <span>
          {text(['上级', 'Parent'])}{' '}
          <NodeSelect
            label={text(['上级', 'Parent'])}
            value={parentId ?? ''}
            top={text(['无（最上级公司）', 'None (company at the top)'])}
            allows={(node) => node.kind !== 'project' && choicesBelow(node.kind).length > 0}
            onChange={(next) => void go({ parentId: next || undefined })}
          />
        </span>
        {kind && kinds.length > 1 && (
          <Segmented
            value={kind}
            aria-label={text(organisation.fields.kind.label)}
            options={kinds.map((one) => ({ value: one, label: text(KINDS[one].label) }))}
            onChange={(next) => void go({ parentId, kind: next })}
          />
        )}
        {kind && kinds.length === 1 && <span className="k-quiet">{text(KINDS[kind].label)}</span>}
      </div>
      {proposal.isError ? (
        <ErrorPanel error={proposal.error} onRetry={() => void proposal.refetch()} />
      ) : !proposal.data ? (
        <Skeleton active paragraph={{ rows: 10 }} />
      ) : kind === undefined ? (
        <div className="k-state" role="alert">
          <strong>{text(['管理单元下只能挂接项目', 'Only projects hang below a management unit'])}</strong>
        </div>
      ) : (
        <ResourceForm
          key={`${parentId} ${kind} ${round}`}
          resource={formOf(kind)}
          slots={{
            inputs: inputsOf(kind, parentId),
            hiddenInputs: ['kind', 'parent'],
            createWith: { kind, ...(parent ? { parent: { id: parent.id, title: parent.title } } : {}) },
          }}
          first={{ code: proposal.data.code }}
          layout="page"
          page={`${view.path}?${new URLSearchParams({ ...(parentId ? { parentId } : {}), kind }).toString()}`}
          repeats={
            kind !== 'management_unit' && held('btn_add') ? ['保存并新增下级', 'Save and add below'] : false
          }
          onSaved={(row, ways) => saved(row, ways.again === true)}
          onCancel={cancel}
          onDirty={noteDirty}
        />
      )}
    </div>
  );
}

/** The form of an organisation as a page. */
export const screen = { contract: organisation, component: OrganisationPage };

import { useEffect, useId, useRef, useState } from 'react';
import { Alert, Button, Skeleton, Steps } from 'antd';
import { useQuery } from '@tanstack/react-query';
import { call } from '../../../kernel/client/api-client.ts';
import { DraftOffer } from '../../../kernel/client/form/draft-offer.tsx';
import { ConflictPanel } from '../../../kernel/client/form/conflict-panel.tsx';
import { FieldForm, focusFirstError } from '../../../kernel/client/form/field-form.tsx';
import { SubmitBar } from '../../../kernel/client/form/resource-form.tsx';
import { useResourceForm } from '../../../kernel/client/form/use-resource-form.ts';
import { useText } from '../../../kernel/client/language.ts';
import { AppDrawer } from '../../../kernel/client/parts/app-drawer.tsx';
import { ErrorPanel } from '../../../kernel/client/parts/error-panel.tsx';
import { useLeaveQuestion } from '../../../kernel/client/parts/use-confirm.ts';
import { useSession } from '../../../kernel/client/session.ts';
import type { ActionScreenProps } from '../../../kernel/client/slots.ts';
import { formWords } from '../../../kernel/client/texts.ts';
import { useView } from '../../../kernel/client/view.ts';
import { keysOf, rootOf, type RowData } from '../../../kernel/client/wire.ts';
import { fill } from '../../../kernel/contract/label.ts';
import { product } from './product.contract.ts';
import { SpecMatrix } from './spec-matrix.tsx';
import { newSpec, readSpecs, type SpecWire } from './spec.rules.ts';

const MERCHANT = 2;
const sections = product.form!.sections;

/** Create and edit a product in three steps; an edit goes on from a waiting change. Leaving with unsaved input asks. */
export function ProductForm({ row, close, done }: ActionScreenProps) {
  const text = useText();
  const view = useView();
  const [dirty, setDirty] = useState(false);
  const mayLeave = useLeaveQuestion();
  const id = row?.id;
  const loaded = useQuery({
    queryKey: [...keysOf.row(product.name, id ?? ''), 'form'],
    enabled: id !== undefined,
    staleTime: Infinity,
    gcTime: 0,
    queryFn: ({ signal }) =>
      call<RowData>('GET', `${rootOf(product)}/${encodeURIComponent(id!)}`, { signal }),
  });
  const leave = async () => {
    if (dirty && !(await mayLeave())) return;
    view.setDirty(false);
    close();
  };
  return (
    <AppDrawer
      open
      guarded={dirty}
      size={product.form!.width ?? 960}
      title={
        row
          ? `${text(product.actions!.update!.label)} ${String(row.name ?? '')}`
          : text(product.actions!.create!.label)
      }
      onClose={() => void leave()}
      rootClassName="k-form-drawer"
    >
      {id !== undefined && loaded.isPending ? (
        <Skeleton active paragraph={{ rows: 10 }} />
      ) : id !== undefined && loaded.isError ? (
        <ErrorPanel error={loaded.error} onRetry={() => void loaded.refetch()} />
      ) : (
        <ProductSteps
          row={loaded.data}
          onSaved={(saved) => done([saved.id])}
          onCancel={() => void leave()}
          onDirty={setDirty}
        />
      )}
    </AppDrawer>
  );
}

function ProductSteps(props: {
  readonly row: RowData | undefined;
  readonly onSaved: (row: RowData) => void;
  readonly onCancel: () => void;
  readonly onDirty: (dirty: boolean) => void;
}) {
  const text = useText();
  const formName = `p${useId().replace(/\W/g, '')}`;
  const [step, setStep] = useState(0);
  const [showProblems, setShowProblems] = useState(false);
  const isMerchant = useSession((session) => session.info?.tenantType === MERCHANT);
  const [row] = useState(() => props.row && editedRow(props.row));
  const state = useResourceForm({ resource: product, row, formName, onSaved: props.onSaved });
  const { form, dirty, problems, names } = state;
  const { onDirty } = props;
  useEffect(() => onDirty(dirty), [dirty, onDirty]);
  useEffect(() => {
    // What most products have; a merchant's own words come on top.
    if (!row) form.setFieldsValue(FIRST_VALUES);
  }, [form, row]);
  const shown = useRef(0);
  useEffect(() => {
    if (problems === 0 || problems === shown.current) return void (shown.current = problems);
    shown.current = problems;
    // The first bad field may stand on a step that is hidden.
    const bad = sections.findIndex((section) =>
      section.fields.some((name) => form.getFieldError(name).length > 0),
    );
    if (bad >= 0) setStep(bad);
    requestAnimationFrame(() => focusFirstError(form, formName, names));
  }, [problems, form, formName, names]);

  const submit = async () => {
    setShowProblems(true);
    if (readSpecs(parsed(form.getFieldValue('specs'))).problems.length === 0) return state.submit();
    try {
      await form.validateFields(sections.slice(0, 2).flatMap((section) => [...section.fields]));
    } catch {
      // The steps before say first what they miss; nothing is sent.
      return state.submit();
    }
    setStep(2);
  };
  const stocks = Object.fromEntries(
    ((props.row?.specs as readonly { id: string; stockNow: number }[] | undefined) ?? []).map((spec) => [
      spec.id,
      spec.stockNow,
    ]),
  );
  const blocks = sections.map((section) => ({
    title: section.title,
    fields: section.fields.filter((name) => names.includes(name) && !(isMerchant && name === 'merchant')),
  }));
  return (
    <div className="k-form-host">
      <div className="product-steps">
        <Steps
          size="small"
          current={step}
          onChange={setStep}
          items={sections.map((section) => ({ title: text(section.title) }))}
        />
      </div>
      <div className="k-form-body product-form" data-step={step}>
        {row?.state === 'published' && (
          <Alert
            type={row.pendingChange ? 'warning' : 'info'}
            showIcon
            className="product-notice"
            title={text(row.pendingChange ? CHANGE_WAITS : CHANGE_WILL_WAIT)}
          />
        )}
        {state.draft && !dirty && (
          <DraftOffer draft={state.draft} onRestore={state.restoreDraft} onDrop={state.discardDraft} />
        )}
        {state.conflict && (
          <ConflictPanel fields={product.fields} conflict={state.conflict} onResolve={state.resolve} />
        )}
        <FieldForm
          form={form}
          name={formName}
          fields={product.fields}
          sections={blocks}
          columns={2}
          initial={state.initial}
          inputs={{
            specs: (input) => (
              <SpecMatrix
                {...(input.id ? { id: input.id } : {})}
                value={input.value}
                onChange={(value) => input.onChange?.(value)}
                disabled={input.disabled}
                showProblems={showProblems}
                stocks={stocks}
              />
            ),
          }}
          onChange={state.changed}
          onSubmit={() => void submit()}
        />
      </div>
      <SubmitBar
        note={
          <span className="k-links">
            <Button disabled={step === 0} onClick={() => setStep(step - 1)}>
              {text(['上一步', 'Back'])}
            </Button>
            <Button disabled={step === sections.length - 1} onClick={() => setStep(step + 1)}>
              {text(['下一步', 'Next'])}
            </Button>
            {problems > 0 && (
              <span className="k-problem" role="alert">
                {text(fill(formWords.problems, { n: problems }))}
              </span>
            )}
          </span>
        }
        busy={state.busy}
        locked={state.locked}
        onSubmit={() => void submit()}
        onCancel={props.onCancel}
      />
    </div>
  );
}

const CHANGE_WILL_WAIT = [
  '商品已发布：名称、价格、图文、分类、规格增减和新增项目审核通过后生效；预警、限购和减少项目立即生效',
  'On sale: name, prices, images and text, classes, specs and new projects wait for review; alerts, limits and removed projects change at once',
] as const;
const CHANGE_WAITS = [
  '以下为正在等待审核的内容，保存后将替换它',
  'This is what waits for review; saving replaces it',
] as const;

const FIRST_VALUES = {
  salesWay: 'self',
  delivery: 'third',
  pointsAllowed: true,
  accountLimit: '0',
  specs: JSON.stringify([newSpec('')]),
};

/** The row as the form edits it: a waiting change on top, specs without the figures that are only shown. */
function editedRow(row: RowData): RowData {
  const proposed = (row.proposed as Readonly<Record<string, unknown>> | null) ?? {};
  const specs = ((proposed.specs ?? row.specs) as readonly (SpecWire & Record<string, unknown>)[]).map(
    ({ code: _code, stockNow: _now, reserved: _reserved, sold: _sold, ...spec }) => spec,
  );
  return { ...row, ...proposed, specs };
}

function parsed(value: unknown): unknown {
  try {
    return typeof value === 'string' ? (JSON.parse(value) as unknown) : value;
  } catch {
    return undefined;
  }
}

import { useState } from 'react';
import { Alert, Button, Checkbox, Input } from 'antd';
import { DeleteOutlined, PlusOutlined } from '@ant-design/icons';
import { useMutation } from '@tanstack/react-query';
import { call } from '../../../kernel/client/api-client.ts';
import { formProblem, writtenValues } from '../../../kernel/client/form/form-values.rules.ts';
import { moneyText, thousands } from '../../../kernel/client/format.rules.ts';
import { useText } from '../../../kernel/client/language.ts';
import { useHeld } from '../../../kernel/client/parts/held.ts';
import { NumberText } from '../../../kernel/client/parts/number-text.tsx';
import { RemoteSelect } from '../../../kernel/client/parts/remote-select.tsx';
import { words } from '../../../kernel/client/texts.ts';
import { plainFormula } from '../../../domain/trade-money/plain-formula.rules.ts';
import { mallPoints } from './mall-points.contract.ts';
import { pointsProblem } from '../../../domain/trade-money/points-settings.rules.ts';
import type { TrialAnswer } from './points-simulation.rules.ts';
import './mall-points.css';

interface Line {
  readonly name: string;
  readonly price: string;
  readonly qty: string;
  readonly pointsAllowed: boolean;
}

/** The answer as the server sends it: texts in the caller's language. */
type Answer = Omit<TrialAnswer, 'steps' | 'notices'> & {
  readonly steps: readonly {
    readonly code: number;
    readonly label: string;
    readonly formula: string;
    readonly amount: string;
    readonly units: number;
  }[];
  readonly notices: readonly string[];
};

const LINES_MOST = 20;
const NAMES = Object.keys(mallPoints.fields);

/** A trial cart that is priced by the server's engine with the settings as the form shows them, saved or not. */
export function PointsSimulator({ values }: { readonly values: Readonly<Record<string, unknown>> }) {
  const text = useText();
  const held = useHeld(mallPoints);
  const [lines, setLines] = useState<readonly Line[]>([
    { name: text(['商品 1', 'Item 1']), price: '99.90', qty: '1', pointsAllowed: true },
  ]);
  const [face, setFace] = useState('');
  const [threshold, setThreshold] = useState('');
  const [balance, setBalance] = useState('10000');
  const [points, setPoints] = useState('');
  const [project, setProject] = useState<readonly string[]>([]);
  const trial = useMutation({
    mutationFn: () =>
      call<Answer>('POST', '/api/jinmao/web/settings/mallPoints/simulate', {
        body: {
          values: writtenValues(mallPoints.fields, NAMES, values),
          lines: lines.map((line) => ({
            name: line.name,
            price: line.price,
            qty: Number(line.qty),
            pointsAllowed: line.pointsAllowed,
          })),
          coupons: face === '' ? [] : [{ kind: 'cash', face, threshold: threshold || '0' }],
          balance: Number(balance || 0),
          points: points === '' ? null : Number(points),
          project: project[0] ?? null,
        },
      }),
  });
  if (!held('btn_simulate')) return null;
  const problem =
    NAMES.map((name) => formProblem(mallPoints.fields[name]!, values[name])).find(Boolean) ??
    pointsProblem(Number(values.mall_points_per_yuan), Number(values.mall_points_step));
  const set = (index: number, patch: Partial<Line>) =>
    setLines(lines.map((line, at) => (at === index ? { ...line, ...patch } : line)));
  const ready = lines.every((line) => Number(line.price) > 0 && Number(line.qty) > 0);
  return (
    <section className="points-trial" aria-label={text(mallPoints.elements!.btn_simulate!)}>
      <h3>{text(mallPoints.elements!.btn_simulate!)}</h3>
      <p className="k-quiet k-small">
        {text(['按左侧当前填写的规则试算，不会保存', 'Computed with the rules as entered; nothing is saved'])}
      </p>
      {lines.map((line, index) => (
        <div key={index} className="points-line">
          <Input
            value={line.name}
            maxLength={60}
            aria-label={text(['商品', 'Item'])}
            onChange={(event) => set(index, { name: event.target.value })}
          />
          <NumberText
            value={line.price}
            label={text(['单价', 'Price'])}
            unit={text(['元', 'CNY'])}
            pad
            min={0.01}
            max={999_999.99}
            onChange={(price) => set(index, { price })}
          />
          <NumberText
            value={line.qty}
            label={text(['数量', 'Qty'])}
            unit={text(['件', 'pcs'])}
            scale={0}
            min={1}
            max={9_999}
            onChange={(qty) => set(index, { qty })}
          />
          <Checkbox
            checked={line.pointsAllowed}
            onChange={(event) => set(index, { pointsAllowed: event.target.checked })}
          >
            {text(['可用积分', 'Points'])}
          </Checkbox>
          <Button
            type="text"
            size="small"
            icon={<DeleteOutlined />}
            disabled={lines.length === 1}
            aria-label={`${text(words.remove)} ${line.name}`}
            title={text(words.remove)}
            onClick={() => setLines(lines.filter((_, at) => at !== index))}
          />
        </div>
      ))}
      <Button
        size="small"
        type="dashed"
        icon={<PlusOutlined />}
        disabled={lines.length >= LINES_MOST}
        onClick={() =>
          setLines([
            ...lines,
            {
              name: text([`商品 ${lines.length + 1}`, `Item ${lines.length + 1}`]),
              price: '',
              qty: '1',
              pointsAllowed: true,
            },
          ])
        }
      >
        {text(['添加商品', 'Add item'])}
      </Button>
      <RemoteSelect
        target="project"
        label={text(['按项目试算', 'Project'])}
        prefix={text(['项目', 'Project'])}
        placeholder={text(['全局规则', 'Product-wide rules'])}
        value={project}
        known={{}}
        onChange={(ids) => setProject(ids)}
      />
      <div className="points-grid">
        <label>
          {text(['平台券面值', 'Coupon'])}
          <NumberText value={face} unit={text(['元', 'CNY'])} pad onChange={setFace} />
        </label>
        <label>
          {text(['满', 'From'])}
          <NumberText
            value={threshold}
            unit={text(['元', 'CNY'])}
            pad
            disabled={face === ''}
            onChange={setThreshold}
          />
        </label>
        <label>
          {text(['积分余额', 'Balance'])}
          <NumberText value={balance} scale={0} min={0} max={100_000_000} onChange={setBalance} />
        </label>
        <label>
          {text(['使用积分', 'Points to use'])}
          <NumberText
            value={points}
            scale={0}
            min={0}
            max={100_000_000}
            placeholder={text(['尽量多', 'As many as possible'])}
            onChange={setPoints}
          />
        </label>
      </div>
      {problem && (
        <p className="k-problem k-small" role="alert">
          {text(problem)}
        </p>
      )}
      <Button
        type="primary"
        ghost
        block
        loading={trial.isPending}
        disabled={problem !== undefined || !ready}
        onClick={() => trial.mutate()}
      >
        {text(mallPoints.elements!.btn_simulate!)}
      </Button>
      {trial.data && <Result answer={trial.data} />}
    </section>
  );
}

function Result({ answer }: { readonly answer: Answer }) {
  const text = useText();
  return (
    <div className="points-result" aria-live="polite">
      {answer.notices.map((notice) => (
        <Alert key={notice} type="warning" showIcon title={notice} />
      ))}
      <ol>
        {answer.steps.map((step, index) => (
          <li key={index}>
            <span>
              {step.label}
              <small className="k-quiet">{plainFormula(step.formula)}</small>
            </span>
            <span className="k-number">
              {step.code === 10 ? '' : '−'}
              {moneyText(step.amount)}
              {step.units > 0 && (
                <small className="k-quiet">{`${thousands(step.units)} ${text(['积分', 'points'])}`}</small>
              )}
            </span>
          </li>
        ))}
        <li className="k-strong">
          <span>{text(['应付（不含运费）', 'To pay (without freight)'])}</span>
          <span className="k-number">{moneyText(answer.payable)}</span>
        </li>
      </ol>
      <p className="k-quiet k-small">
        {text([
          `最多可用 ${thousands(answer.maxPoints)} 积分`,
          `At most ${thousands(answer.maxPoints)} points`,
        ])}
      </p>
    </div>
  );
}

import { useText } from '../../../kernel/client/language.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { TimeLeft } from '../approval-centre/approval-cells.tsx';
import { TASK_STATES } from '../approval-centre/approval-task.contract.ts';
import { nodeName } from '../approval-process/flow-words.ts';
import { insteadOf, type GraphNode } from './handling-types.ts';

const STATES = {
  passed: ['已通过', 'Passed'],
  current: ['进行中', 'Current'],
  refused: ['已驳回', 'Refused'],
  returned: ['已退回', 'Returned'],
  future: ['未到达', 'To come'],
  skipped: ['未经过', 'Not taken'],
} as const satisfies Readonly<Record<GraphNode['state'], Label>>;

const TYPES: Readonly<Record<string, Label>> = {
  approve: ['审批', 'Approve'],
  handle: ['办理', 'Handle'],
  copy: ['抄送', 'Copy'],
  exclusive: ['条件', 'Condition'],
  parallel: ['并行', 'Parallel'],
  inclusive: ['包容', 'Inclusive'],
  delay: ['延时', 'Delay'],
};

/** The nodes from top to bottom: passed green, the current one blue, what may come grey with who would be asked. */
export function FlowGraph({ nodes }: { readonly nodes: readonly GraphNode[] }) {
  return (
    <ol className="flow-nodes">
      {nodes.map((node) => (
        <Node key={node.key} node={node} />
      ))}
    </ol>
  );
}

function Node({ node }: { readonly node: GraphNode }) {
  const text = useText();
  return (
    <li
      className={`flow-node flow-${node.state}`}
      aria-current={node.state === 'current' ? 'step' : undefined}
    >
      <div className="flow-head">
        <strong>{text(nodeName(node.name))}</strong>
        <span className="k-quiet k-small">{text(TYPES[node.type] ?? ['', ''])}</span>
        <span className="flow-state">{text(STATES[node.state])}</span>
      </div>
      {node.counter && <div className="k-small">{node.counter}</div>}
      {node.people.length > 0 && (
        <ul className="flow-people">
          {node.people.map((one, index) => (
            <li key={`${one.name} ${index}`}>
              {one.name}
              {one.instead && <span className="k-quiet">{text(insteadOf(one.instead, one.via))}</span>}
              {one.state && node.type !== 'copy' && (
                <span className="k-quiet k-small">
                  {text(TASK_STATES[one.state as keyof typeof TASK_STATES].label)}
                </span>
              )}
              {one.reason && <span className="k-quiet k-small">{one.reason}</span>}
              {one.minutes !== undefined && <TimeLeft minutes={one.minutes} />}
            </li>
          ))}
        </ul>
      )}
      {node.state === 'future' && node.people.length > 0 && (
        <div className="k-quiet k-small">{text(['预计审批人', 'Expected'])}</div>
      )}
      {node.automatic && (
        <div className="k-quiet k-small">
          {text(
            node.automatic === 'auto_pass'
              ? ['无人时自动通过', 'Passes by itself']
              : ['无人时自动驳回', 'Refuses by itself'],
          )}
        </div>
      )}
      {node.due && (
        <div className="k-quiet k-small">
          {text(['截止', 'Due'])} {node.due}
        </div>
      )}
      {node.branches.length > 0 && (
        <div className="flow-branches">
          {node.branches.map((branch) => (
            <div key={branch.key} className={branch.taken === false ? 'flow-branch flow-off' : 'flow-branch'}>
              <span className="k-small">
                {branch.name}
                {branch.taken === true && <span className="k-quiet"> · {text(['经过', 'Taken'])}</span>}
              </span>
              <FlowGraph nodes={branch.nodes} />
            </div>
          ))}
        </div>
      )}
    </li>
  );
}

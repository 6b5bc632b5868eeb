import './flow-canvas.css';
import { useState, type DragEvent, type KeyboardEvent } from 'react';
import type { Label } from '../../../kernel/contract/label.ts';
import { useText } from '../../../kernel/client/language.ts';
import { Icon } from '../../../kernel/client/parts/icon.tsx';
import { MenuButton, type MenuEntry } from '../../../kernel/client/parts/menu-button.tsx';
import {
  isBranching,
  type ApprovalField,
  type BranchNode,
  type ProcessNode,
} from '../../../domain/approval/process.rules.ts';
import { lineOf, mayMove, type Place } from './flow-edit.rules.ts';
import { branchText, NODE_TYPES, nodeText, type Names } from './flow-words.ts';

/** What can be done with the tree; left out, it is only shown. */
export interface CanvasEdit {
  readonly open: (key: string) => void;
  readonly openBranch: (key: string, branch: string) => void;
  readonly add: (place: Place, type: ProcessNode['type']) => void;
  readonly move: (key: string, place: Place) => void;
  readonly step: (key: string, by: -1 | 1) => void;
  readonly copy: (key: string) => void;
  readonly remove: (key: string) => void;
  readonly addBranch: (key: string) => void;
  readonly removeBranch: (key: string, branch: string) => void;
  readonly stepBranch: (key: string, branch: string, by: -1 | 1) => void;
}

/** A word beside a node or branch, with its tone: what a check, a trial or a comparison has to say. */
export interface NodeMark {
  readonly tone: 'bad' | 'good' | 'new' | 'changed' | 'quiet';
  readonly text: string;
}

interface CanvasProps {
  readonly nodes: readonly ProcessNode[];
  readonly names: Names;
  readonly fields: readonly ApprovalField[];
  readonly label: string;
  readonly zoom?: number;
  readonly selected?: string | undefined;
  readonly marks?: ReadonlyMap<string, NodeMark>;
  readonly edit?: CanvasEdit;
}

interface Board extends CanvasProps {
  /** The node that is being moved, by hand or by the menu. */
  readonly moving: string | undefined;
  readonly setMoving: (key: string | undefined) => void;
}

/** Milliseconds between grabbing a node and making room for it: a change at once would end the grab. */
const GRAB = 30;

/** The nodes of a process as a tree from the top down; with `edit` they are added, moved, copied and deleted in it. */
export function FlowCanvas(props: CanvasProps) {
  const text = useText();
  const [moving, setMoving] = useState<string>();
  const board: Board = { ...props, moving, setMoving };
  return (
    <div
      className="pc-canvas"
      role="group"
      aria-label={props.label}
      tabIndex={0}
      data-moving={moving !== undefined || undefined}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || moving === undefined) return;
        event.stopPropagation();
        setMoving(undefined);
      }}
    >
      {moving !== undefined && (
        <p className="pc-hint" role="status">
          {text(['选择要移动到的位置，Esc 取消', 'Choose where it goes, Esc gives up'])}
          <button type="button" className="k-link" onClick={() => setMoving(undefined)}>
            {text(['取消', 'Cancel'])}
          </button>
        </p>
      )}
      <div className="pc-zoom" style={{ zoom: props.zoom ?? 1 }}>
        <div className="pc-end">{text(['发起', 'Start'])}</div>
        <Line board={board} nodes={props.nodes} line="" />
        <div className="pc-end">{text(['结束', 'End'])}</div>
      </div>
    </div>
  );
}

function Line({
  board,
  nodes,
  line,
}: {
  readonly board: Board;
  readonly nodes: readonly ProcessNode[];
  readonly line: string;
}) {
  return (
    <ol className="pc-line">
      {nodes.map((node, index) => (
        <li key={node.key}>
          <Gap board={board} place={{ line, index }} after={nodes[index - 1]} />
          <NodeCard board={board} node={node} />
        </li>
      ))}
      <li>
        <Gap board={board} place={{ line, index: nodes.length }} after={nodes.at(-1)} />
      </li>
    </ol>
  );
}

function Gap({
  board,
  place,
  after,
}: {
  readonly board: Board;
  readonly place: Place;
  readonly after: ProcessNode | undefined;
}) {
  const text = useText();
  const [over, setOver] = useState(false);
  const { edit, moving } = board;
  if (!edit) return <span className="pc-gap" aria-hidden="true" />;
  const where: Label = after
    ? [`「${after.name}」之后`, `after “${after.name}”`]
    : place.line === ''
      ? ['发起之后', 'after the start']
      : ['分支开头', 'at the start of the branch'];
  const takes = moving !== undefined && mayMove(board.nodes, moving, place);
  const put = () => {
    if (takes) edit.move(moving, place);
    board.setMoving(undefined);
  };
  const drop = {
    onDragOver: (event: DragEvent) => {
      if (!takes) return;
      event.preventDefault();
      setOver(true);
    },
    onDragLeave: () => setOver(false),
    onDrop: (event: DragEvent) => {
      event.preventDefault();
      setOver(false);
      put();
    },
  };
  if (moving !== undefined)
    return (
      <span className="pc-gap pc-gap-open" data-over={over || undefined} {...drop}>
        {takes && (
          <button type="button" className="pc-here" onClick={put}>
            {text(['移到此处', 'Move here'])}
            <span className="k-hidden"> {text(where)}</span>
          </button>
        )}
      </span>
    );
  return (
    <span className="pc-gap">
      <MenuButton
        className="pc-add"
        label={text([`在${where[0]}添加节点`, `Add a node ${where[1]}`])}
        entries={Object.entries(NODE_TYPES).map(([type, label]) => ({
          key: type,
          label: text(label),
          run: () => edit.add(place, type as ProcessNode['type']),
        }))}
      >
        <Icon name="plus" />
      </MenuButton>
    </span>
  );
}

function NodeCard({ board, node }: { readonly board: Board; readonly node: ProcessNode }) {
  const text = useText();
  const { edit, names, fields } = board;
  const mark = board.marks?.get(node.key);
  const about = text(nodeText(node, names, fields));
  const body = (
    <>
      <span className="pc-type">{text(NODE_TYPES[node.type])}</span>
      <strong className="pc-name">{node.name || text(['未命名', 'Without a name'])}</strong>
      <span className="pc-about">{about}</span>
      {mark && <span className={`pc-mark pc-mark-${mark.tone}`}>{mark.text}</span>}
    </>
  );
  const keys = (event: KeyboardEvent) => {
    if (!edit) return;
    const by = event.key === 'ArrowUp' ? -1 : event.key === 'ArrowDown' ? 1 : undefined;
    if (event.altKey && by) {
      event.preventDefault();
      edit.step(node.key, by);
    } else if (event.key === 'Delete') {
      event.preventDefault();
      edit.remove(node.key);
    }
  };
  return (
    <>
      <div
        className={`pc-node pc-node-${node.type}`}
        data-selected={board.selected === node.key || undefined}
        data-moving={board.moving === node.key || undefined}
        data-mark={mark?.tone}
        {...(edit
          ? {
              draggable: true,
              onDragStart: (event: DragEvent) => {
                event.dataTransfer.effectAllowed = 'move';
                event.dataTransfer.setData('text/plain', node.key);
                setTimeout(() => board.setMoving(node.key), GRAB);
              },
              onDragEnd: () => setTimeout(() => board.setMoving(undefined), GRAB),
            }
          : {})}
      >
        {edit ? (
          <button
            type="button"
            className="pc-body"
            id={`pc-${node.key}`}
            onClick={() => edit.open(node.key)}
            onKeyDown={keys}
          >
            {body}
          </button>
        ) : (
          <div className="pc-body">{body}</div>
        )}
        {edit && (
          <MenuButton
            className="pc-more"
            align="end"
            label={text([`「${node.name}」的操作`, `Actions of “${node.name}”`])}
            entries={entriesOf(board, node, edit, text)}
          >
            <Icon name="more" />
          </MenuButton>
        )}
      </div>
      {isBranching(node) && <Branches board={board} node={node} />}
    </>
  );
}

function entriesOf(
  board: Board,
  node: ProcessNode,
  edit: CanvasEdit,
  text: (label: Label) => string,
): MenuEntry[] {
  const place = findLine(board.nodes, node.key);
  return [
    { key: 'edit', label: text(['设置', 'Set up']), run: () => edit.open(node.key) },
    { key: 'copy', label: text(['复制', 'Copy']), run: () => edit.copy(node.key) },
    { key: 'move', label: text(['移动到…', 'Move to…']), run: () => board.setMoving(node.key) },
    {
      key: 'up',
      label: text(['上移（Alt+↑）', 'Up (Alt+↑)']),
      disabled: place.index === 0,
      run: () => edit.step(node.key, -1),
    },
    {
      key: 'down',
      label: text(['下移（Alt+↓）', 'Down (Alt+↓)']),
      disabled: place.index === place.length - 1,
      run: () => edit.step(node.key, 1),
    },
    ...(isBranching(node)
      ? [{ key: 'branch', label: text(['添加分支', 'Add a branch']), run: () => edit.addBranch(node.key) }]
      : []),
    'line',
    {
      key: 'remove',
      label: text(['删除（Delete）', 'Delete']),
      danger: true,
      run: () => edit.remove(node.key),
    },
  ];
}

function findLine(nodes: readonly ProcessNode[], key: string): { index: number; length: number } {
  const walk = (list: readonly ProcessNode[]): { index: number; length: number } | undefined => {
    const index = list.findIndex((one) => one.key === key);
    if (index >= 0) return { index, length: list.length };
    for (const one of list)
      if (isBranching(one))
        for (const branch of one.branches) {
          const found = walk(lineOf(nodes, branch.key));
          if (found) return found;
        }
    return undefined;
  };
  return walk(nodes) ?? { index: 0, length: 1 };
}

function Branches({ board, node }: { readonly board: Board; readonly node: BranchNode }) {
  const text = useText();
  const { edit, names, fields } = board;
  return (
    <div
      className="pc-branches"
      role="group"
      aria-label={text([`「${node.name}」的分支`, `Branches of “${node.name}”`])}
    >
      {node.branches.map((branch, index) => {
        const mark = board.marks?.get(branch.key);
        const body = (
          <>
            <strong>{branch.name || text(['未命名', 'Without a name'])}</strong>
            <span className="pc-about">{text(branchText(branch, names, fields))}</span>
            {mark && <span className={`pc-mark pc-mark-${mark.tone}`}>{mark.text}</span>}
          </>
        );
        const next = node.branches[index + 1];
        return (
          <div key={branch.key} className="pc-branch" data-mark={mark?.tone}>
            <div className="pc-branch-head">
              {edit ? (
                <button
                  type="button"
                  className="pc-body"
                  onClick={() => edit.openBranch(node.key, branch.key)}
                >
                  {body}
                </button>
              ) : (
                <div className="pc-body">{body}</div>
              )}
              {edit && (
                <MenuButton
                  className="pc-more"
                  align="end"
                  label={text([`分支「${branch.name}」的操作`, `Actions of branch “${branch.name}”`])}
                  entries={[
                    {
                      key: 'edit',
                      label: text(['设置条件', 'Set the condition']),
                      run: () => edit.openBranch(node.key, branch.key),
                    },
                    {
                      key: 'left',
                      label: text(['前移', 'Earlier']),
                      disabled: index === 0 || branch.otherwise === true,
                      run: () => edit.stepBranch(node.key, branch.key, -1),
                    },
                    {
                      key: 'right',
                      label: text(['后移', 'Later']),
                      disabled: !next || next.otherwise === true || branch.otherwise === true,
                      run: () => edit.stepBranch(node.key, branch.key, 1),
                    },
                    'line',
                    {
                      key: 'remove',
                      label: text(['删除分支', 'Delete the branch']),
                      danger: true,
                      disabled: node.branches.length <= 2 || branch.otherwise === true,
                      run: () => edit.removeBranch(node.key, branch.key),
                    },
                  ]}
                >
                  <Icon name="more" />
                </MenuButton>
              )}
            </div>
            <Line board={board} nodes={branch.nodes} line={branch.key} />
          </div>
        );
      })}
    </div>
  );
}

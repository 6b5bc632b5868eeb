import { parseExpressionAt, type Expression, type Node } from 'acorn';
import type { Label } from '../../kernel/contract/label.ts';
import { divideHalfEven } from './exact.rules.ts';

/** What a custom formula may name. Source: group 06, Rules of charging 3. */
export const VARIABLES = [
  'builtArea',
  'innerArea',
  'price',
  'extra',
  'usage',
  'lastReading',
  'thisReading',
  'multiplier',
  'months',
  'days',
  'daysInPeriod',
  'floor',
  'residents',
  'rent',
] as const;
export type Variable = (typeof VARIABLES)[number];

/** Values of the variables in millionths. */
export type Values = Readonly<Partial<Record<Variable, bigint>>>;

/** One, in millionths: a formula is evaluated with six exact decimals. */
export const ONE = 1_000_000n;
export const MOST_CHARACTERS = 200;
const MOST_DEPTH = 20;

/** Why a formula is refused, and where: `at` counts its characters from 0. */
export class FormulaProblem extends Error {
  readonly at: number;
  readonly label: Label;
  constructor(at: number, label: Label) {
    super(label[1]);
    this.at = at;
    this.label = [`第 ${at + 1} 个字符：${label[0]}`, `Character ${at + 1}: ${label[1]}`];
  }
}

type Work = (args: readonly (() => bigint)[]) => bigint;
const whole = (value: bigint, up: boolean): bigint => {
  const rest = ((value % ONE) + ONE) % ONE;
  return value - rest + (up && rest > 0n ? ONE : 0n);
};
/** Functions with how many arguments they take. */
const FUNCTIONS: Readonly<
  Record<string, { readonly least: number; readonly most: number; readonly work: Work }>
> = {
  min: { least: 1, most: 10, work: (args) => args.map((one) => one()).reduce((a, b) => (a < b ? a : b)) },
  max: { least: 1, most: 10, work: (args) => args.map((one) => one()).reduce((a, b) => (a > b ? a : b)) },
  round: {
    least: 1,
    most: 2,
    work: ([value, digits]) => {
      const places = digits ? digits() / ONE : 0n;
      const step = 10n ** (6n - (places < 0n ? 0n : places > 6n ? 6n : places));
      return divideHalfEven(value!(), step) * step;
    },
  },
  floor: { least: 1, most: 1, work: ([value]) => whole(value!(), false) },
  ceil: { least: 1, most: 1, work: ([value]) => whole(value!(), true) },
  if: { least: 3, most: 3, work: ([test, yes, no]) => (test!() !== 0n ? yes!() : no!()) },
};

const COMPARE: Readonly<Record<string, (a: bigint, b: bigint) => boolean>> = {
  '<': (a, b) => a < b,
  '<=': (a, b) => a <= b,
  '>': (a, b) => a > b,
  '>=': (a, b) => a >= b,
  '==': (a, b) => a === b,
  '!=': (a, b) => a !== b,
};

/** A formula that was read: evaluates to millionths. Throws {@link FormulaProblem} for a division by zero. */
export type Formula = (values: Values) => bigint;

/**
 * Reads a custom formula: numbers, + − * / ( ), comparisons, min max round ceil floor if and the variables, nothing else. It is
 * parsed by acorn and walked here, never run as code. Throws {@link FormulaProblem} with the position of what is not allowed.
 */
export function readFormula(text: string): Formula {
  if (text.trim() === '') throw new FormulaProblem(0, ['公式为空', 'the formula is empty']);
  if (text.length > MOST_CHARACTERS)
    throw new FormulaProblem(MOST_CHARACTERS, ['公式最多200个字符', 'a formula has at most 200 characters']);
  let tree: Expression;
  // `if` is a word of the language the parser knows; of the same length, positions stay those of the text.
  const readable = text.replace(/\bif\b(?=\s*\()/g, 'iF');
  try {
    tree = parseExpressionAt(readable, 0, { ecmaVersion: 2020 });
  } catch (error) {
    const at = (error as { pos?: number }).pos ?? 0;
    throw new FormulaProblem(Math.min(at, text.length), ['无法识别', 'this cannot be read']);
  }
  const rest = readable.slice(tree.end).search(/[^\s)]/);
  const behind = readable.slice(tree.end).search(/\S/);
  // The parser leaves a closing bracket of the outermost expression outside of it.
  if (behind >= 0 && !(rest < 0 && closes(readable, tree)))
    throw new FormulaProblem(tree.end + behind, ['多余的内容', 'there is something more behind the formula']);
  return compile(tree, text, 1);
}

function closes(text: string, tree: Node): boolean {
  const open = text.slice(0, tree.start).replace(/\s/g, '');
  const shut = text.slice(tree.end).replace(/\s/g, '');
  return open === '('.repeat(shut.length);
}

function compile(node: Expression, text: string, depth: number): Formula {
  if (depth > MOST_DEPTH) throw new FormulaProblem(node.start, ['嵌套过深', 'it is nested too deeply']);
  switch (node.type) {
    case 'Literal':
      return literal(node.raw ?? '', node.start);
    case 'Identifier':
      return variable(node.name, node.start);
    case 'UnaryExpression': {
      if (node.operator !== '-' && node.operator !== '+') break;
      const value = compile(node.argument, text, depth + 1);
      return node.operator === '-' ? (values) => -value(values) : value;
    }
    case 'BinaryExpression': {
      if (node.left.type === 'PrivateIdentifier') break;
      const left = compile(node.left, text, depth + 1);
      const right = compile(node.right, text, depth + 1);
      return binary(node.operator, left, right, node.right.start) ?? refuse(node);
    }
    case 'CallExpression': {
      if (node.callee.type !== 'Identifier' || node.optional) break;
      const name = node.callee.name === 'iF' ? 'if' : node.callee.name;
      const known = Object.hasOwn(FUNCTIONS, name) ? FUNCTIONS[name]! : undefined;
      if (!known)
        throw new FormulaProblem(node.callee.start, [`没有函数 ${name}`, `there is no function ${name}`]);
      if (node.arguments.length < known.least || node.arguments.length > known.most)
        throw new FormulaProblem(node.start, [
          `${name} 的参数个数不对`,
          `${name} takes another number of values`,
        ]);
      const args = node.arguments.map((one) =>
        one.type === 'SpreadElement' ? refuse(one) : compile(one, text, depth + 1),
      );
      return (values) => known.work(args.map((one) => () => one(values)));
    }
  }
  return refuse(node);
}

function literal(raw: string, at: number): Formula {
  const match = /^(\d{1,12})(?:\.(\d{1,6}))?$/.exec(raw);
  if (!match)
    throw new FormulaProblem(at, [
      '数字最多12位整数、6位小数',
      'a number has at most 12 digits and 6 decimals',
    ]);
  const value = BigInt(match[1]!) * ONE + BigInt((match[2] ?? '').padEnd(6, '0'));
  return () => value;
}

function variable(name: string, at: number): Formula {
  if (!(VARIABLES as readonly string[]).includes(name))
    throw new FormulaProblem(at, [`没有变量 ${name}`, `there is no variable ${name}`]);
  return (values) => values[name as Variable] ?? 0n;
}

function binary(operator: string, left: Formula, right: Formula, at: number): Formula | undefined {
  if (Object.hasOwn(COMPARE, operator)) {
    const holds = COMPARE[operator]!;
    return (values) => (holds(left(values), right(values)) ? ONE : 0n);
  }
  switch (operator) {
    case '+':
      return (values) => left(values) + right(values);
    case '-':
      return (values) => left(values) - right(values);
    case '*':
      return (values) => divideHalfEven(left(values) * right(values), ONE);
    case '/':
      return (values) => {
        const by = right(values);
        if (by === 0n) throw new FormulaProblem(at, ['除数为零', 'a division by zero']);
        const over = left(values) * ONE;
        return by < 0n ? divideHalfEven(-over, -by) : divideHalfEven(over, by);
      };
  }
  return undefined;
}

function refuse(node: Node): never {
  throw new FormulaProblem(node.start, ['公式中不允许这样写', 'this is not allowed in a formula']);
}

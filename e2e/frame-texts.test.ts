import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

/*
 * Journeys run in one language. What they read there stands beside its translation in the product; this is proven without a
 * browser: every pair of texts a journey names is a pair of the product, or is no text of the product at all.
 */

/** What journeys type, or choose an account by: no texts of the product. */
const OWN = new Set([
  '第500个菜单',
  '很长的名字',
  '给商户看',
  '先联系买家',
  '周五送货',
  '203.0.113.41',
  'en',
  'zh-CN',
  'English',
]);
/** Put together from several texts, or in English by number: read in both languages by `npm test -- --all`. */
const JOINED = new Set([
  '共${total}条',
  '视图中有 1 列不可见，已略过',
  '（新地址）',
  '已导入 1 条',
  '排队中|导出中',
  '首页 - 社区零售系统',
  '修改: 手机',
]);
const ACCOUNT = /^[a-z]+\d( [a-z]+\d)*$|^admin /;

const root = path.join(import.meta.dirname, '..');
const LITERAL = /'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`/g;

/** Literals that stand beside each other with a comma between. */
function pairsOf(source: string): [string, string][] {
  const found: [string, string][] = [];
  let before: { text: string; end: number } | undefined;
  for (const match of source.matchAll(LITERAL)) {
    const text = match[1] ?? match[2] ?? match[3]!;
    if (before && /^\s*,\s*(en:\s*)?$/.test(source.slice(before.end, match.index)))
      found.push([before.text, text]);
    before = { text, end: match.index + match[0].length };
  }
  return found;
}

const filesOf = (folder: string, pattern: RegExp) =>
  fs
    .readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => pattern.test(name))
    .map((name) => fs.readFileSync(path.join(root, folder, name), 'utf8'));

/** Values that stand in texts: `{n}` of the product, numbers, names and `${…}` of a journey. */
const asPattern = (text: string) =>
  new RegExp(
    text
      .toLowerCase()
      .split(/\{\w+\}|\$\{[^}]*\}/)
      .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
      .join('[^]*'),
  );

test('what a journey reads in one language the product says in the other too', () => {
  const product = [
    ...filesOf('src', /(?<!\.test)\.tsx?$/),
    ...filesOf('database/seeds', /\.csv$/).map(quoted),
  ]
    .flatMap(pairsOf)
    .filter(([zh, en]) => /[\u4e00-\u9fff]/.test(zh) && /[A-Za-z]/.test(en))
    .map(([zh, en]) => ({ zh: zh.toLowerCase(), en: en.toLowerCase() }));
  const withValues = product
    .filter(({ zh }) => /\{\w+\}/.test(zh))
    .map((pair) => ({ zh: asPattern(pair.zh), en: asPattern(pair.en) }));
  const said = filesOf('e2e', /\.ts$/).flatMap((source) =>
    [...source.matchAll(/\bsay\(\s*language,/g)].flatMap((match) =>
      pairsOf(source.slice(match.index, match.index + 400)).slice(0, 1),
    ),
  );
  const missing = said.filter(([zh, en]) => {
    if (OWN.has(zh) || JOINED.has(zh) || ACCOUNT.test(zh)) return false;
    const [first, second] = [zh.toLowerCase(), en.toLowerCase()];
    return !(
      product.some((pair) => pair.zh.includes(first) && pair.en.includes(second)) ||
      withValues.some((pair) => pair.zh.test(first) && pair.en.test(second))
    );
  });
  expect(missing).toEqual([]);
  expect(said.length).toBeGreaterThan(150);
});

/** Lines of a table of seeds as literals. */
function quoted(csv: string): string {
  return csv
    .split('\n')
    .map((line) =>
      line
        .split(',')
        .map((cell) => JSON.stringify(cell.replaceAll('"', '')))
        .join(','),
    )
    .join('\n');
}

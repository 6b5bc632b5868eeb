import fs from 'node:fs';
import path from 'node:path';
import { format } from 'prettier';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestProduct, type TestProduct } from '../../../testing/test-product.ts';

const folder = path.join(import.meta.dirname, '..', '..', '..', '..', 'deploy', 'monitoring');
let product: TestProduct;
let exposed: string;
beforeAll(async () => {
  product = await startTestProduct({ demo: false });
  await product.app.inject('/livez');
  exposed = (await product.app.inject('/metrics')).body;
});
afterAll(() => product?.close());

/** Every name of an expression that is measured must be one `/metrics` shows. */
function checkNames(expression: string): void {
  const names = expression.match(/\b(?:http|nodejs|process)_[a-z0-9_]+/g) ?? [];
  expect(names.length + Number(expression.startsWith('up{'))).toBeGreaterThan(0);
  for (const name of names) expect([name, exposed.includes(name)]).toEqual([name, true]);
  for (const [open, close] of ['()', '{}', '[]'] as const)
    expect(expression.split(open!).length).toBe(expression.split(close!).length);
}

test('the alert rules for an outside Prometheus parse, and read what /metrics shows', async () => {
  const text = fs.readFileSync(path.join(folder, 'prometheus-alerts.yml'), 'utf8');
  // The parser throws on what is no YAML; keys that stand twice among them.
  await format(text, { parser: 'yaml' });
  const rules = text.split(/^ {6}- alert: /m).slice(1);
  expect(rules.map((rule) => rule.split('\n')[0])).toEqual([
    'InstanceDown',
    'ErrorRateHigh',
    'SlowAnswers',
    'LoopLag',
    'CpuHigh',
  ]);
  for (const rule of rules) {
    expect(rule).toMatch(/^ {8}for: \d+[smh]$/m);
    expect(rule).toMatch(/^ {10}severity: (critical|warning|info)$/m);
    const [, expression] = /^ {8}expr: (?:>-\n)?([\s\S]*?)\n {8}for:/m.exec(rule)!;
    checkNames(expression!.trim());
  }
});

test('the dashboard for an outside Grafana is whole: panels with places, and targets that read what /metrics shows', () => {
  const board = JSON.parse(fs.readFileSync(path.join(folder, 'grafana-dashboard.json'), 'utf8')) as {
    panels: { id: number; title: string; gridPos: { w: number; x: number }; targets: { expr: string }[] }[];
  };
  expect(new Set(board.panels.map((panel) => panel.id)).size).toBe(board.panels.length);
  for (const panel of board.panels) {
    expect(panel.gridPos.x + panel.gridPos.w).toBeLessThanOrEqual(24);
    for (const target of panel.targets) checkNames(target.expr);
  }
});

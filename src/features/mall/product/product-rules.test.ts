import fc from 'fast-check';
import { changedPrice, newPriceProblem, priceChangeProblem } from './bulk-price.rules.ts';
import { describe, expect, test } from 'vitest';
import {
  differencesOf,
  percentText,
  proposalOf,
  withProposal,
  type ReviewedContent,
  type SpecContent,
} from './proposal.rules.ts';
import { sanitizeRichText } from '../../../kernel/contract/rich-text.rules.ts';
import {
  arrangeSpecs,
  combinationsOf,
  dimensionsOf,
  newSpec,
  readSpecs,
  renameValue,
  specProblemText,
} from './spec.rules.ts';

describe('spec matrix', () => {
  const good = {
    name: 'L',
    price: '1.00',
    marketPrice: null,
    stock: 1,
    stockAlert: 10,
    unit: '件',
    weightG: 0,
    barcode: null,
  };

  test("dimensions and combinations are each other's inverse", () => {
    const names = combinationsOf([
      ['红', '蓝'],
      ['L', 'M', 'S'],
    ]);
    expect(names).toEqual(['红 / L', '红 / M', '红 / S', '蓝 / L', '蓝 / M', '蓝 / S']);
    expect(dimensionsOf(names)).toEqual([
      ['红', '蓝'],
      ['L', 'M', 'S'],
    ]);
    expect(dimensionsOf(['500ml/瓶', '1L/瓶'])).toEqual([['500ml/瓶', '1L/瓶']]);
    expect(dimensionsOf(['红 / L', '单件'])).toEqual([['红 / L', '单件']]);
  });

  test('a new dimension keeps the specs, a removed one takes the first of them back', () => {
    const old = [
      { ...newSpec('L'), id: '1' },
      { ...newSpec('M'), id: '2' },
    ];
    const wider = arrangeSpecs(old, [
      ['L', 'M'],
      ['红', '蓝'],
    ]);
    expect(wider.map((spec) => [spec.name, spec.id])).toEqual([
      ['L / 红', '1'],
      ['L / 蓝', undefined],
      ['M / 红', '2'],
      ['M / 蓝', undefined],
    ]);
    expect(arrangeSpecs(wider, [['L', 'M']]).map((spec) => [spec.name, spec.id])).toEqual([
      ['L', '1'],
      ['M', '2'],
    ]);
    expect(renameValue(wider, 1, '红', '赤')[0]!.name).toBe('L / 赤');
  });

  test('limits: 3 dimensions, 10 values, 100 specs, every cell', () => {
    const text = (value: unknown) => specProblemText(readSpecs(value).problems)?.[0];
    expect(text([good])).toBeUndefined();
    expect(text([])).toBe('请至少添加一个规格');
    expect(text('x')).toBe('请至少添加一个规格');
    expect(text([good, good])).toBe('规格重复');
    expect(text([{ ...good, name: 'a / b / c / d' }])).toBe('最多3个规格项');
    expect(text(Array.from({ length: 11 }, (_, n) => ({ ...good, name: `v${n}` })))).toBe(
      '每个规格项最多10个值',
    );
    for (const [name, value, message] of [
      ['price', '0', '价格应为'],
      ['price', '1000000.00', '价格应为'],
      ['price', 1, '价格应为'],
      ['price', '1.005', '价格应为'],
      ['marketPrice', '0.99', '市场价'],
      ['stock', 1_000_000, '库存应为'],
      ['stock', 1.5, '库存应为'],
      ['stock', null, '库存应为'],
      ['unit', '', '单位'],
      ['barcode', '6 9', '条码'],
      ['name', 'a /  / b', '规格名称'],
      ['weightG', -1, '重量'],
      ['stockAlert', -1, '预警'],
      ['id', 'x', '规格不正确'],
      ['more', 1, '不接受'],
    ] as const)
      expect(text([{ ...good, [name]: value }]), name).toContain(message);
    expect(text([{ ...good, id: '7' }])).toContain('调整库存');
    expect(text([{ ...good, id: '7', stock: undefined }])).toBeUndefined();
  });
});

describe('proposals', () => {
  const spec = (id: number | null, name: string, price: number): SpecContent => ({
    id,
    name,
    price,
    marketPrice: null,
    stock: id === null ? 3 : null,
    stockAlert: 10,
    unit: '件',
    weightG: 0,
    barcode: null,
    imageId: null,
  });
  const live: ReviewedContent = {
    name: '米',
    summary: '',
    images: ['a'],
    featured: [],
    detailHtml: '<p>x</p>',
    labels: [],
    afterSaleText: '',
    classIds: [2, 1],
    projectIds: [1, 2],
    specs: [spec(1, 'S', 1990), spec(2, 'L', 3000)],
  };

  test('nothing changed is no proposal; applying one gives what was wanted', () => {
    expect(proposalOf(live, { ...live, classIds: [1, 2], projectIds: [2] })).toBeUndefined();
    const arbitrary = fc.record({
      name: fc.constantFrom('米', '面'),
      labels: fc.constantFrom<readonly string[]>([], ['新']),
      classIds: fc.constantFrom([1, 2], [3]),
      projectIds: fc.constantFrom([1, 2], [1, 2, 3]),
      first: fc.integer({ min: 1, max: 5000 }),
      second: fc.boolean(),
      third: fc.boolean(),
    });
    fc.assert(
      fc.property(arbitrary, ({ first, second, third, ...more }) => {
        const wanted: ReviewedContent = {
          ...live,
          ...more,
          specs: [
            spec(1, 'S', first),
            ...(second ? [spec(2, 'L', 3000)] : []),
            ...(third ? [spec(null, 'XL', 4000)] : []),
          ],
        };
        const next = withProposal(live, proposalOf(live, wanted));
        expect({ ...next, classIds: [...next.classIds].sort() }).toEqual({
          ...wanted,
          classIds: [...wanted.classIds].sort(),
        });
      }),
    );
  });

  test('difference lines and percent', () => {
    const proposal = proposalOf(live, {
      ...live,
      specs: [spec(1, 'S', 2990), spec(null, 'XL', 4000)],
      classIds: [3],
    })!;
    expect(
      differencesOf(live, proposal, {
        classes: new Map([
          [1, '一'],
          [2, '二'],
          [3, '三'],
        ]),
        projects: new Map(),
      }),
    ).toEqual([
      { field: 'classes', before: ['二', '一'], after: ['三'] },
      { field: 'price', spec: 'S', before: '19.90', after: '29.90', percent: '+50.25' },
      { field: 'specAdded', spec: 'XL', before: null, after: '40.00' },
      { field: 'specRemoved', spec: 'L', before: '30.00', after: null },
    ]);
    expect([percentText(100, 95), percentText(3, 1), percentText(10_000, 10_001)]).toEqual([
      '-5.00',
      '-66.67',
      '+0.01',
    ]);
  });
});

describe('formatted text', () => {
  test('keeps harmless tags, drops the rest', () => {
    expect(sanitizeRichText('<h3>好</h3><p>a &amp; b &lt; c</p><img src="/api/file/1" alt="x">')).toBe(
      '<h3>好</h3><p>a &amp; b &lt; c</p><img src="/api/file/1" alt="x">',
    );
    expect(sanitizeRichText('<a href="https://x.cn">x</a>')).toBe(
      '<a href="https://x.cn" rel="noopener noreferrer">x</a>',
    );
    expect(sanitizeRichText('<ul><li>a<li>b</ul>c</p>')).toBe('<ul><li>a<li>b</li></li></ul>c');
  });

  test('attacks come out without script, handler or foreign address', () => {
    for (const attack of [
      '<script>alert(1)</script>',
      '<SCRIPT SRC=//x></SCRIPT>',
      '<img src=x onerror=alert(1)>',
      '<img src="javascript:alert(1)">',
      '<svg onload=alert(1)>',
      '<a href="java&#115;cript:alert(1)">x</a>',
      '<a href="java\tscript:alert(1)">x</a>',
      '<a href="&#x6A;avascript&colon;alert(1)">x</a>',
      '<iframe srcdoc="<script>1</script>">',
      '<p style="background:url(javascript:1)" onclick="x">a</p>',
      '<<script>script>alert(1)</script>',
      '<img """><script>alert(1)</script>">',
      '<a href="//evil.cn">x</a>',
      '<math><mtext></p><img src onerror=alert(1)></math>',
      '<noscript><p title="</noscript><img src=x onerror=alert(1)>">',
      '<!--><img src=x onerror=alert(1)>-->',
      '<img src="https://x" alt="a&quot; onerror=alert(1)">',
      '<x-y onclick=1>',
      '<p/onclick=alert(1)>x',
      '<scr<script>ipt>alert(1)</script>',
      '<style>*{}</style>',
      '<form action=x><input autofocus onfocus=alert(1)>',
    ]) {
      const clean = sanitizeRichText(attack);
      const tags = [...clean.matchAll(/<[^>]*>/g)].map((match) => match[0].replace(/"[^"]*"/g, '""'));
      for (const tag of tags)
        expect(tag, `${attack} → ${clean}`).not.toMatch(/script|on\w+=|style|svg|iframe|form|input|math/i);
      expect(clean).not.toMatch(/(href|src)="\s*(javascript|data|\/\/)/i);
    }
  });

  test('is stable and fast on hostile input', () => {
    fc.assert(
      fc.property(
        fc.string({
          unit: fc.constantFrom('<', '>', 'a', ' ', '"', "'", '/', '=', '&', '!--', 'p', 'script', '</'),
          maxLength: 60,
        }),
        (text) => {
          const once = sanitizeRichText(text);
          expect(sanitizeRichText(once)).toBe(once);
        },
      ),
    );
    const started = Date.now();
    for (const hostile of [
      '<a '.repeat(7000),
      '<a "'.repeat(5000),
      `<a${' '.repeat(19_000)}`,
      '<p>'.repeat(6600),
      '<!--'.repeat(5000),
    ])
      sanitizeRichText(hostile);
    expect(Date.now() - started).toBeLessThan(2000);
  });
});

describe('bulk prices', () => {
  test('percent rounds half a fen up, amounts add; nothing leaves the limits', () => {
    expect([1990, 3990, 1].map((price) => changedPrice(price, 'percent', 1_000))).toEqual([2189, 4389, 1]);
    expect([1990, 3333, 5].map((price) => changedPrice(price, 'percent', -1_050))).toEqual([1781, 2983, 4]);
    expect(changedPrice(1990, 'percent', 250)).toBe(2040);
    expect(changedPrice(1990, 'amount', -500)).toBe(1490);
    expect(changedPrice(99_999_999, 'percent', 100_000)).toBe(1_099_999_989);
    expect(priceChangeProblem('percent', 0)).toBeDefined();
    expect(priceChangeProblem('percent', -10_000)).toBeDefined();
    expect(priceChangeProblem('percent', 100_001)).toBeDefined();
    expect(priceChangeProblem('amount', -10_000)).toBeUndefined();
    const problem = (price: number, marketPrice: number | null = null) =>
      newPriceProblem({ name: 'S', price, marketPrice })?.[0];
    expect(problem(0)).toContain('0.01');
    expect(problem(100_000_000)).toContain('999,999.99');
    expect(problem(2_000, 1_999)).toContain('市场价');
    expect(problem(2_000, 2_000)).toBeUndefined();
  });
});

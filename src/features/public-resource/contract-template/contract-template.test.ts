import { afterAll, beforeAll, expect, test } from 'vitest';
import { elementCode, elementsOf } from '../../../kernel/contract/resource.ts';
import { run, runOne } from '../../../kernel/server/database.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { registration as merchants } from '../../service-resources/merchant-list/merchant-list.server.ts';
import { registration as places } from '../../base-data/places/places.server.ts';
import { registration as people } from '../../admin-sys/staff/staff.server.ts';
import { callerOf, openMall, type Mall } from '../../mall/product/mall-fixture.ts';
import { LEDGER } from '../contract/contract.contract.ts';
import { registration as contracts } from '../contract/contract.server.ts';
import { contractTemplate } from './contract-template.contract.ts';
import { filledTemplate, unknownFields } from './contract-template.rules.ts';
import { registration as templates } from './contract-template.server.ts';

const ROOT = '/jinmao/web/contractTemplate';
let mall: Mall;
let keeper: Caller;
let kind: number;
const db = () => mall.platform.database.db;

beforeAll(async () => {
  mall = await openMall([contracts, templates, merchants, places, people]);
  const tenantId = (await runOne<{ id: number }>(db(), 'SELECT id FROM tenant WHERE kind = 3 LIMIT 1'))!.id;
  keeper = callerOf(
    { staffId: await mall.staff('keeper', tenantId), tenantId, tenantKind: 3 },
    [LEDGER],
    Object.keys(elementsOf(contractTemplate)).map((element) => elementCode(contractTemplate, element)),
  );
  kind = (await runOne<{ id: number }>(
    db(),
    `SELECT v.id FROM biz_dict v JOIN biz_dict r ON r.id = v.root_id WHERE r.code = 'contract_kind' AND v.parent_id IS NOT NULL ORDER BY v.id LIMIT 1`,
  ))!.id;
});
afterAll(() => mall.close());

test('a kind has one text, whose fields are those of contracts; the platform keeps it', async () => {
  const add = (body: string, who = keeper) => mall.call(who, 'POST', ROOT, { kind: String(kind), body });
  const wrong = await add('<p>{code} {wrong}</p>');
  expect([wrong.http, wrong.data.fields]).toEqual([422, { body: '合同没有字段 {wrong}' }]);
  const company = await add('<p>{code}</p>', { ...keeper, tenantKind: 1 });
  expect([company.http, company.message]).toEqual([409, '打印模板由平台维护']);
  const answers = await Promise.all([add('<p>{code}</p>'), add('<p>{name}</p>')]);
  expect(answers.map((answer) => answer.http).sort((a, b) => a - b)).toEqual([200, 409]);
  expect(answers.find((answer) => answer.http === 409)!.message).toBe('该类型已有打印模板');
});

test('a contract is printed with the text of its kind, its own values in the place of the fields, never as markup', async () => {
  await run(db(), 'DELETE FROM contract_template');
  const id = (await runOne<{ id: number }>(
    db(),
    `INSERT INTO contract (code, name, kind_id, project_id, party_a_id, party_name, owner_id, starts_on, ends_on, amount, state)
     SELECT 'CT-PRINT', '印刷合同', $1, p.id, p.unit_id, '<b>乙方</b>', $2, '2026-01-01', '2026-12-31', 0, 'draft' FROM project p WHERE p.id = $3 RETURNING id`,
    [kind, keeper.staffId, mall.ids.north],
  ))!.id;
  const shown = async () => (await mall.call(keeper, 'GET', `/jinmao/web/contract/${id}`)).data.template;
  expect(await shown()).toBeNull();
  await mall.call(keeper, 'POST', ROOT, {
    kind: String(kind),
    body: '<p>{code} {partyB} {startsOn} {contact}</p>',
  });
  expect(await shown()).toBe('<p>CT-PRINT &lt;b&gt;乙方&lt;/b&gt; 2026-01-01 —</p>');
});

test('names in braces that are no fields are found, and left alone', () => {
  expect(unknownFields('<p>{code}{a}{a}{b c}</p>')).toEqual(['a']);
  const values = Object.fromEntries(
    [
      'code',
      'name',
      'kind',
      'project',
      'partyA',
      'partyB',
      'licenceNo',
      'contact',
      'contactPhone',
      'startsOn',
      'endsOn',
      'positions',
      'amount',
      'deposit',
    ].map((name) => [name, name]),
  ) as Parameters<typeof filledTemplate>[1];
  expect(filledTemplate('{code}-{a}-{amount}', values)).toBe('code-{a}-amount');
});

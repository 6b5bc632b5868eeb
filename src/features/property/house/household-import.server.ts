import type { Label } from '../../../kernel/contract/label.ts';
import { run, type Executor } from '../../../kernel/server/database.ts';
import type { BoundResource } from '../../../kernel/server/resource/bind.ts';
import {
  importFacts,
  type ImportCall,
  type ImportProblem,
  type ImportRow,
  type ImportTarget,
} from '../../../kernel/server/tables/import-target.ts';
import { IDENTITIES } from '../../../domain/residents/registration.rules.ts';
import { HOUSE_COLUMN, namedHouses } from '../../../domain/residents/named-houses.server.ts';
import { HOUSE_MENU } from './house-parts.contract.ts';

interface Draft {
  readonly row: ImportRow;
  readonly house: number;
  readonly identity: keyof typeof IDENTITIES;
}

/** People of houses as a table; whoever is named stands as bound, the list is the owners' word. */
export function householdImport(bound: () => BoundResource): ImportTarget {
  return {
    source: 'household',
    menu: HOUSE_MENU,
    element: 'btn_import',
    title: ['住户', 'Households'],
    maxRows: 10_000,
    columns: [
      HOUSE_COLUMN,
      { name: 'name', title: ['姓名', 'Name'], required: true, max: 20, example: '张三' },
      { name: 'phone', title: ['手机', 'Phone'], required: true, max: 11, example: '13800000000' },
      { name: 'idNo', title: ['证件号', 'ID number'], max: 18 },
      {
        name: 'identity',
        title: ['身份', 'Identity'],
        required: true,
        max: 10,
        example: '业主',
        note: ['业主 / 家属 / 租客', 'Owner / Family / Tenant'],
      },
    ],
    check: async (call, rows) => (await read(call.platform.database.db, call, rows)).problems,
    commit: async (tx, call, rows) => {
      const { drafts } = await read(tx, call, rows);
      const context = { ...call, facts: importFacts(call) };
      for (const { row, house, identity } of drafts)
        await bound().actIn(tx, context, 'create', undefined, {
          house: String(house),
          name: row.values.name!,
          phone: row.values.phone!,
          ...(row.values.idNo ? { idNo: row.values.idNo } : {}),
          identity,
          consent: true,
        });
      call.platform.changed('household');
      return drafts.length;
    },
  };
}

async function read(db: Executor, call: ImportCall, rows: readonly ImportRow[]) {
  const problems: ImportProblem[] = [];
  const houseOf = await namedHouses(
    db,
    call.caller,
    rows.map((row) => row.values.house!),
  );
  const first = new Map<string, number>();
  const drafts: Draft[] = [];
  for (const row of rows) {
    const before = problems.length;
    const { values } = row;
    const bad = (column: string, zh: string, en: string) =>
      problems.push({ row: row.number, column, message: [zh, en] as Label });
    const { house, message } = houseOf(values.house!);
    if (message) bad('house', ...message);
    if (values.name!.length < 2) bad('name', '请输入 2–20 个字', '2 to 20 characters');
    if (!/^1\d{10}$/.test(values.phone!))
      bad('phone', '请输入11位手机号', 'Please enter a mobile number of 11 digits');
    if (values.idNo && !/^\d{17}[0-9Xx]$/.test(values.idNo))
      bad('idNo', '请输入18位身份证号', 'Please enter an ID number of 18 characters');
    const identity = Object.entries(IDENTITIES).find(
      ([word, { label }]) =>
        word === values.identity ||
        label[0] === values.identity ||
        label[1].toLowerCase() === values.identity!.toLowerCase(),
    )?.[0] as keyof typeof IDENTITIES | undefined;
    if (!identity) bad('identity', '请填写 业主、家属 或 租客', 'Write owner, family or tenant');
    const same = `${house ?? values.house} ${values.phone}`;
    if (first.has(same)) bad('phone', `与第${first.get(same)}行重复`, `Same as row ${first.get(same)}`);
    else first.set(same, row.number);
    if (problems.length === before) drafts.push({ row, house: house!, identity: identity! });
  }
  const known = await run<{ phone: string; name: string; house_id: number | null }>(
    db,
    `SELECT m.phone, m.name, x.house_id FROM member m LEFT JOIN household x ON x.member_id = m.id AND x.status IN ('normal', 'reviewing') AND x.house_id = ANY($2::bigint[])
      WHERE m.phone = ANY($1::text[])`,
    [drafts.map((one) => one.row.values.phone), drafts.map((one) => one.house)],
  );
  const names = new Map(known.map((one) => [one.phone, one.name]));
  const inHouse = new Set(known.map((one) => `${one.house_id} ${one.phone}`));
  const inFile = new Map<string, string>();
  const good = drafts.filter(({ row, house }) => {
    const { phone, name } = row.values as { phone: string; name: string };
    const bad = (column: string, message: Label) => {
      problems.push({ row: row.number, column, message });
      return false;
    };
    const called = names.get(phone) || inFile.get(phone);
    if (called && called !== name)
      return bad('name', [
        '该手机号已登记为其他姓名，请核对',
        'The phone number belongs to another name: please check',
      ]);
    inFile.set(phone, name);
    return inHouse.has(`${house} ${phone}`)
      ? bad('phone', ['该住户已在此房屋', 'This person is in the house already'])
      : true;
  });
  return { drafts: good, problems };
}

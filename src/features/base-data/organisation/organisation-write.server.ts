import { businessDayOf } from '../../../kernel/contract/time.rules.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { run, runOne, type Executor, type Tx } from '../../../kernel/server/database.ts';
import { checkAttachable } from '../../../kernel/server/files/files.ts';
import { invalid } from '../../../kernel/server/http/errors.ts';
import { usesOf } from '../../../kernel/server/resource/abilities/deletable.ts';
import type { DbRow } from '../../../kernel/server/resource/binding.ts';
import type { ActionContext } from '../../../kernel/server/resource/run-action.ts';
import { openText, sealText } from '../../../domain/payee/sealed-text.server.ts';
import type { Platform } from '../../../kernel/server/platform.ts';
import { requireProjectsInReach } from '../../../domain/permission/project-reach.server.ts';
import { maskValue } from '../../../kernel/contract/mask.rules.ts';
import { treeNode } from '../../../domain/places/consequences.server.ts';
import { lockTree, placeProblem, rearrange } from '../../../domain/places/organisation-commands.server.ts';
import {
  BAD_LICENCE,
  isLicenceNo,
  WRONG_PARENT,
  type OrganisationKind,
} from '../../../domain/places/organisation.rules.ts';
import { spellingOf } from '../../../domain/places/spelling.server.ts';
import { foreignTo, organisation, requiredFor } from './organisation.contract.ts';

const LICENCE_BYTES = 10 * 1024 * 1024;
const REQUIRED: Label = ['此项必填', 'This field is required'];
const NEEDS_CITY: Label = ['中心城市须选择市级地区', 'A centre city needs a city'];

/** A new node: its place, what its kind needs, its tenant, the projects it starts with. */
export async function create(context: ActionContext): Promise<void> {
  const { tx, caller, input, columns } = context;
  const kind = input.kind as OrganisationKind;
  await lockTree(tx);
  const parent = typeof input.parent === 'number' ? await treeNode(tx, input.parent) : undefined;
  const problem = await placeProblem(tx, { kind }, parent);
  if (problem) throw invalid({ parent: problem }, problem);
  // What stands at the top is above everybody's place but the platform's.
  if (!parent && (caller.tenantKind !== 3 || caller.projectIds !== null))
    throw invalid({ parent: WRONG_PARENT }, WRONG_PARENT);
  await checkForm(context, kind, {});
  columns.pinyin = spellingOf(String(input.name));
  if (input.createTenant === true && kind !== 'management_unit')
    columns.tenant_id = await newTenant(tx, kind, input);
}

/** An edited node: the same rules over what it is afterwards. */
export async function update(context: ActionContext): Promise<void> {
  const { tx, platform, id, row, input, columns } = context;
  if (input.code !== undefined && input.code !== row.code) {
    const uses = await usesOf(tx, await platform.tables(), 'organisation', id);
    if (uses.length > 0)
      throw invalid({ code: ['已被使用，编码不可修改', 'In use, the code cannot be changed'] });
  }
  await checkForm(context, row.kind as OrganisationKind, row);
  if (input.name !== undefined) columns.pinyin = spellingOf(String(input.name));
}

/** What hangs on the row: the sealed account number, and the projects a new unit starts with. */
export async function writeParts(context: ActionContext, id: number): Promise<[]> {
  const { tx, platform, caller, action, input } = context;
  if (action !== 'create' && action !== 'update') return [];
  if (input.bankAccount !== undefined) {
    if (input.bankAccount === null)
      await run(tx, 'DELETE FROM organisation_secret WHERE organisation_id = $1', [id]);
    else
      await run(
        tx,
        'INSERT INTO organisation_secret (organisation_id, bank_account) VALUES ($1, $2) ON CONFLICT (organisation_id) DO UPDATE SET bank_account = excluded.bank_account',
        [id, sealText(platform.config, SEALED, String(id), String(input.bankAccount))],
      );
  }
  const projects = (input.hang as number[] | undefined) ?? [];
  if (action === 'create' && projects.length > 0) {
    requireProjectsInReach(caller, projects);
    await rearrange(
      tx,
      platform,
      caller,
      { kind: 'hang', node: id, projects },
      { reason: '', confirmName: String(input.confirmName ?? '') },
    );
  }
  return [];
}

/** The account number in clear, for whoever may reveal it. */
export async function bankAccountOf(platform: Platform, id: number): Promise<string | null> {
  const row = await runOne<{ sealed: Buffer }>(
    platform.database.db,
    'SELECT bank_account AS sealed FROM organisation_secret WHERE organisation_id = $1',
    [id],
  );
  return row ? openText(platform.config, SEALED, String(id), row.sealed) : null;
}

const SEALED = 'organisation.bank_account';

/** Rows of a file and work in the background bring what they have; a person fills the form. */
const atTheForm = ({ facts }: ActionContext): boolean => facts.address !== '';

async function checkForm(context: ActionContext, kind: OrganisationKind, row: DbRow): Promise<void> {
  const { tx, caller, input, columns } = context;
  const problems: Record<string, Label> = {};
  const value = (name: string, column: string) => (input[name] === undefined ? row[column] : input[name]);
  const columnOf: Readonly<Record<string, string>> = {
    contact: 'contact',
    phone: 'phone',
    licenceNo: 'licence_no',
    parent: 'parent_id',
  };
  if (atTheForm(context))
    for (const name of requiredFor(kind)) if (!value(name, columnOf[name]!)) problems[name] = REQUIRED;
  for (const name of foreignTo(kind)) {
    const given = input[name];
    if (
      given !== undefined &&
      given !== null &&
      given !== '' &&
      given !== false &&
      !(Array.isArray(given) && given.length === 0)
    )
      problems[name] = ['此类型没有此项', 'This kind has no such thing'];
  }
  const licence = input.licenceNo;
  if (typeof licence === 'string' && licence !== '') {
    if (isLicenceNo(licence.toUpperCase())) columns.licence_no = licence.toUpperCase();
    else problems.licenceNo = BAD_LICENCE;
  }
  if (typeof input.foundedOn === 'string' && input.foundedOn > businessDayOf(new Date()))
    problems.foundedOn = ['不能晚于今天', 'Not in the future'];
  if (value('licenceUnlimited', 'licence_unlimited') && value('licenceUntil', 'licence_until'))
    problems.licenceUntil = ['长期有效时不填日期', 'No date for an unlimited licence'];
  const [longitude, latitude] = [value('longitude', 'longitude'), value('latitude', 'latitude')];
  if ((longitude === null || longitude === undefined) !== (latitude === null || latitude === undefined))
    problems[longitude === null || longitude === undefined ? 'longitude' : 'latitude'] = [
      '经纬度须同时填写',
      'Longitude and latitude belong together',
    ];
  const region = value('region', 'region_id');
  if (kind === 'centre_city' && region !== undefined && (await levelOf(tx, Number(region))) !== 2)
    problems.region = NEEDS_CITY;
  if (input.licenceFile) {
    await checkAttachable(
      tx,
      caller,
      'licenceFile',
      [String(input.licenceFile)],
      [String(row.licence_file_id ?? '')],
    );
    const file = await runOne<{ size: number; type: string }>(
      tx,
      'SELECT size, type FROM stored_file WHERE id = $1',
      [input.licenceFile],
    );
    if (file!.size > LICENCE_BYTES || !/^image\/|^application\/pdf$/.test(file!.type))
      problems.licenceFile = ['请上传不超过 10 MB 的图片或 PDF', 'An image or PDF of at most 10 MB, please'];
  }
  if (Object.keys(problems).length > 0) {
    const only = Object.values(problems);
    throw invalid(problems, only.length === 1 ? only[0] : undefined);
  }
  if (input.bankAccount !== undefined)
    columns.bank_account = input.bankAccount === null ? '' : maskValue('idNumber', String(input.bankAccount));
  if (input.licenceUnlimited === null) columns.licence_unlimited = false;
}

async function levelOf(db: Executor, region: number): Promise<number | undefined> {
  return (await runOne<{ level: number }>(db, 'SELECT level FROM region WHERE id = $1', [region]))?.level;
}

/** The tenant of a company (kind 1) or centre city (kind 4), numbered after the last of its kind. */
async function newTenant(
  tx: Tx,
  kind: 'company' | 'centre_city',
  input: Readonly<Record<string, unknown>>,
): Promise<number> {
  const [tenantKind, letter] = kind === 'company' ? [1, 'C'] : [4, 'S'];
  const row = await runOne<{ id: number }>(
    tx,
    `INSERT INTO tenant (kind, account, name, contact_name, contact_phone, licence_no)
     SELECT $1, $2 || lpad((coalesce(max(substr(account, 2)::int), 0) + 1)::text, 6, '0'), $3, $4, $5, $6 FROM tenant WHERE account ~ ('^' || $2 || '\\d{6}$')
     RETURNING id`,
    [tenantKind, letter, input.name, input.contact ?? '', input.phone ?? '', input.licenceNo ?? ''],
  );
  return row!.id;
}

/** A free code for a new node: that of its parent and the next number. */
export async function proposedCode(db: Executor, parent: { code: string } | undefined): Promise<string> {
  const stem = parent ? `${parent.code.slice(0, 17)}-` : 'C-';
  const rows = await run<{ code: string }>(
    db,
    `SELECT code FROM organisation WHERE starts_with(code, $1) AND substr(code, length($1) + 1) ~ '^\\d{1,2}$'`,
    [stem],
  );
  const last = Math.max(0, ...rows.map((row) => Number(row.code.slice(stem.length))));
  return last < 99 ? `${stem}${String(last + 1).padStart(2, '0')}` : '';
}

/** Name of the rows in timelines. */
export const ORGANISATION = organisation.name;

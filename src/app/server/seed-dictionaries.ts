import { type Runner } from './seed-demo/insert-rows.ts';
import { readSeedFile } from './seed-demo/seed-file.ts';

interface Seeds {
  readonly platform: readonly {
    readonly code: string;
    readonly zh: string;
    readonly en: string;
    /** Code of the type it stands below, which comes earlier in the file. */
    readonly parent?: string;
    readonly values: readonly {
      readonly value: string;
      readonly zh: string;
      readonly en: string;
      readonly tone?: string;
      readonly attr1?: string;
    }[];
  }[];
  readonly business: readonly {
    readonly code: string;
    readonly zh: string;
    readonly en: string;
    readonly values: readonly BusinessValue[];
  }[];
}

interface BusinessValue {
  readonly val: string;
  readonly zh: string;
  readonly en: string;
  readonly values?: readonly BusinessValue[];
}

/**
 * Writes the dictionaries the product names in its code. What is there stays as it is, renamed or disabled; a value of a
 * business dictionary that was deleted does not come back.
 */
export async function seedDictionaries(client: Runner): Promise<void> {
  const seeds = readSeedFile<Seeds>('dictionaries');
  await seedPlatform(client, seeds.platform);
  await seedBusiness(client, seeds.business);
}

async function seedPlatform(client: Runner, types: Seeds['platform']): Promise<void> {
  await client.query(
    `INSERT INTO dictionary_type (code, name, name_en, system, position)
     SELECT d.code, d.zh, d.en, true, d.position
       FROM jsonb_to_recordset($1::jsonb) AS d (code text, zh text, en text, position integer)
      WHERE NOT EXISTS (SELECT FROM dictionary_type t WHERE t.code = d.code)
      ORDER BY d.position`,
    [JSON.stringify(types.map(({ values: _values, ...type }, index) => ({ ...type, position: index + 1 })))],
  );
  await client.query(
    `UPDATE dictionary_type t SET parent_id = p.id
       FROM jsonb_to_recordset($1::jsonb) AS d (code text, parent text) JOIN dictionary_type p ON p.code = d.parent
      WHERE t.code = d.code AND t.parent_id IS NULL AND t.version = 1`,
    [JSON.stringify(types.filter((type) => type.parent))],
  );
  const values = types.flatMap((type) =>
    type.values.map((value, index) => ({ type: type.code, ...value, position: index + 1 })),
  );
  await client.query(
    `INSERT INTO dictionary_value (type_id, code, value, name, name_en, tone, attr1, position, system)
     SELECT t.id, t.code || '.' || d.value, d.value, d.zh, d.en, coalesce(d.tone, 'default'), coalesce(d.attr1, ''), d.position, true
       FROM jsonb_to_recordset($1::jsonb) AS d (type text, value text, zh text, en text, tone text, attr1 text, position integer)
       JOIN dictionary_type t ON t.code = d.type
      WHERE NOT EXISTS (SELECT FROM dictionary_value v WHERE v.code = t.code || '.' || d.value OR (v.type_id = t.id AND v.value = d.value))
      ORDER BY t.position, d.position`,
    [JSON.stringify(values)],
  );
}

/** A dictionary is written with all its values once: its values may be deleted, so missing ones are not written again. */
async function seedBusiness(client: Runner, dictionaries: Seeds['business']): Promise<void> {
  const { rows } = await client.query<{ code: string }>('SELECT code FROM biz_dict WHERE parent_id IS NULL');
  const known = new Set(rows.map((row) => row.code));
  const add = async (
    parent: string | null,
    code: string,
    row: { readonly val: string; readonly zh: string; readonly en: string },
    position: number,
  ) => {
    const added = await client.query<{ id: string }>(
      `INSERT INTO biz_dict (parent_id, code, val, name, name_en, view_sort, system) VALUES ($1, $2, $3, $4, $5, $6, $7) RETURNING id`,
      [parent, code, row.val, row.zh, row.en, position, parent === null],
    );
    return added.rows[0]!.id;
  };
  const addBelow = async (parent: string, root: string, values: readonly BusinessValue[]): Promise<void> => {
    for (const [index, value] of values.entries()) {
      const id = await add(parent, `${root}.${value.val}`, value, index + 1);
      await addBelow(id, root, value.values ?? []);
    }
  };
  for (const [index, dictionary] of dictionaries.entries()) {
    if (known.has(dictionary.code)) continue;
    const id = await add(null, dictionary.code, { ...dictionary, val: '' }, index + 1);
    await addBelow(id, dictionary.code, dictionary.values);
  }
}

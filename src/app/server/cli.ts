import fs from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { verifyAudit } from '../../kernel/server/audit/audit-seal.ts';
import { openDatabase, run, transaction } from '../../kernel/server/database.ts';
import { writeSystemEvent, type SystemEvent } from '../../kernel/server/tasks/system-event.ts';
import { noteMigrations } from './note-migrations.ts';
import { addClient, listClients, switchClient } from '../../features/frame/sign-in/client-commands.server.ts';
import { demos } from '../registry/demos.gen.ts';
import type { Registration } from '../../kernel/server/registration.ts';
import { registrations } from '../registry/registrations.gen.ts';
import { backup, restore } from './backup.ts';
import { readConfig, type Config } from './config.ts';
import { createPlatform } from './create-platform.ts';
import { migrate } from './migrate.ts';
import { openProductDatabase, type ProductDatabase } from './open-product-database.ts';
import { createLog, platformConfig } from './platform-config.ts';
import { prepare } from './prepare.ts';
import { seedMass } from './seed-mass.ts';
import { routeReport } from './session/sync-menus.ts';

type Command = (context: Context, words: readonly string[]) => Promise<number>;

interface Context {
  readonly config: Config;
  readonly database: ProductDatabase;
  say(line: string): void;
}

const USAGE = `Commands (npm run cli -- COMMAND):
  migrate                       brings the database to the newest schema
  seed [--rows N] [--seed S]    demonstration data; with --rows that many further orders
  backup FILE                   writes a verified backup
  restore FILE                  fills an empty installation from a backup
  doctor                        checks ledgers, orders, refunds and the audit chain
  audit verify                  checks the audit chain
  routes [MENU ...]             lists every route and whether it is built, and how many actions (also of the menus) need no handler
  client add ID --name N --redirect URL --scope "openid profile menu:GROUP" [--auto "openid"] [--public] [--seconds 7200]
                                lets an outside program ask staff for a token (authorisation code with PKCE)
  client list | on ID | off ID  shows these programs, switches one on or off (its tokens end)
  whitelist off                 way out when the login whitelist locks everybody out`;

const commands: Readonly<Record<string, Command>> = {
  migrate: async ({ database, say }) => {
    const { applied } = await migrate(database.addresses.owner, { log: say });
    const owner = openDatabase(database.addresses.owner, 1);
    await noteMigrations(owner.db, applied).finally(() => owner.close());
    say(applied.length === 0 ? 'The schema is up to date.' : `Applied ${applied.length} migrations.`);
    return 0;
  },
  seed: async ({ config, database, say }, words) => {
    const { values } = parseArgs({
      args: [...words],
      options: { rows: { type: 'string' }, seed: { type: 'string', default: '42' } },
    });
    const prepared = await prepare(
      { ...config, demo: 'small' },
      database,
      registrations,
      demos,
      createLog(config.logLevel),
    );
    if (prepared.firstAdministrator)
      say(
        `First account: ${prepared.firstAdministrator.account}, password (shown once): ${prepared.firstAdministrator.password}`,
      );
    if (values.rows === undefined) return 0;
    const rows = Number(values.rows);
    const seed = Number(values.seed);
    if (!Number.isSafeInteger(rows) || rows < 1 || rows > 50_000_000 || !Number.isSafeInteger(seed)) {
      say('--rows must be 1 to 50000000, --seed a whole number');
      return 2;
    }
    const started = performance.now();
    await seedMass(database.addresses.owner, { rows, seed, log: say });
    say(`Wrote ${rows} orders in ${((performance.now() - started) / 1000).toFixed(1)} s.`);
    return 0;
  },
  backup: async (context, [file]) => {
    const { database, say } = context;
    if (!file) return usage(say);
    const manifest = await backup(database.addresses.owner, file).catch(async (error: unknown) => {
      await noteEvent(context, {
        kind: 'backup',
        level: 'error',
        text: ['备份失败', 'A backup failed'],
        detail: { file: path.basename(file) },
      });
      throw error;
    });
    await noteEvent(context, {
      kind: 'backup',
      text: [
        `备份完成：${path.basename(file)}，${manifest.tables.length} 张表`,
        `A backup was written: ${path.basename(file)}, ${manifest.tables.length} tables`,
      ],
      detail: {
        file: path.basename(file),
        tables: manifest.tables.length,
        rows: manifest.tables.reduce((sum, table) => sum + table.rows, 0),
      },
    });
    say(
      `Wrote ${file}: ${manifest.tables.length} tables, ${manifest.tables.reduce((sum, table) => sum + table.rows, 0)} rows. Files of the data folder are not part of it.`,
    );
    return 0;
  },
  restore: async (context, [file]) => {
    const { config, database, say } = context;
    if (!file) return usage(say);
    await migrate(database.addresses.owner, { log: say });
    const manifest = await restore(database.addresses.owner, file);
    // The note of the newest link belongs to the chain that was here before.
    fs.rmSync(path.join(config.dataDir, 'audit-anchor'), { force: true });
    await noteEvent(context, {
      kind: 'backup',
      level: 'warning',
      text: [
        `已从备份恢复：${path.basename(file)}，${manifest.tables.length} 张表`,
        `Restored from a backup: ${path.basename(file)}, ${manifest.tables.length} tables`,
      ],
      detail: { file: path.basename(file), tables: manifest.tables.length },
    });
    say(`Restored ${manifest.tables.length} tables, every checksum equal.`);
    return 0;
  },
  doctor: async (context) => {
    const { platform, close } = open(context);
    let problems = 0;
    try {
      for (const invariant of registrations.flatMap((service) => service.invariants ?? [])) {
        const result = await invariant.check(platform);
        problems += result.problems.length;
        context.say(
          `${result.problems.length === 0 ? 'ok  ' : 'FAIL'} ${invariant.name} (${result.looked} looked at)`,
        );
        for (const problem of result.problems.slice(0, 20)) context.say(`     ${problem}`);
      }
      problems += await reportAudit(context, platform.database.db);
      await writeSystemEvent(platform.database.db, {
        kind: 'doctor',
        level: problems === 0 ? 'info' : 'error',
        text:
          problems === 0
            ? ['数据检查通过', 'The doctor found nothing wrong']
            : [`数据检查发现 ${problems} 个问题`, `The doctor found ${problems} problems`],
        detail: { problems },
        alert: problems > 0,
      });
    } finally {
      await close();
    }
    context.say(problems === 0 ? 'Everything adds up.' : `${problems} problems.`);
    return problems === 0 ? 0 : 1;
  },
  audit: async (context, [verb]) => {
    if (verb !== 'verify') return usage(context.say);
    const { platform, close } = open(context);
    try {
      return (await reportAudit(context, platform.database.db)) === 0 ? 0 : 1;
    } finally {
      await close();
    }
  },
  routes: async (context, menus) => {
    const { platform, close } = open(context);
    try {
      const rows = await routeReport(platform.database.db);
      for (const row of rows)
        context.say(
          `${row.built ? 'built    ' : 'not built'}  ${row.route.padEnd(60)} ${row.group ? `${row.group} › ` : ''}${row.title}`,
        );
      context.say(`${rows.filter((row) => row.built).length} of ${rows.length} routes built.`);
      const { all, alone } = actionsOf(platform.registrations);
      context.say(
        `${alone} of ${all} declared actions (${share(alone, all)}) run on the engine alone, without a handler.`,
      );
      if (menus.length > 0) {
        const own = actionsOf(platform.registrations, menus);
        context.say(
          `${own.alone} of ${own.all} (${share(own.alone, own.all)}) of the menus ${menus.join(', ')}.`,
        );
      }
      return 0;
    } finally {
      await close();
    }
  },
  client: async (context, [verb, id = '', ...words]) => {
    const { platform, close } = open(context);
    const { db } = platform.database;
    try {
      if (verb === 'list') {
        for (const row of await listClients(db))
          context.say(
            `${row.enabled ? 'on ' : 'off'}  ${row.client_id}  ${row.name}  ${row.scopes.join(' ')}  ${row.redirect_uris.join(' ')}`,
          );
        return 0;
      }
      if (verb === 'on' || verb === 'off') {
        await transaction(db, (tx) => switchClient(tx, id, verb === 'on'));
        context.say(`${id} is ${verb}.`);
        return 0;
      }
      if (verb !== 'add') return usage(context.say);
      const { values } = parseArgs({
        args: words,
        options: {
          name: { type: 'string', default: id },
          redirect: { type: 'string', multiple: true, default: [] },
          scope: { type: 'string', default: 'openid profile' },
          auto: { type: 'string', default: '' },
          public: { type: 'boolean', default: false },
          seconds: { type: 'string', default: '7200' },
        },
      });
      const named = (text: string) => text.split(' ').filter((one) => one !== '');
      const secret = await transaction(db, (tx) =>
        addClient(tx, {
          id,
          name: values.name,
          redirectUris: values.redirect,
          scopes: named(values.scope),
          autoApprove: named(values.auto),
          isPublic: values.public,
          accessSeconds: Number(values.seconds),
        }),
      );
      context.say(secret === null ? `${id} may ask for tokens.` : `Secret (shown once): ${secret}`);
      return 0;
    } finally {
      await close();
    }
  },
  whitelist: async (context, [verb]) => {
    if (verb !== 'off') return usage(context.say);
    const { platform, close } = open(context);
    try {
      await run(
        platform.database.db,
        `INSERT INTO setting (key, value) VALUES ('login.whitelist.enforce', 'false') ON CONFLICT (key) DO UPDATE SET value = 'false', version = setting.version + 1, updated_at = now()`,
      );
      const rows = await run(
        platform.database.db,
        `UPDATE login_whitelist SET enabled = false, version = version + 1, updated_at = now() WHERE purpose = 'allow' AND enabled RETURNING id`,
      );
      context.say(`Enforcement is off, ${rows.length} rows disabled.`);
      return 0;
    } finally {
      await close();
    }
  },
};

async function main(): Promise<number> {
  const [name = '', ...words] = process.argv.slice(2);
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  const say = (line: string) => void process.stdout.write(`${line}\n`);
  if (!command) return usage(say);
  const config = readConfig();
  const database = await openProductDatabase(config, { join: true });
  try {
    return await command({ config, database, say }, words);
  } finally {
    await database.stop();
  }
}

/** Keeps in the system log what a command did. */
async function noteEvent({ database }: Context, event: SystemEvent): Promise<void> {
  const owner = openDatabase(database.addresses.owner, 1);
  await writeSystemEvent(owner.db, event).finally(() => owner.close());
}

function open({ config, database }: Context) {
  const platform = createPlatform({
    database: database.addresses.app,
    registrations,
    config: platformConfig(config),
    log: createLog(config.logLevel),
    poolSize: 4,
  });
  return { platform, close: () => platform.close() };
}

async function reportAudit(context: Context, db: Parameters<typeof verifyAudit>[0]): Promise<number> {
  const result = await verifyAudit(db, { dataDir: context.config.dataDir });
  context.say(`${result.problems.length === 0 ? 'ok  ' : 'FAIL'} audit chain (${result.checked} looked at)`);
  for (const problem of result.problems.slice(0, 20)) context.say(`     ${problem}`);
  return result.problems.length;
}

function usage(say: (line: string) => void): number {
  say(USAGE);
  return 2;
}

main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(1);
  },
);

const share = (part: number, all: number) => `${((100 * part) / Math.max(1, all)).toFixed(1)} %`;

/**
 * How many actions are declared, under these menus or all, and how many of them no code of a feature carries out. A button that
 * only opens something of the page is none of the latter.
 */
function actionsOf(
  declared: readonly Registration[],
  menus?: readonly string[],
): { all: number; alone: number } {
  let all = 0;
  let alone = 0;
  for (const { contract, handled } of declared) {
    if (contract?.archetype !== 'resource' || (menus && !menus.includes(contract.menu))) continue;
    for (const [name, spec] of Object.entries(contract.actions ?? {})) {
      all++;
      if (spec.opens !== 'screen' && !handled?.includes(name)) alone++;
    }
  }
  return { all, alone };
}

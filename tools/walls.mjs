// The walls of docs/ARCHITECTURE.md as a check over import statements. Each message says what to do instead.
import fs from 'node:fs';
import path from 'node:path';

const KERNEL_MAX_PROPERTIES = 25;
/** Files that only tests import. */
const TEST_SUPPORT =
  /(\.test\.tsx?|-(fixture|fixtures|bench|desk)\.ts|\.oracle\.ts|\/must-show\.ts|\/(oracles|must-shows)\.gen\.ts)$/;

/** Returns one message per broken wall. */
export function checkWalls(root) {
  const problems = [];
  for (const file of sources(path.join(root, 'src'))) {
    const name = path.relative(root, file).split(path.sep).join('/');
    const text = fs.readFileSync(file, 'utf8');
    const imports = importsOf(text).map((target) => ({ target, to: resolveTarget(root, file, target) }));
    for (const { target, to } of imports) {
      const problem = wallBetween(name, target, to);
      if (problem) problems.push(`${name} imports ${target}: ${problem}`);
    }
    if (/\/index\.tsx?$/.test(name) || isBarrel(text))
      problems.push(`${name} is a barrel: import from the file that defines the thing`);
    if (usesSql(text) && !mayUseSql(name))
      problems.push(`${name} holds SQL: move it to a *.server.ts file or kernel/server`);
    if (usesLibraryApp(text))
      problems.push(
        `${name} uses antd's App, message or notification: use message and ask of kernel/client/feedback.ts`,
      );
    if (usesRawModal(name, text))
      problems.push(
        `${name} uses antd's Modal: use AppModal of kernel/client/parts, a raw one breaks kept-alive tabs`,
      );
    if (!name.endsWith('/app-drawer.tsx') && importsOfLibrary(text, ['Drawer']))
      problems.push(`${name} uses antd's Drawer: use AppDrawer of kernel/client/parts, Esc knows no other`);
    if (importsOfLibrary(text, ['Dropdown']))
      problems.push(
        `${name} uses antd's Dropdown: use MenuButton of kernel/client/parts, 36 KB lighter and known to Esc`,
      );
  }
  const resource = fs.readFileSync(path.join(root, 'src/kernel/contract/resource.ts'), 'utf8');
  const spec = /export interface ResourceSpec[^{]*\{([\s\S]*?)\n\}/.exec(resource);
  const properties = (spec?.[1].match(/^ {2}readonly \w+\??:/gm) ?? []).length;
  if (properties === 0 || properties > KERNEL_MAX_PROPERTIES)
    problems.push(
      `ResourceSpec has ${properties} properties, at most ${KERNEL_MAX_PROPERTIES}: step down the escape ladder instead`,
    );
  return problems;
}

function wallBetween(from, target, to) {
  if (from.endsWith('.oracle.ts') && !to.startsWith('src/testing/oracle/') && !to.endsWith('.oracle.ts'))
    return 'an oracle shares no code with what it proves; use src/testing/oracle only';
  if (
    from.startsWith('src/testing/oracle/') &&
    !from.endsWith('.test.ts') &&
    !/^src\/(testing\/oracle|kernel\/contract)\/|\/kernel\/server\/database\.ts$|^node:/.test(to)
  )
    return 'the kit of the oracles knows raw rows and contracts only';
  const isTest = TEST_SUPPORT.test(from) || from.startsWith('src/testing/');
  if (isTest) return undefined;
  if (from.startsWith('src/kernel/') && (to.startsWith('src/features/') || to.startsWith('src/app/')))
    return 'the kernel knows no feature; pass it in, or move the code to the feature';
  if (from.startsWith('src/features/') && to.startsWith('src/app/'))
    return 'features do not know the application; move the shared part to the kernel';
  if (from.startsWith('src/kernel/') && to.startsWith('src/domain/'))
    return 'the kernel knows no entity; pass it in, or move the code to the domain';
  // A late payment, a team that did not form and what is given up without goods of the mall apply for their refunds, whose
  // commands still stand beside their screen.
  if (
    [
      'src/domain/checkout/refund-plain-order.server.ts',
      'src/domain/checkout/take-payment.server.ts',
      'src/domain/group-buy/teams.server.ts',
    ].includes(from) &&
    to.endsWith('/refund-apply.server.ts')
  )
    return undefined;
  if (from.startsWith('src/domain/') && (to.startsWith('src/features/') || to.startsWith('src/app/')))
    return 'the domain knows no screen; move the rule or command down to the domain';
  if (
    /\.(contract|rules)\.ts$/.test(from) &&
    (/^(react|fastify|pg|kysely|antd|node:)/.test(target) || /\.(server|screen)\.tsx?$/.test(to))
  )
    return 'contracts and rules run everywhere; move this to the server or screen file';
  if (
    (from.endsWith('.screen.tsx') ||
      from.startsWith('src/kernel/client/') ||
      from.startsWith('src/app/client/')) &&
    (/^(node:|pg$|fastify|kysely)/.test(target) ||
      to.includes('/kernel/server/') ||
      to.endsWith('.server.ts'))
  )
    return 'the page cannot reach the server; call an endpoint';
  if (
    (/\.(server|demo)\.ts$/.test(from) || from.startsWith('src/kernel/server/')) &&
    (/^(react|antd)/.test(target) || to.endsWith('.screen.tsx') || to.startsWith('src/kernel/client/'))
  )
    return 'the server draws nothing; share through a contract or rules file';
  const feature = /^src\/features\/([^/]+)\//.exec(from)?.[1];
  const other = /^src\/features\/([^/]+)\//.exec(to)?.[1];
  if (feature && other && feature !== other) {
    if (
      !/\.(contract|rules)\.ts$/.test(to) &&
      !/\.screen\.tsx$/.test(to) &&
      !/\.server\.ts$/.test(to) &&
      !/\/commands\.ts$/.test(to)
    )
      return 'groups meet through contracts, exported commands and mounted screens only';
  }
  return undefined;
}

function importsOf(text) {
  return [
    ...text.matchAll(
      /^\s*(?:import|export)\s[^'"]*?from\s+'([^']+)'|^\s*import\s+'([^']+)'|import\(\s*'([^']+)'\s*\)/gm,
    ),
  ].map((match) => match[1] ?? match[2] ?? match[3]);
}

function resolveTarget(root, file, target) {
  if (!target.startsWith('.')) return target;
  return path
    .relative(root, path.resolve(path.dirname(file), target))
    .split(path.sep)
    .join('/');
}

function isBarrel(text) {
  const code = text.replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '').trim();
  return (
    code !== '' &&
    code
      .split(/;\s*/)
      .filter(Boolean)
      .every((statement) => /^export\s+(\*|\{[^}]*\})\s+from/.test(statement.trim()))
  );
}

function usesSql(text) {
  return /['"`]\s*(SELECT\s+[\w*(]|INSERT INTO\s|UPDATE\s+\w+\s+SET\s|DELETE FROM\s)/.test(text);
}

function mayUseSql(name) {
  return (
    /\.(server|demo)\.ts$/.test(name) ||
    name.startsWith('src/kernel/server/') ||
    name.startsWith('src/testing/') ||
    name.startsWith('src/app/server/') ||
    TEST_SUPPORT.test(name)
  );
}

function usesRawModal(name, text) {
  return !name.endsWith('/app-modal.tsx') && importsOfLibrary(text, ['Modal']);
}

/** They bring 30 KB into every list, and their messages stay over other tabs. */
function usesLibraryApp(text) {
  return importsOfLibrary(text, ['App', 'message', 'notification']);
}

function importsOfLibrary(text, names) {
  return [...text.matchAll(/import\s*\{([^}]*)\}\s*from\s*'antd'/g)].some((match) =>
    match[1].split(',').some((part) => names.includes(part.trim())),
  );
}

function sources(folder) {
  return fs.readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const full = path.join(folder, entry.name);
    return entry.isDirectory() ? sources(full) : /\.tsx?$/.test(entry.name) ? [full] : [];
  });
}

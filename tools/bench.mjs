// npm run bench [-- list|filters|analyses|export|import|start|size|frame|permission|words|approval|platform|charging|houses|work-orders|members [part]]: benchmarks that compare in one run. They bring their own data and stop by themselves.
import { ensurePackages } from './install.mjs';

ensurePackages();
const { build } = await import('./build.mjs');
await build();
const wanted = process.argv[2];
for (const name of [
  'list',
  'filters',
  'analyses',
  'export',
  'import',
  'start',
  'size',
  'frame',
  'permission',
  'words',
  'approval',
  'platform',
  'charging',
  'houses',
  'work-orders',
  'members',
]) {
  if (wanted && wanted !== name) continue;
  const { bench } = await import(`./bench/${name}.mjs`);
  await bench();
}
process.exit(0);

// npm start: installs what is missing, builds what is stale, starts the product and keeps it running.
import { pathToFileURL } from 'node:url';
import path from 'node:path';
import { ensurePackages } from './install.mjs';

const root = path.resolve(import.meta.dirname, '..');
ensurePackages();
const { build } = await import('./build.mjs');
process.env.BUILD_ID = await build();
process.env.NODE_ENV = 'production';
await import(pathToFileURL(path.join(root, 'dist', 'server', 'keep.js')).href);

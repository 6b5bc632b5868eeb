import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

/** Browser build: hashed files in dist/client; in development `/api` and the health paths go to the server on PORT. */
export default defineConfig(() => {
  const server = `http://127.0.0.1:${process.env.PORT ?? '8080'}`;
  return {
    // What runs everywhere holds neither components nor hooks: nothing for the React compiler to remember.
    plugins: [
      leanTable(),
      react({ compiler: true, exclude: [/\/node_modules\//, /\.(contract|rules|gen)\.ts$/] }),
    ],
    build: {
      outDir: 'dist/client',
      emptyOutDir: true,
      target: 'es2022',
      assetsDir: 'assets',
      sourcemap: false,
      reportCompressedSize: false,
      // The charts: fetched by the screens that draw some.
      chunkSizeWarningLimit: 600,
      // The login page must not drag in chunks of the frame by module preload.
      modulePreload: { polyfill: false },
    },
    server: {
      proxy: Object.fromEntries(['/api', '/version', '/livez', '/readyz'].map((path) => [path, server])),
    },
  };
});

const LATER: Readonly<Record<string, string>> = {
  '../pagination': 'antd/es/pagination/index.js',
  './FilterDropdown': 'antd/es/table/hooks/useFilter/FilterDropdown.js',
};

/** Barrels of which antd's always loaded parts use a few functions; through the barrel the whole component comes along. */
const PARTS: Readonly<Record<string, string>> = {
  '@rc-component/tree': `export { arrAdd, arrDel } from '@rc-component/tree/es/util.js';
export { conductCheck } from '@rc-component/tree/es/utils/conductUtil.js';
export { convertDataToEntities } from '@rc-component/tree/es/utils/treeUtil.js';`,
  '@rc-component/form': `export { FormProvider } from '@rc-component/form/es/FormContext.js';`,
};

/**
 * antd's table brings its pager (with a select) and its filter menu (with a tree) along, which a list with its own pager
 * and search bar never shows: they become chunks that are fetched by the table that uses them.
 */
function leanTable(): Plugin {
  return {
    name: 'lean-table',
    apply: 'build',
    enforce: 'pre',
    resolveId: (source, importer) => {
      if (!importer) return undefined;
      if (LATER[source] && /antd\/es\/table\//.test(importer)) return `\0later:${source}`;
      if (PARTS[source] && /antd\/es\/(table\/hooks\/useSelection|form\/context)\.js/.test(importer))
        return `\0parts:${source}`;
      return undefined;
    },
    load: (id) => {
      if (id.startsWith('\0parts:')) return PARTS[id.slice('\0parts:'.length)];
      if (!id.startsWith('\0later:')) return undefined;
      const target = LATER[id.slice('\0later:'.length)];
      return `import { createElement, lazy, Suspense } from 'react';
const Later = lazy(() => import('${target}'));
export default (props) => createElement(Suspense, { fallback: null }, createElement(Later, props));
export const flattenKeys = (filters) => (filters || []).flatMap(({ value, children }) => [value, ...flattenKeys(children)]);`;
    },
  };
}

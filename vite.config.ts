import babel from '@rolldown/plugin-babel';
import react, { reactCompilerPreset } from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** Browser build: hashed files in dist/client; in development `/api` and the health paths go to the server on PORT. */
export default defineConfig(() => {
  const server = `http://127.0.0.1:${process.env.PORT ?? '8080'}`;
  return {
    plugins: [react(), babel({ presets: [reactCompilerPreset()] })],
    build: {
      outDir: 'dist/client',
      emptyOutDir: true,
      target: 'es2022',
      assetsDir: 'assets',
      sourcemap: false,
      reportCompressedSize: false,
      // The login page must not drag in chunks of the frame by module preload.
      modulePreload: { polyfill: false },
    },
    server: {
      proxy: Object.fromEntries(['/api', '/version', '/livez', '/readyz'].map((path) => [path, server])),
    },
  };
});

// Bundles the script of a test page: node build.mjs ENTRY OUT [NAME=FILE ...]
// NAME=FILE is a package alias. Packages are those installed beside this file; Vue
// single-file components are compiled as a bundler's plugin would do it.
import { build } from 'esbuild';
import { readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compileScript, parse } from 'vue/compiler-sfc';

const here = dirname(fileURLToPath(import.meta.url));
const [entry, out, ...aliases] = process.argv.slice(2);

const components = {
  name: 'vue',
  setup({ onLoad }) {
    onLoad({ filter: /\.vue$/ }, async ({ path }) => {
      const { descriptor, errors } = parse(await readFile(path, 'utf8'), { filename: path });
      if (errors.length) return { errors: errors.map((e) => ({ text: e.message })) };
      const script = compileScript(descriptor, { id: path, inlineTemplate: true });
      return { contents: script.content, loader: script.lang === 'ts' ? 'ts' : 'js' };
    });
  },
};

await build({
  entryPoints: [entry],
  outfile: out,
  bundle: true,
  format: 'iife',
  logLevel: 'error',
  minify: process.env.MINIFY === '1',
  nodePaths: [join(here, 'node_modules')],
  alias: Object.fromEntries(aliases.map((a) => { const [name, file] = a.split('='); return [name, resolve(file)]; })),
  define: {
    'process.env.NODE_ENV': '"development"',
    __VUE_OPTIONS_API__: 'true', __VUE_PROD_DEVTOOLS__: 'false', __VUE_PROD_HYDRATION_MISMATCH_DETAILS__: 'false',
  },
  plugins: [components],
});

import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'
import { compressedFiles } from './compressed-files.ts'
import { inputList } from './input-list.ts'

const project = new URL('../../..', import.meta.url).pathname
/** Files that are served as they are. */
const publicDir = join(project, 'shared/web/public')

/**
 * How Vite builds a web UI into `dist` of its folder, the path `root`. `more` are additional plugins, and `inputs` returns the files that only
 * those read.
 */
export const webConfig = (root: string, more: Plugin[] = [], inputs: () => string[] = () => []) =>
  defineConfig({
    root,
    publicDir,
    // The path at which the pages are served is known when a page is served, so all addresses are relative.
    base: './',
    plugins: [react(), ...more, compressedFiles(), versionedTheme(), inputList(relative(project, root), inputs)],
    build: {
      outDir: join(root, 'dist'),
      emptyOutDir: true,
      target: 'es2023',
      cssTarget: ['chrome123', 'firefox121', 'safari17.5'],
      assetsInlineLimit: 0,
      reportCompressedSize: false,
      chunkSizeWarningLimit: 1000,
      // One file of the modules that most pages use loads sooner than fifty small ones.
      rolldownOptions: {
        // Forms are on no first page.
        output: { codeSplitting: { groups: [{ name: 'base', test: /node_modules\/(?!@mantine\/form)/, minShareCount: 12 }] } },
      },
      // Its polyfill is an inline script.
      modulePreload: { polyfill: false },
    },
    logLevel: 'warn',
  })

/** Adds the hash of `first-theme.js` to its address, so that browsers can keep it for ever. It is no module, because modules run later. */
const versionedTheme = (): Plugin => ({
  name: 'versioned theme',
  apply: 'build',
  transformIndexHtml(html) {
    const hash = createHash('sha256')
      .update(readFileSync(join(publicDir, 'first-theme.js')))
      .digest('hex')
      .slice(0, 8)
    return html.replace('./first-theme.js', `./first-theme.js?v=${hash}`)
  },
})

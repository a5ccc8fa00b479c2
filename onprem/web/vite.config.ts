import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'
import { clientProgram } from './build/client-program.ts'
import { compressedFiles } from './build/compressed-files.ts'
import { inputList } from './build/input-list.ts'

const script = new URL('./public/first-theme.js', import.meta.url)

/** Adds the hash of `first-theme.js` to its address, so that browsers can keep it for ever. It is no module, because modules run later. */
const versionedTheme = (): Plugin => ({
  name: 'versioned theme',
  apply: 'build',
  transformIndexHtml(html) {
    const hash = createHash('sha256').update(readFileSync(script)).digest('hex').slice(0, 8)
    return html.replace('./first-theme.js', `./first-theme.js?v=${hash}`)
  },
})

const root = new URL('.', import.meta.url).pathname
const program = clientProgram()

export default defineConfig({
  root,
  // The prefix of PUBLIC_URL is known when a page is served, so all addresses are relative.
  base: './',
  plugins: [react(), program.plugin, compressedFiles(), versionedTheme(), inputList(program.inputs)],
  build: {
    outDir: new URL('dist', import.meta.url).pathname,
    emptyOutDir: true,
    target: 'es2023',
    cssTarget: ['chrome123', 'firefox121', 'safari17.5'],
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    chunkSizeWarningLimit: 1000,
    // One file of the modules that most pages use loads sooner than fifty small ones.
    rolldownOptions: { output: { codeSplitting: { groups: [{ name: 'base', test: /node_modules/, minShareCount: 12 }] } } },
    // Its polyfill is an inline script.
    modulePreload: { polyfill: false },
  },
  logLevel: 'warn',
})

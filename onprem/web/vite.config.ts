import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { clientProgram } from './build/client-program.ts'
import { compressedFiles } from './build/compressed-files.ts'
import { inputList } from './build/input-list.ts'
import { versionedTheme } from './build/versioned-theme.ts'

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

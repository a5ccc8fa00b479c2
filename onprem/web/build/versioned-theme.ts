import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Plugin } from 'vite'

const script = new URL('../public/first-theme.js', import.meta.url)

/** Adds the hash of `first-theme.js` to its address, so that browsers can keep it for ever. It is no module, because modules run later. */
export const versionedTheme = (): Plugin => ({
  name: 'versioned theme',
  apply: 'build',
  transformIndexHtml(html) {
    const hash = createHash('sha256').update(readFileSync(script)).digest('hex').slice(0, 8)
    return html.replace('./first-theme.js', `./first-theme.js?v=${hash}`)
  },
})

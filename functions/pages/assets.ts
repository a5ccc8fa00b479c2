import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { fontStyle, icon, interFont, monoFont, themeStyle } from '../../shared/web/theme-and-fonts.ts'

type Asset = { type: string; content: Uint8Array<ArrayBuffer> | string }

const read: Record<string, () => Asset> = {
  'pages.css': () => ({ type: 'text/css; charset=utf-8', content: `${themeStyle()}${fontStyle()}${pagesStyle()}` }),
  'pages.js': () => ({
    type: 'text/javascript; charset=utf-8',
    content: readFileSync(new URL('./assets/pages.js', import.meta.url), 'utf8'),
  }),
  'icon.svg': () => ({ type: 'image/svg+xml', content: icon() }),
  'inter-basic.woff2': () => ({ type: 'font/woff2', content: interFont() }),
  'jetbrains-mono-basic.woff2': () => ({ type: 'font/woff2', content: monoFont() }),
}
const pagesStyle = () => readFileSync(new URL('./assets/pages.css', import.meta.url), 'utf8')

const loaded = new Map<string, Asset>()

/** A file of the pages; undefined if there is none with the name. */
export function asset(name: string): Asset | undefined {
  const file = loaded.get(name) ?? (Object.hasOwn(read, name) ? read[name]?.() : undefined)
  if (file) loaded.set(name, file)
  return file
}

/** The address of a file, which changes with its content, so that browsers can keep it for ever. */
export function assetPath(name: string): string {
  const hash = createHash('sha256').update(asset(name)?.content ?? '')
  return `/assets/${name}?v=${hash.digest('hex').slice(0, 8)}`
}

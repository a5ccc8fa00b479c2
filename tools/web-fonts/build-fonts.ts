/** Writes the fonts of `shared/web/fonts`: ASCII and common signs, in the weights that the web UI uses. */
import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { installTool } from '../install-tool.ts'

type SubsetFont = (font: Buffer, text: string, options: object) => Promise<Buffer>

const root = new URL('../..', import.meta.url).pathname
const packages = await installTool('web-fonts')
const subsetFont: SubsetFont = createRequire(join(packages, 'x'))('subset-font')
const css = readFileSync(join(root, 'shared/web/fonts/fonts.css'), 'utf8')
const [, ranges = ''] = /unicode-range: ([^;]+);/.exec(css) ?? []
const text = ranges.split(',').map(charactersOf).join('')

for (const family of ['inter', 'jetbrains-mono']) {
  const source = readFileSync(join(root, `node_modules/@fontsource-variable/${family}/files/${family}-latin-wght-normal.woff2`))
  const font = await subsetFont(source, text, { targetFormat: 'woff2', variationAxes: { wght: { min: 400, max: 700 } } })
  writeFileSync(join(root, `shared/web/fonts/${family}-basic.woff2`), font)
}

/** The characters of a range such as `U+20-7E`. */
function charactersOf(range: string): string {
  const [first = 0, last = first] = range
    .trim()
    .slice(2)
    .split('-')
    .map((code) => Number.parseInt(code, 16))
  return String.fromCodePoint(...Array.from({ length: last - first + 1 }, (_, i) => first + i))
}

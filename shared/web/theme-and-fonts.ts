import { readFileSync } from 'node:fs'

const dark = ':root[data-mantine-color-scheme="dark"]'

/** The tokens of both themes, for pages without Mantine: the dark one applies if the system is dark. */
export function themeStyle(): string {
  const style = readFileSync(new URL('./theme.css', import.meta.url), 'utf8')
  const start = style.indexOf(dark)
  const end = style.indexOf('}', start) + 1
  const tokens = style.slice(start + dark.length, end)
  return `${style.slice(0, start)}@media (prefers-color-scheme: dark) { :root${tokens} }${style.slice(end)}`
}

/** The mark as SVG. */
export const icon = (): string => readFileSync(new URL('./public/icon.svg', import.meta.url), 'utf8')

/** The fonts of English pages, with the addresses `./inter-basic.woff2` and `./jetbrains-mono-basic.woff2`. */
export const fontStyle = (): string => readFileSync(new URL('./fonts/fonts.css', import.meta.url), 'utf8')
export const interFont = () => readFileSync(new URL('./fonts/inter-basic.woff2', import.meta.url))
export const monoFont = () => readFileSync(new URL('./fonts/jetbrains-mono-basic.woff2', import.meta.url))

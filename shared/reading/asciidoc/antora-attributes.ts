import { parse } from 'yaml'
import type { ReaderContext } from '../page/page.ts'

/** The attributes from the `antora.yml` of a page's component; a page may override them. */
export function antoraAttributes({ path, readFile }: ReaderContext): Record<string, string> {
  const at = path.lastIndexOf('/modules/')
  const text =
    at < 0 && !path.startsWith('modules/') ? undefined : readFile(at < 0 ? 'antora.yml' : `${path.slice(0, at)}/antora.yml`)
  const attributes = text === undefined ? undefined : readAttributes(text)
  if (typeof attributes !== 'object' || attributes === null) return {}
  const values = Object.entries(attributes).filter(([, value]) => ['string', 'number'].includes(typeof value))
  return Object.fromEntries(values.map(([name, value]) => [name.toLowerCase(), `${String(value).replace(/@$/, '')}@`]))
}

function readAttributes(text: string): unknown {
  try {
    const component: { asciidoc?: { attributes?: unknown } } | null = parse(text)
    return component?.asciidoc?.attributes
  } catch {
    return undefined
  }
}

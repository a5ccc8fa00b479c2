import { posix } from 'node:path'
import type { FindIncludes } from '../page/page.ts'

const includeDirective = /^include::([^\n[{]{1,500})\[/gm
const documentFormat = /\.(adoc|asciidoc|asc|ad)$/i

/** AsciiDoc files of `include::`, without targets that contain attributes, which are unknown before parsing. */
export const findAsciidocIncludes: FindIncludes = (text, { path }) => {
  const paths = [...text.matchAll(includeDirective)].flatMap(([, target = '']) => includedPath(target.trim(), path) ?? [])
  return [...new Set(paths.filter((path) => documentFormat.test(path)))]
}

/**
 * Path of an include from the root of the repository: relative to the file that names it, or an Antora resource id
 * (`module:family$path`) inside the same component. Undefined for URLs, absolute paths and paths outside the repository.
 */
export function includedPath(target: string, from: string): string | undefined {
  if (target === '' || target.startsWith('/') || target.includes('://') || /[{}\\]/.test(target)) return undefined
  const path = posix.normalize(antoraPath(target, from) ?? posix.join(posix.dirname(from), target))
  return path === '..' || path.startsWith('../') || path.startsWith('/') ? undefined : path
}

function antoraPath(target: string, from: string): string | undefined {
  const [, component, ownModule] = /^((?:.{0,500}\/)?modules)\/([^/]+)\//.exec(from) ?? []
  const [, scope = '', family, path = ''] =
    /^([\w.@:-]{0,200}:)?(?:(page|partial|example|attachment|image)\$)?(.+)$/.exec(target) ?? []
  if (component === undefined || (scope === '' && family === undefined)) return undefined
  const module = scope.split(':').at(-2)?.split('@').at(-1) || ownModule
  return `${component}/${module}/${family ?? 'page'}s/${path}`
}

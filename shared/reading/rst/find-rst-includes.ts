import type { FindIncludes } from '../page/page.ts'
import { candidatePaths, otherFormat } from './read-included.ts'

const includeDirective = /^[ \t]*\.\. include::[ \t]+(\S[^\n]{0,500})$/gm

/** Files of `include` directives. Those of `literalinclude` are listings and stay separate pages. */
export const findRstIncludes: FindIncludes = (text, { path }) => {
  const paths = [...text.matchAll(includeDirective)].flatMap(([, target = '']) => candidatePaths(target.trim(), path))
  return [...new Set(paths.filter((path) => !otherFormat.test(path)))]
}

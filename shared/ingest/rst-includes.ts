import type { FindIncludes } from './page.ts'
import { candidatePaths } from './rst-files.ts'

const includeDirective = /^[ \t]*\.\. include::[ \t]+(\S[^\n]{0,500})$/gm

/** Files of `include` directives; those of `literalinclude` are listings and stay documents of their own. */
export const findRstIncludes: FindIncludes = (text, { path }) => [
  ...new Set([...text.matchAll(includeDirective)].flatMap(([, target = '']) => candidatePaths(target.trim(), path))),
]

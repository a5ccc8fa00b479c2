import { Parser } from 'htmlparser2'
import type { Named } from './named.ts'

type Dependency = Partial<Record<'groupId' | 'artifactId' | 'version', string>>
const fields = ['groupId', 'artifactId', 'version'] as const
const maxDepth = 100

/**
 * The `groupId` and `artifactId` of each `<dependency>`, also of managed ones and of the parent. A version that is a property is none. The
 * parser knows no entities of a document, so none can expand.
 */
export function readPom(text: string): Named[] {
  const open: string[] = []
  const named: Named[] = []
  let dependency: Dependency = {}
  let content = ''
  const parser = new Parser(
    {
      onopentag(name) {
        if (open.push(name) > maxDepth) throw new Error('its elements are nested too deeply.')
        content = ''
        if (isDependency(name, open)) dependency = {}
      },
      ontext(part) {
        content += part
      },
      onclosetag(name) {
        const field = fields.find((each) => each === name)
        if (field && isDependency(open.at(-2), open)) dependency[field] ??= content.trim()
        if (isDependency(name, open)) named.push(...asNamed(dependency))
        content = ''
        open.pop()
      },
    },
    { xmlMode: true, decodeEntities: false },
  )
  parser.end(text)
  if (!text.includes('<project')) throw new Error('it has no <project>.')
  return named
}

const isDependency = (name: string | undefined, open: string[]): boolean =>
  name === 'dependency' || (name === 'parent' && open.length <= 3)

function asNamed({ groupId, artifactId, version = '' }: Dependency): Named[] {
  if (groupId === undefined || artifactId === undefined) return []
  return [{ ecosystem: 'maven', name: `${groupId}:${artifactId}`, version: version.includes('$') ? undefined : version }]
}

import { z } from 'zod'
import { AppError } from '../errors.ts'
import { excerpt } from '../text/excerpt.ts'
import { visibleText } from '../text/visible-text.ts'
import { formatOfFile, formatOfText, manifestNames } from './manifest-format.ts'
import type { ManifestReader, Named } from './manifests/named.ts'
import { packageName } from './registries/package-name.ts'

/** A dependency of a file: a package by its normal name, with its version if the file gives one, or a repository by its address. */
export type Dependency = Named

const maxDependencies = 10_000

/**
 * The packages that a manifest or lock file names, each once; of a lock file that knows them, the direct ones. Names that no registry allows
 * are omitted. Undefined for a text of no format, without a file name or with that of a plain text. Throws validation_error for another file, a text that is not of
 * its format, one above the size of its format, and one with more than ten thousand packages.
 */
export function readManifest(text: string, fileName?: string): Dependency[] | undefined {
  const isText = fileName === undefined || (!formatOfFile(fileName) && plainText.test(fileName))
  const format = isText ? formatOfText(text) : formatOfFile(fileName)
  const name = fileName === undefined ? format?.name : shownName(fileName)
  if (!format && isText) return undefined
  if (!format) throw new AppError('validation_error', `${name} is not read. Choose one of ${manifestNames}.`)
  if (Buffer.byteLength(text) > format.maxBytes)
    throw new AppError('validation_error', `${name} is larger than ${format.maxBytes / 2 ** 20} MB.`)
  const dependencies = new Map<string, Dependency>()
  for (const dependency of readOrExplain(format.read, `${name}`, text)) {
    const valid = 'repository' in dependency ? dependency : withVersion(dependency)
    if (valid && !dependencies.has(keyOf(valid))) dependencies.set(keyOf(valid), valid)
    if (dependencies.size > maxDependencies)
      throw new AppError('validation_error', `${name} names more than ${maxDependencies.toLocaleString('en')} packages.`)
  }
  return [...dependencies.values()]
}

/** Files that may be a list of addresses or have any format. */
const plainText = /(?:^|[/\\])[^./\\]+$|\.(?:txt|list|csv|md)$/i

const shownName = (fileName: string): string => excerpt(visibleText(fileName).split(/[/\\]/).at(-1) ?? '')

function* readOrExplain(read: ManifestReader, name: string, text: string): Generator<Named> {
  try {
    // Millions of line ends take replaceAll seconds.
    yield* read(
      text
        .replace(/^\uFEFF/, '')
        .split('\r\n')
        .join('\n'),
    )
  } catch (error) {
    throw new AppError('validation_error', `${name} cannot be read: ${excerpt(visibleText(reasonOf(error)))}`, { cause: error })
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof z.ZodError) return z.prettifyError(error).replace(/^✖ /, '').replace(/\s+/g, ' ')
  const [line = ''] = error instanceof Error ? error.message.split('\n', 1) : []
  return line
}

/** One version, not a range. */
const exactVersion = /^[=v]?(\d[\w.+-]{0,60})$/

function withVersion({ ecosystem, name, version = '' }: Exclude<Named, { repository: string }>): Dependency | undefined {
  const valid = packageName(ecosystem, name)
  return valid && { ...valid, version: exactVersion.exec(version)?.[1] }
}

const keyOf = (dependency: Dependency): string =>
  'repository' in dependency ? dependency.repository : `${dependency.ecosystem}:${dependency.name}`

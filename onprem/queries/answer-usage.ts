import { type LibraryId, libraryKey, versionKey } from '../../shared/library.ts'
import { summarizeUsage, type UsageRange } from '../../shared/usage/summarize-usage.ts'
import type { UsageAnswer } from '../../shared/usage/usage-answer.ts'
import type { Reader } from '../access/reader.ts'
import { findVisible, storedId, type VisibleLibrariesPorts } from '../store/catalog/visible-libraries.ts'
import type { UsageFigures } from '../store/counters/usage-figures.ts'

export type AnswerUsagePorts = VisibleLibrariesPorts & { usageFigures: UsageFigures; now(): Date }

/**
 * The usage of one library, one version or all libraries of the reader, with the period before. Throws library_not_found,
 * tag_not_found.
 */
export function answerUsage(
  ports: AnswerUsagePorts,
  { libraryId: requested, days }: { libraryId?: LibraryId | undefined; days: number },
  reader: Reader | undefined,
): UsageAnswer {
  const { usageFigures: figures, catalog } = ports
  const library = requested && findVisible(ports, requested)
  const libraryId = library && requested && storedId(library, requested)
  const readable = reader && new Set(catalog.libraries().map((each) => each.id.toLowerCase()))
  const id = libraryId ? versionKey(libraryId) : readable && [...readable]
  const usage = {
    libraryId: library ? library.id + (libraryId?.version === undefined ? '' : `@${libraryId.version}`) : null,
    since: figures.since(libraryId && libraryKey(libraryId)),
    days: (range: UsageRange) => figures.days(id, range),
    libraries(range: UsageRange) {
      const used = figures.libraries(range).filter(({ key }) => !readable || readable.has(key))
      const listed = new Map(used.length > 0 ? catalog.libraries().map((each) => [each.id.toLowerCase(), each]) : [])
      return used.map(({ key, ...counts }) => ({
        libraryId: listed.get(key)?.id ?? key,
        title: listed.get(key)?.title ?? key,
        ...counts,
      }))
    },
    total: figures.total(id),
    topics: { perDay: true, of: (range: UsageRange) => figures.topics(id, range) },
    countries: figures.countries(id),
  }
  return summarizeUsage(usage, ports.now(), days)
}

import type { LibraryId } from '../../shared/library.ts'
import { listOutline } from '../../shared/search/pages/list-outline.ts'
import type { PageReader } from '../../shared/search/pages/page-reader.ts'
import { readPage } from '../../shared/search/pages/read-page.ts'
import type { AnsweredRequest, RequestUsage } from '../../shared/usage/record-usage.ts'
import { topicsOf } from '../../shared/usage/topics-of.ts'
import type { Caller } from '../access/caller.ts'
import { type AnswerContextPorts, visibleVersion } from './answer-context.ts'

type AnswerPagesPorts = Omit<AnswerContextPorts, 'questions'>

/** Reads the pages of libraries that the caller may see. Each answer counts as one use. */
export function answerPages(ports: AnswerPagesPorts, caller: Caller, usage: RequestUsage | undefined): PageReader {
  let answered: Pick<AnsweredRequest, 'library' | 'version'> | undefined
  const catalog = {
    async served(id: LibraryId) {
      const { key, served } = await visibleVersion(ports, caller, id)
      answered = { library: key, version: served.version }
      return served
    },
  }
  const record = async (topics: string[]) => {
    if (answered && usage) await ports.record({ ...usage, ...answered, topics })
  }
  return {
    async outline(asked) {
      const outline = await listOutline({ ...ports, catalog }, asked)
      await record([])
      return outline
    },
    async page(asked) {
      const page = await readPage({ ...ports, catalog }, asked)
      await record(topicsOf(page.snippets))
      return page
    },
  }
}

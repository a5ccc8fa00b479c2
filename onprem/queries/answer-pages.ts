import { AppError } from '../../shared/errors.ts'
import { type LibraryId, libraryKey } from '../../shared/library.ts'
import { listOutline } from '../../shared/search/pages/list-outline.ts'
import type { PageReader } from '../../shared/search/pages/page-reader.ts'
import { readPage } from '../../shared/search/pages/read-page.ts'
import type { PagesPorts } from '../../shared/search/pages/served-pages.ts'
import type { RequestUsage } from '../../shared/usage/record-usage.ts'
import { topicsOf } from '../../shared/usage/topics-of.ts'
import type { JobStore } from '../store/jobs/job-store.ts'
import type { UsageBuffer } from '../usage/usage-buffer.ts'
import { type UnservedPorts, unservedText } from './unserved-text.ts'

type AnswerPagesPorts = PagesPorts & UnservedPorts & { jobs: Pick<JobStore, 'unserved'>; usage: Pick<UsageBuffer, 'record'> }

/** Reads the pages of libraries of this install. Each answer counts as one use. */
export function answerPages(ports: AnswerPagesPorts, usage: RequestUsage | undefined): PageReader {
  const answered: { key?: string; version?: string | undefined } = {}
  const catalog = {
    async served(id: LibraryId) {
      const unserved = ports.jobs.unserved.find(libraryKey(id))
      if (unserved) throw new AppError('library_not_found', unservedText(ports, unserved))
      const served = await ports.catalog.served(id)
      Object.assign(answered, { key: libraryKey(id), version: served.version })
      return served
    },
  }
  const record = async (topics: string[]) => {
    const { key, version } = answered
    if (key !== undefined && usage) await ports.usage.record({ ...usage, library: key, version, topics })
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

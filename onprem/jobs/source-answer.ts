import { z } from 'zod'
import { AppError } from '../../shared/errors.ts'
import type { SourceSettings } from '../../shared/indexing/indexing-catalog.ts'
import { versionsToIndex } from '../../shared/indexing/source-settings.ts'
import { type LibraryId, libraryKey, parseLibraryId, shownId } from '../../shared/library.ts'
import { findProject } from '../store/catalog/find-project.ts'
import type { ProjectCatalog } from '../store/catalog/sqlite-catalog.ts'
import type { JobStore } from '../store/jobs/job-store.ts'

const paths = z.array(z.string()).nullable()
const orDefault = 'null: the project file of the repository, else the default, decides'

export const SourceAnswer = z
  .object({
    repoUrl: z.string(),
    branch: z.string().nullable().describe('null: the default branch'),
    versions: z.array(z.string()).describe('Tags and branches that a refresh indexes in addition'),
    folders: paths.describe(`Only these paths; empty for the whole repository; ${orDefault}`),
    excludeFolders: paths.describe(`Excluded folders; ${orDefault}`),
    excludeFiles: paths.describe(`Excluded files; ${orDefault}`),
    generateDocs: z.boolean().describe('Whether a language model writes documentation if there is little of it'),
  })
  .meta({ id: 'Source' })
export type SourceAnswer = z.infer<typeof SourceAnswer>

export type SourcePorts = {
  catalog: Pick<ProjectCatalog, 'find' | 'settings' | 'versions'>
  jobs: Pick<JobStore, 'unserved'>
}

/** The repository of a library and the settings that a refresh uses. Throws library_not_found, validation_error for an imported library. */
export function sourceAnswer(ports: SourcePorts, id: LibraryId): SourceAnswer {
  const { library, repoUrl } = findSource(ports, id)
  return toAnswer(ports, library, repoUrl, ports.catalog.settings(library))
}

export function toAnswer({ catalog }: SourcePorts, library: LibraryId, repoUrl: string, settings: SourceSettings): SourceAnswer {
  const stored = new Map(catalog.versions(library).map((each) => [each.version, each]))
  const { branch = null, folders = null, excludeFolders = null, excludeFiles = null, generateDocs = false } = settings
  const versions = [...versionsToIndex({ job: { request: settings } }, stored, settings).values()]
  return { repoUrl, branch, versions, folders, excludeFolders, excludeFiles, generateDocs }
}

/** The id of the whole library, also if `id` names a version of it. */
export function findSource({ catalog, jobs }: SourcePorts, id: LibraryId): { library: LibraryId; repoUrl: string } {
  const whole = { owner: id.owner, repo: id.repo }
  const unserved = jobs.unserved.find(libraryKey(whole))
  if (unserved && !catalog.find(whole)) {
    throw new AppError(
      'library_not_found',
      `${unserved.id} has no content yet, so it has no source settings. To use other settings, add its repository again with them.`,
    )
  }
  const { id: project, imported, sourceUrl } = findProject(catalog, whole)
  if (imported) {
    throw new AppError(
      'validation_error',
      `${shownId(whole)} was imported and has no source settings. Change them where it was exported, then import it again with force.`,
    )
  }
  return { library: parseLibraryId(project), repoUrl: sourceUrl }
}

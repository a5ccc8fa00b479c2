import { AppError } from '../../../shared/errors.ts'
import { type LibraryId, shownId } from '../../../shared/library.ts'
import type { Project } from './project.ts'
import type { ProjectCatalog } from './sqlite-catalog.ts'

/** The library of an id. Throws library_not_found, and tag_not_found if it does not have the pinned version. */
export function findProject(catalog: Pick<ProjectCatalog, 'find'>, id: LibraryId): Project {
  const project = catalog.find(id)
  if (!project) throw new AppError('library_not_found', `${shownId({ owner: id.owner, repo: id.repo })} is not in this install.`)
  if (id.version !== undefined && !project.versions.includes(id.version)) {
    const available = project.versions.length > 0 ? `there are: ${project.versions.join(', ')}` : 'it has none'
    throw new AppError('tag_not_found', `${project.id} has no version "${id.version.slice(0, 100)}"; ${available}.`)
  }
  return project
}

import { type LibraryId, printLibraryId, repositoryDescription, repositoryTitle } from '../library.ts'
import { foldersThroughLinks } from '../reading/discover/folders-through-links.ts'
import { segmentsOf } from '../reading/discover/path-matcher.ts'
import { mergeSelection } from '../reading/discover/selection.ts'
import { usualAliases } from '../reading/module-aliases.ts'
import { mayInstruct } from '../screening/flag-text.ts'
import { isGenericName, isPageName } from '../text/generic-name.ts'
import { oneLine, plainDescription, plainTitle } from '../text/plain-title.ts'
import { visible } from '../text/visible-text.ts'
import type { LibraryFacts, StoredLibrary } from './indexing-catalog.ts'
import type { Fetched, JobRun } from './job-run.ts'
import type { IndexReport } from './pages/index-report.ts'

type Facts = Omit<LibraryFacts, 'settings'>
type FactsRun = Pick<JobRun, 'source'> &
  Partial<Pick<JobRun, 'repository'>> & {
    job: Pick<JobRun['job'], 'library' | 'request'>
    readers: Pick<JobRun['readers'], 'packageNames' | 'titles' | 'descriptionTitles'>
  }

/**
 * Title and description of a library are those of its owner: from the project file, else the configuration of the documentation site, else the
 * README, else the manifests, else the description at the host. Those of an API description are in its `info`. Names such as `docs` do not tell libraries apart and are ignored.
 */
export async function libraryFacts(
  run: FactsRun,
  { dir, ref, project, links, about = {} }: Fetched,
  { generated, imports }: Pick<IndexReport, 'generated' | 'imports'>,
): Promise<Facts> {
  const { job, source, readers, repository } = run
  const { library } = job
  const { folders = [] } = mergeSelection(job.request, project)
  const names = await readers.packageNames(dir)
  const paths = foldersThroughLinks(folders.map(segmentsOf), links).flatMap((named) => named.map((path) => path.join('/')))
  const isDescription = job.request.source?.kind.startsWith('openapi')
  const sources = isDescription ? await readers.descriptionTitles(dir) : [...(await readers.titles(dir, paths)), names]
  const titles = [about.title, project.projectTitle, ...sources.map(({ title }) => ownTitle(title, library))]
  const descriptions = [
    about.description,
    project.description,
    ...sources.map(({ description }) => ownDescription(description)),
    ownDescription(repository?.description),
  ]
  return visible({
    id: printLibraryId(library),
    title: oneLine(titles.find(isServed) ?? repositoryTitle(library)),
    description: oneLine(descriptions.find(isServed) ?? repositoryDescription(library)),
    branch: ref,
    sourceUrl: source.url,
    private: !source.isPublic,
    aliases: [...new Set([...names.names, ...usualAliases(imports, [...names.names, library.repo])])],
    generated: generated > 0,
  })
}

/** Lists of libraries reach agents without a warning, so they have no title or description that may instruct one. */
const isServed = (text: string | undefined): text is string => text !== undefined && !mayInstruct(text)

/** Texts of the templates of Docusaurus, VitePress, Starlight, MkDocs, Mintlify and Jekyll that an owner has not changed. */
const placeholder =
  /^(?:my (?:site|docs|awesome project|documentation)|a vitepress site|dinosaurs are cool|your awesome title|(?:mint|mintlify|starlight) starter kit.*|write an awesome description for your new site here\b.*|this website is built using docusaurus\b.*)$/i

/** A title that distinguishes this library. Undefined for the address of its repository, which may not be its name. */
function ownTitle(text: string | undefined, { owner, repo }: LibraryId): string | undefined {
  const title = plainTitle(text ?? '')?.replace(/^welcome to (?:the )?(.+?)!?$/i, '$1')
  if (title === undefined || isPageName(title) || placeholder.test(title)) return undefined
  if (isGenericName(title) && isGenericName(repo)) return undefined
  return title.toLowerCase() === `${owner}/${repo}`.toLowerCase() ? undefined : title
}

function ownDescription(text: string | undefined): string | undefined {
  const description = plainDescription(text ?? '')
  return description === undefined || placeholder.test(description) ? undefined : description
}

/** The facts of a library whose default content stays. */
export const unchangedFacts = (run: JobRun, { id, title, description, branch, aliases, generated }: StoredLibrary): Facts => ({
  id,
  title,
  description,
  branch,
  sourceUrl: run.source.url,
  private: !run.source.isPublic,
  aliases,
  generated: generated === true,
})

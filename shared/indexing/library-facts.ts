import { printLibraryId } from '../library.ts'
import { visible } from '../text/visible-text.ts'
import type { IndexReport } from './index-report.ts'
import type { LibraryFacts, StoredLibrary } from './indexing-catalog.ts'
import type { Fetched, JobRun } from './job-run.ts'

type Facts = Omit<LibraryFacts, 'settings'>

const maxTitleLength = 60
const maxDescriptionLength = 200

/** Title and description of a library: from its project file, else its manifests, else its README. */
export async function libraryFacts(
  run: JobRun,
  { dir, ref, project }: Fetched,
  { readme, generated }: IndexReport,
): Promise<Facts> {
  const { job, remote, readers } = run
  const { library } = job
  const names = await readers.packageNames(dir)
  const readmeTitle =
    readme && readme.title.length <= maxTitleLength && !/^readme$/i.test(readme.title) ? readme.title : undefined
  return visible({
    id: printLibraryId(library),
    title: project.projectTitle ?? names.title ?? readmeTitle ?? library.repo,
    description:
      project.description ??
      names.description ??
      (firstWords(readme?.lead ?? '') || `Documentation of ${library.owner}/${library.repo}`),
    branch: ref,
    sourceUrl: remote.address.webUrl,
    private: !remote.isPublic,
    aliases: names.names,
    generated: generated > 0,
  })
}

/** The facts of a library whose default content stays. */
export const unchangedFacts = (run: JobRun, { id, title, description, branch, aliases, generated }: StoredLibrary): Facts => ({
  id,
  title,
  description,
  branch,
  sourceUrl: run.remote.address.webUrl,
  private: !run.remote.isPublic,
  aliases,
  generated: generated === true,
})

/** Whether a text has a word of three letters and another word after it. */
function holdsWords(text: string): boolean {
  const at = text.search(/\p{L}{3}/u)
  return at >= 0 && / \p{L}/u.test(text.slice(at))
}

function firstWords(prose: string): string {
  const paragraph = prose.split('\n\n').find(holdsWords) ?? ''
  const plain = paragraph.replace(/\s+/g, ' ').replace(/[*_`]/g, '').trim()
  return plain.length <= maxDescriptionLength ? plain : `${plain.slice(0, maxDescriptionLength - 1).replace(/\s\S*$/, '')}…`
}

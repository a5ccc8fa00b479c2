import type { ListedLibrary } from '../search/libraries/catalog.ts'
import { matchGroups } from '../search/libraries/match-groups.ts'
import type { FoundLibraries } from '../search/libraries/search-libraries.ts'
import { oneLine } from '../text/one-line.ts'

const filterNote =
  '**Note:** A policy of this deployment hides some libraries from this answer. An administrator can change it in the dashboard, on the Policies tab of the settings.'

const unavailableNote =
  '**Note:** The hosted service did not answer in time, so only libraries of this deployment are listed. Try again later for others.'

/** The answer of resolve-library-id. Existing agents rely on its labels, above all `Context7-compatible library ID:`. */
export function librariesText({ results, searchFilterApplied, hosted }: FoundLibraries): string {
  if (results.length === 0)
    return 'No libraries found that match this name. Try another spelling, or the name of the package or repository.'
  const notes = [...(searchFilterApplied ? [filterNote] : []), ...(hosted === 'unavailable' ? [unavailableNote] : [])]
  const groups = matchGroups(results).flatMap(({ heading, libraries }) => [
    ...(heading === undefined ? [] : [heading]),
    libraries.map(libraryText).join('\n----------\n'),
  ])
  return ['Available Libraries:', ...notes, ...groups].join('\n\n')
}

function libraryText(library: ListedLibrary): string {
  const codeSnippets = library.codeSnippets ?? library.totalSnippets
  return [
    `- Title: ${oneLine(library.title)}`,
    `- Context7-compatible library ID: ${oneLine(library.id)}`,
    `- Description: ${oneLine(library.description)}`,
    ...(codeSnippets >= 0 ? [`- Code Snippets: ${codeSnippets}`] : []),
    `- Source Reputation: ${reputation(library.trustScore)}`,
    ...(library.benchmarkScore > 0 ? [`- Benchmark Score: ${library.benchmarkScore}`] : []),
    ...(library.versions.length > 0 ? [`- Versions: ${library.versions.map(oneLine).join(', ')}`] : []),
    ...(library.source === '' ? [] : [`- Source: ${oneLine(library.source)}`]),
  ].join('\n')
}

function reputation(trustScore: number): 'High' | 'Medium' | 'Low' | 'Unknown' {
  if (trustScore >= 7) return 'High'
  if (trustScore >= 4) return 'Medium'
  return trustScore >= 0 ? 'Low' : 'Unknown'
}

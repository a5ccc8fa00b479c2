import type { Snippet } from '../snippet.ts'
import { normalTopic, pageTopics } from '../text/page-topics.ts'

const maxTopics = 3

/** The topics of an answer: the first three distinct topics of its snippets. */
export function topicsOf(snippets: Iterable<Pick<Snippet, 'breadcrumb' | 'topic'>>): string[] {
  const topics = new Set<string>()
  for (const { breadcrumb, topic } of snippets) {
    const named = pageTopics(breadcrumb)
    for (const each of named.length > 0 ? named : [normalTopic(topic)]) if (each !== '') topics.add(each)
    if (topics.size >= maxTopics) break
  }
  return [...topics].slice(0, maxTopics)
}

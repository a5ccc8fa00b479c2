import type { Snippet } from '../snippet.ts'

const mostTopics = 3
const mostChars = 80

/** What an answer was about: the first three distinct topics of its snippets, in the order given. */
export function topicsOf(snippets: Iterable<Pick<Snippet, 'topic'>>): string[] {
  const topics = new Set<string>()
  for (const { topic } of snippets) {
    const normal = normalTopic(topic)
    if (normal !== '') topics.add(normal)
    if (topics.size === mostTopics) break
  }
  return [...topics]
}

function normalTopic(topic: string): string {
  const line = topic
    .slice(0, 10 * mostChars)
    .replace(/\s+/g, ' ')
    .replace(/[\p{Cc}\p{Cf}]/gu, '')
  return line.trim().toLowerCase().slice(0, mostChars).toWellFormed().trim()
}

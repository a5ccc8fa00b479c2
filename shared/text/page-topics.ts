const maxChars = 80

/** Common headings that do not describe the subject of a page. */
const generic = new Set(
  `about|advanced|advanced usage|api|api reference|arguments|basic example|basic usage|basics|changelog|code|code example|code examples|conclusion
  |contents|contributing|demo|description|details|documentation|example|example usage|examples|faq|features|functions|further reading|general
  |get started|getting started|guide|helper|helpers|how it works|how to use|how to use it|import|importing|imports|install|installation|installing
  |introduction|learn more|license|links|methods|misc|miscellaneous|more|more examples|next steps|note|notes|option|options|other|overview
  |parameters|params|prerequisites|properties|props|quick start|quickstart|readme|reference|references|related|remarks|requirements|resources
  |return value|returns|sample|samples|see also|settings|setup|start|summary|syntax|table of contents|tips|tldr|troubleshooting|tutorial|type
  |types|usage|use|utilities|utils|what is it|what s next|why`
    .split('|')
    .map((heading) => heading.trim()),
)

/** The subject of a snippet in at most two topics: the title of its page and its section. Omits a generic one if the other is specific. */
export function pageTopics([title = '', section = '']: string[]): string[] {
  const topics = [...new Set([normalTopic(title), normalTopic(section)])].filter((topic) => topic !== '')
  const specific = topics.filter((topic) => !isGeneric(topic))
  return specific.length > 0 ? specific : topics.slice(0, 1)
}

const knownTopics = new Map<string, string>()
const cacheEntries = 1000

/** A heading in lower case, without markup, numbering and invisible characters. */
export function normalTopic(heading: string): string {
  const cached = knownTopics.get(heading)
  if (cached !== undefined) return cached
  if (knownTopics.size >= cacheEntries) knownTopics.clear()
  const topic = readTopic(heading)
  knownTopics.set(heading, topic)
  return topic
}

function readTopic(heading: string): string {
  const line = heading
    .slice(0, 10 * maxChars)
    .replace(/\s+/g, ' ')
    .replace(/[`*~]|[\p{Cc}\p{Cf}]/gu, '')
    .trimStart()
    .replace(/^[\d.]{1,10}[.)] /, '')
  return line.trim().toLowerCase().slice(0, maxChars).toWellFormed().trim()
}

const isGeneric = (topic: string): boolean => generic.has(topic.replace(/[^\p{L}\p{N}]+/gu, ' ').trim())

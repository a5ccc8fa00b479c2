import { LRUCache } from 'lru-cache'
import type { Item } from '../update.ts'

/** Topics per bucket; a library has four buckets. */
export const maxTopics = 250
const bucketCount = 4
const maxKnown = 2_000
const prefix = 't:'

/**
 * The topics that an item counts, by their attributes. A cached bucket has no counts. It is correct until a topic takes the place of
 * another one, which raises `replacements`.
 */
export type Bucket = { topics: ReadonlyMap<string, number>; replacements: number; changes: number }

export type TopicBuckets = LRUCache<string, Bucket>

export const topicBuckets = (): TopicBuckets => new LRUCache({ max: maxKnown })

export const topicAttribute = (topic: string): string => prefix + topic
export const topicOf = (attribute: string): string | undefined =>
  attribute.startsWith(prefix) ? attribute.slice(prefix.length) : undefined

export function bucketOf(item: Item): Bucket {
  const topics = Object.keys(item).filter((name) => name.startsWith(prefix))
  return {
    topics: new Map(topics.map((name) => [name, Number(item[name])])),
    replacements: Number(item.replacements ?? 0),
    changes: Number(item.changes ?? 0),
  }
}

/** The bucket of a topic, which never changes: FNV-1a over its UTF-16 units. */
export function bucketNumber(topic: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < topic.length; at++) hash = Math.imul(hash ^ topic.charCodeAt(at), 0x01000193)
  return (hash >>> 16) % bucketCount
}

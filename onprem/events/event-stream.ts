import type { EventFeed, Topic } from './event-feed.ts'

export type EventStreamPorts = {
  feed: EventFeed
  /** The data of an event as JSON, at least as new as the cursor; undefined if there is no change. */
  dataOf(topic: Topic, cursor: number): string | undefined
  /** True if the caller still has access. */
  isAllowed(): Promise<boolean>
  /** Ends the stream. */
  signal: AbortSignal
  /** The stream has ended, or the client has read nothing for `maxUnreadMs`. */
  onEnd(why: 'ended' | 'unread'): void
  /** The stream ends, because a state or the access cannot be read. */
  onError(error: unknown): void
}

const commentEveryMs = 15_000
const checkEveryMs = 5_000
/** Access that was checked longer ago is checked again before an event is sent. */
const maxCheckAgeMs = 1_000
const maxUnreadMs = 60_000

/** Server-sent events for one client, written only as fast as the client reads. `lastId` is the last event that it has read. */
export function eventStream(ports: EventStreamPorts, lastId: string | undefined): ReadableStream<Uint8Array> {
  const { feed, isAllowed, onEnd, onError } = ports
  const ending = new AbortController()
  const signal = AbortSignal.any([ports.signal, ending.signal])
  const encoder = new TextEncoder()
  const lastCursor = feed.cursorAt(lastId)
  let cursor = lastCursor ?? (feed.cursorAt(undefined) as number)
  let commentAtMs = performance.now() + commentEveryMs
  let checkedAtMs = performance.now()
  let unread: NodeJS.Timeout | undefined

  const end = (why: 'ended' | 'unread') => {
    if (ending.signal.aborted) return
    ending.abort()
    clearTimeout(unread)
    onEnd(why)
  }
  if (ports.signal.aborted) end('ended')
  ports.signal.addEventListener('abort', () => end('ended'), { signal: ending.signal })

  /** The next text to send: events, else a comment. Undefined at the end of the stream. */
  const next = async (): Promise<string | undefined> => {
    while (!signal.aborted) {
      const changed = feed.since(cursor)
      const hasNews = changed.topics?.length !== 0
      const age = performance.now() - checkedAtMs
      if (age >= (hasNews ? maxCheckAgeMs : checkEveryMs)) {
        if (!(await isAllowed())) return undefined
        checkedAtMs = performance.now()
        continue
      }
      if (hasNews) {
        cursor = changed.cursor
        const text = eventsText(ports, changed.topics, cursor)
        if (text !== '') return text
        continue
      }
      const waitMs = commentAtMs - performance.now()
      if (waitMs <= 0) {
        commentAtMs = performance.now() + commentEveryMs
        return ': still open\n\n'
      }
      await feed.next(Math.max(1, Math.min(waitMs, checkEveryMs - age)), signal)
    }
    return undefined
  }
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const begin = `: open\nretry: 2000\nid: ${feed.idOf(cursor)}\n\n`
        controller.enqueue(encoder.encode(lastCursor === undefined ? begin + resetText : begin))
      },
      async pull(controller) {
        clearTimeout(unread)
        const text = await next().catch((error: unknown) => void onError(error))
        if (text === undefined) {
          end('ended')
          controller.close()
          return
        }
        controller.enqueue(encoder.encode(text))
        unread = setTimeout(() => end('unread'), maxUnreadMs).unref()
      },
      cancel: () => end('ended'),
    },
    { highWaterMark: 0 },
  )
}

const resetText = 'event: reset\ndata: {}\n\n'

/** The id is in the last event, so that a client that was cut off in between gets all of them again. */
function eventsText({ dataOf, feed }: EventStreamPorts, topics: Topic[] | undefined, cursor: number): string {
  const id = feed.idOf(cursor)
  if (topics === undefined) return `id: ${id}\n${resetText}`
  const events = topics.flatMap((topic) => {
    const data = dataOf(topic, cursor)
    return data === undefined ? [] : [`event: ${topic.event}\ndata: ${data}\n\n`]
  })
  const last = events.pop()
  return last === undefined ? '' : `${events.join('')}id: ${id}\n${last}`
}

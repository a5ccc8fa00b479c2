import { timed } from '../report.ts'
import type { ServerProcess } from './server-process.ts'

/** The milliseconds that a question takes. `search` is the expected X-Carrel-Search header. */
export function ask({ url }: Pick<ServerProcess, 'url'>, libraryId: string, query: string, search = 'text'): Promise<number> {
  return timed(async () => {
    const answer = await fetch(`${url}/api/v2/context?${new URLSearchParams({ libraryId, query })}`)
    await answer.text()
    if (answer.status !== 200 && answer.status !== 404) throw new Error(`HTTP ${answer.status}`)
    const said = answer.headers.get('x-carrel-search')
    if (answer.ok && said !== search) throw new Error(`answered by ${said} instead of ${search}`)
  })
}

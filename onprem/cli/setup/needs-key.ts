import { AppError } from '../../../shared/errors.ts'
import { type Env, explainError, explainStatus } from './explain-error.ts'
import { fetchText } from './fetch-text.ts'

const path = '/api/auth/mcp'

/** Asks a deployment whether its MCP server requires a key: the only request of setup. Throws an AppError with what to do. */
export async function needsKey(root: string, timeoutMs = 10_000, env: Env = process.env): Promise<boolean> {
  const url = root + path
  const { status, location, text } = await fetchText(url, { headers: { accept: 'application/json' }, timeoutMs }).catch(
    async (error: unknown) => {
      throw failed(`${root} ${await explainError(error, { url, timeoutMs, env })}`)
    },
  )
  if (status >= 300 && status < 400)
    throw failed(`${root} redirects${target(location, url)}. Use its final address as --base-url`)
  if (status !== 200) {
    const reason = await explainStatus(status, { url, env })
    throw failed(
      reason ? `${root} ${reason}` : `${url} returned status ${status}. Check that --base-url is the root of a Carrel server`,
    )
  }
  const enabled = readEnabled(text)
  if (enabled === undefined) throw failed(`${url} did not respond like a Carrel server. Check --base-url`)
  return enabled
}

const failed = (message: string): AppError => new AppError('not_found', `${message}. Nothing was changed.`)

function target(location: string | undefined, from: string): string {
  try {
    const { origin, pathname } = new URL(location ?? '', from)
    return ` to ${origin}${pathname.endsWith(path) ? pathname.slice(0, -path.length) : pathname}`
  } catch {
    return ''
  }
}

function readEnabled(text: string): boolean | undefined {
  try {
    const { enabled } = JSON.parse(text)
    return typeof enabled === 'boolean' ? enabled : undefined
  } catch {
    return undefined
  }
}

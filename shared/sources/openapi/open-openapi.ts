import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError } from '../../errors.ts'
import { isApiDescription, maxDescriptionBytes } from '../../reading/openapi/is-api-description.ts'
import type { OpenedSource } from '../../reading/opened-source.ts'
import { type DownloadAccess, openDownloads } from '../download.ts'
import { isOfPublicHost } from '../is-of-public-host.ts'
import type { SourceOf } from '../other-source.ts'
import { contentId, wholeSource } from '../whole-source.ts'

const timeMs = 60_000

/** Downloads an OpenAPI document into `folder`, which does not exist. Throws no_snippets_found for another text, and what a download throws. */
export async function openOpenapi(
  access: DownloadAccess,
  source: SourceOf<'openapi'>,
  folder: string,
  signal: AbortSignal,
): Promise<OpenedSource> {
  const downloads = await openDownloads(access, timeMs)
  try {
    const { status, url, body } = await downloads.get(source.url, { maxBytes: maxDescriptionBytes, timeMs, signal })
    if (status !== 200) throw refused(source.url, status)
    const name = body.toString('latin1', 0, 100).trimStart().startsWith('{') ? 'openapi.json' : 'openapi.yaml'
    await mkdir(folder)
    await writeFile(join(folder, name), body)
    if (!(await isApiDescription(join(folder, name), body.length)))
      throw new AppError('no_snippets_found', `${url} is not an OpenAPI document. Send the address of its JSON or YAML text.`)
    const about = { title: source.title, description: source.description }
    const files = [{ path: name, url: source.url, id: contentId(body) }]
    return wholeSource({ url: source.url, isPublic: isOfPublicHost(source.url), about }, folder, files)
  } finally {
    downloads.close()
  }
}

const refused = (url: string, status: number): AppError =>
  new AppError(
    status === 404 || status === 410 ? 'not_found' : 'provider_unavailable',
    `${new URL(url).host} responded with status ${status} to ${url}.`,
    { retry: status === 429 || status >= 500 ? 'limited' : 'never' },
  )

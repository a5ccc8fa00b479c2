import { UsageError } from '../../../shared/cli/usage-error.ts'
import { AppError } from '../../../shared/errors.ts'
import { confluencePlace } from '../../../shared/schemas/confluence-site.ts'
import { call } from '../api/connection.ts'
import { shownCommand } from '../api/show-commands.ts'
import type { CommandPorts } from '../api/with-connection.ts'
import { type AddOptions, crawlOptions } from './add-options.ts'
import type { AddressKind } from './source-kind.ts'

/**
 * Queues the reading of a website, an llms.txt, an API description, or a space or page of Confluence. Throws forbidden with a command if its host
 * is not allowed.
 */
export async function addAddress(
  { api }: Pick<CommandPorts, 'api'>,
  kind: Exclude<AddressKind, 'repository'>,
  url: string,
  options: AddOptions,
  allowedHosts: readonly string[],
): Promise<{ project: string; queueId: number }> {
  const { title: projectTitle, description, force = false } = options
  const about = { projectTitle, description, force }
  const { maxPages, ...crawl } = crawlOptions(options)
  const post = {
    website: () => api['parse-website'].$post({ json: { websiteUrl: url, ...about, maxPages, ...crawl } }),
    llmstxt: () => api['parse-llmstxt'].$post({ json: { llmstxtUrl: url, ...about, maxPages } }),
    openapi: () => api['parse-openapi'].$post({ json: { openApiUrl: url, ...about } }),
    confluence: () => api['parse-confluence'].$post({ json: { ...placeIn(url), ...about } }),
  }
  try {
    return await (await call<Awaited<ReturnType<(typeof post)['website']>>>(post[kind]())).json()
  } catch (error) {
    throw withCommand(error, url, allowedHosts)
  }
}

function placeIn(url: string) {
  const place = confluencePlace(url)
  if (place) return place
  throw new UsageError(
    `${url} leads to no space or page of Confluence. Name one, as in https://example.atlassian.net/wiki/spaces/DOC.`,
  )
}

const advice = / An admin can add it to the setting sources\.allowedHosts\.$/

/** Replaces the advice of the API by the command that allows the host, too. */
function withCommand(error: unknown, url: string, allowedHosts: readonly string[]): unknown {
  if (!(error instanceof AppError) || !advice.test(error.message)) return error
  const hosts = [...allowedHosts, new URL(url).host].join(',')
  const allow = `Allow it: ${shownCommand(`settings set sources.allowedHosts ${hosts}`)}`
  return new AppError('forbidden', `${error.message.replace(advice, '')} ${allow}`, { cause: error })
}

import { join } from 'node:path'
import type { OpenedSource } from '../reading/opened-source.ts'
import { openConfluence } from '../sources/confluence/open-confluence.ts'
import { openLlmstxt } from '../sources/llmstxt/open-llmstxt.ts'
import { openOpenapi } from '../sources/openapi/open-openapi.ts'
import { openUploaded } from '../sources/uploads/open-uploaded.ts'
import { openWebsite } from '../sources/website/open-website.ts'
import type { IndexJob } from './index-job.ts'
import type { IndexingPorts, JobProgress } from './job-run.ts'
import { openRepository } from './open-repository.ts'

/**
 * Asks a source what it holds now. One that is no repository is fetched as a whole, into `folder`, which belongs to the run. Throws what its
 * kind throws.
 */
export function openSource(
  ports: Omit<IndexingPorts, 'embedding' | 'llm'>,
  { library, request }: Pick<IndexJob, 'library' | 'request'>,
  { folder, progress, signal }: { folder: string; progress: JobProgress; signal: AbortSignal },
): Promise<OpenedSource> {
  const { source } = request
  if (!source) return openRepository(ports, request, progress, signal)
  progress.stage(`Reading ${new URL(source.url).host}`)
  const access = { ...ports.gitAccess, ...ports.sourceHosts }
  const into = join(folder, 'source')
  switch (source.kind) {
    case 'openapi':
      return openOpenapi(access, source, into, signal)
    case 'llmstxt':
      return openLlmstxt(access, source, { folder: into, signal })
    case 'website':
      return openWebsite(access, source, {
        folder: into,
        copies: ports.pageCopies?.(library),
        signal,
        onProgress: (message) => progress.stage(message),
      })
    case 'confluence':
      return openConfluence(access, source, {
        folder: into,
        credentialsOf: request.anonymous ? undefined : ports.confluenceCredentials,
        copies: ports.pageCopies?.(library),
        signal,
        onProgress: (message) => progress.stage(message),
      })
    case 'openapi-upload':
    case 'files':
      return openUploaded(ports.uploads, source, into)
  }
}

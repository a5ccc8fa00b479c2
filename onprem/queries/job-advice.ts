import type { ErrorCode } from '../../shared/errors.ts'
import type { Job } from '../store/jobs/job.ts'

type Advice = Partial<Record<ErrorCode, string>>

const host = 'Check the address, set a token that may read the repository in the settings of its git host, then retry.'
const provider = 'Check the key and the address of the provider in the settings, then retry.'

const ofAll: Advice = {
  invalid_api_key: provider,
  forbidden: provider,
  spending_limit_exceeded: provider,
  rate_limit_exceeded: 'Retry later, or raise the limit at the provider that the settings name.',
  data_damaged: 'Follow the advice in the error, then retry.',
  disk_full: 'Make room on the disk of DATA_DIR, then retry.',
  timeout: 'Retry; if it fails again, check the connection of this server, or omit folders in the source settings.',
}

const ofKind: Record<Job['kind'], Advice> = {
  parse: {
    access_denied: host,
    not_found: host,
    tag_not_found: 'Choose one of the names that exist: in the source settings, or by adding the repository again.',
    no_snippets_found: 'Add the repository again with the folder of its documentation, or with generated documentation.',
    library_too_large: 'Exclude folders or files in the source settings, then retry.',
    duplicate_repo: 'Add the repository again while signed in, or with a key, to replace the library.',
    validation_error: 'Add the library again with the address and options that the error names.',
  },
  import: {
    not_found: 'Import the bundle again.',
    no_snippets_found: 'Export the library again at its source, then import the new bundle.',
    library_too_large: 'Export a smaller part of the library at its source, then import the new bundle.',
    validation_error: 'Export the library again at its source, then import the new bundle.',
  },
  reindex: {
    not_found: 'Refresh the library, or import it again.',
  },
}

const shrunk =
  'Check the folders and exclusions in the source settings, or add the repository again with force to accept the new content.'
const otherwise = 'Retry; if it fails again, read the log of the job and the log of the server.'

const modelSetting = /\b(?:embedding|llm)\.(?:provider|model|baseUrl|apiKey|dimensions)\b/
const model = 'Check embedding.provider, embedding.model, embedding.baseUrl and embedding.apiKey in the settings, then retry.'

/** One sentence that says what to do about a failed job. Its error has the form `code: sentence`. */
export function jobAdvice({ kind, error, report }: Pick<Job, 'kind' | 'error' | 'report'>): string {
  const code = error?.split(':', 1)[0] as ErrorCode
  if (kind === 'parse' && code === 'no_snippets_found' && report && report.snippetsBefore > 0) return shrunk
  // No other part of a job names these settings.
  if (error !== null && modelSetting.test(error)) return model
  return ofKind[kind][code] ?? ofAll[code] ?? otherwise
}

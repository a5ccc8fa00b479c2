import type { SettingsStore } from '../../shared/store/settings-store.ts'
import { asSentence } from '../../shared/text/as-sentence.ts'
import { visibleText } from '../../shared/text/visible-text.ts'
import type { UnservedLibrary } from '../store/jobs/unserved-libraries.ts'
import { redactSecrets } from '../support/redact-secrets.ts'

const maxReasonChars = 500

export type UnservedPorts = { settings: Pick<SettingsStore, 'getSecret'> }

/** Sentences about a library without content: its progress, or the error of its first job. Only for callers that may see the library. */
export const unservedText = ({ settings }: UnservedPorts, library: UnservedLibrary): string =>
  library.state === 'error' ? failure(library, redactSecrets(settings)) : progress(library, redactSecrets(settings))

function progress({ id, kind, job }: UnservedLibrary, redact: (text: string) => string): string {
  const begin = `${id} is being ${kind === 'import' ? 'imported' : 'added'}`
  const { state, statusMessage: reason, dueAt } = job
  if (state === 'queued' && reason !== null)
    return `${begin}, but the last attempt of job ${job.id} failed: ${asSentence(shown(reason, redact))} The next attempt is at ${dueAt}.`
  return `${begin}: ${stage(kind, job)}. Try again when it is finished.`
}

function stage(kind: UnservedLibrary['kind'], { state, filesDone, filesTotal, statusMessage }: UnservedLibrary['job']): string {
  if (state === 'queued') return 'it is waiting in the queue'
  if (filesTotal > 0) return `${filesDone} of ${filesTotal} ${kind === 'import' ? 'snippets' : 'files'} are done`
  return `it is being ${kind === 'import' ? 'read' : 'fetched'}${statusMessage === null ? '' : ` (${statusMessage})`}`
}

/** The error of a job has the form `code: sentence`. */
function failure({ id, kind, job }: UnservedLibrary, redact: (text: string) => string): string {
  const message = job.error?.replace(/^[a-z_]+: /, '') ?? 'The job failed unexpectedly.'
  const [step, again] = kind === 'import' ? ['import', 'Import'] : ['add', 'Add']
  return `${id} has no content: job ${job.id} could not ${step} it. ${asSentence(shown(message, redact))} ${again} it again, or delete it.`
}

const shown = (reason: string, redact: (text: string) => string): string => visibleText(redact(reason)).slice(0, maxReasonChars)

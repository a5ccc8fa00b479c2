import type { SettingsStore } from '../../shared/store/settings-store.ts'
import { asSentence } from '../../shared/text/as-sentence.ts'
import { visibleText } from '../../shared/text/visible-text.ts'
import type { UnservedLibrary } from '../store/unserved-libraries.ts'
import { redactSecrets } from '../support/redact-secrets.ts'

const maxReasonChars = 500

export type UnservedPorts = { settings: Pick<SettingsStore, 'getSecret'> }

/** Sentences about a library without content: its progress, or the error of its first job. Only for callers that may see the library. */
export const unservedText = ({ settings }: UnservedPorts, library: UnservedLibrary): string =>
  library.state === 'error' ? failure(library, redactSecrets(settings)) : progress(library)

function progress({ id, kind, job }: UnservedLibrary): string {
  return `${id} is being ${kind === 'import' ? 'imported' : 'parsed'} for the first time: ${stage(kind, job)}. Try again when it is finished.`
}

function stage(kind: UnservedLibrary['kind'], { state, filesDone, filesTotal, statusMessage }: UnservedLibrary['job']): string {
  if (state === 'queued') return 'it is waiting in the queue'
  if (filesTotal > 0) return `${filesDone} of ${filesTotal} ${kind === 'import' ? 'snippets' : 'files'} are done`
  return `it is being ${kind === 'import' ? 'read' : 'fetched'}${statusMessage === null ? '' : ` (${statusMessage})`}`
}

/** The error of a job has the form `code: sentence`. */
function failure({ id, kind, job }: UnservedLibrary, redact: (text: string) => string): string {
  const message = job.error?.replace(/^[a-z_]+: /, '') ?? 'The job failed unexpectedly.'
  const reason = visibleText(redact(message)).slice(0, maxReasonChars)
  const [step, again] = kind === 'import' ? ['import', 'Import it again'] : ['parse', 'Parse it again']
  return `${id} has no content: its first ${step} failed. ${asSentence(reason)} ${again}, or delete it.`
}

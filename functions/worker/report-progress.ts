import { type JobProgress, readingMessage } from '../../shared/indexing/job-run.ts'
import type { Progress } from '../jobs/hosted-jobs.ts'

const maxStageLength = 200
const ignore = () => undefined

/** Collects the reports of a parse into one progress record, which `figures` returns at any time. */
export function reportProgress(report: (progress: Progress) => void): { progress: JobProgress; figures(): Progress } {
  const state: Progress = { stage: '', filesDone: 0, filesTotal: 0, snippets: 0 }
  const progress: JobProgress = {
    log: ignore,
    stage(message) {
      state.stage = message.slice(0, maxStageLength)
      report(state)
    },
    reading(version) {
      const before = state.snippets
      return {
        suspects: new Set<string>(),
        handedOut: ignore,
        handedBack: ignore,
        allRead: ignore,
        filesFound(total) {
          // The figures are sums over all versions.
          Object.assign(state, {
            filesTotal: state.filesDone + total,
            stage: readingMessage(version).slice(0, maxStageLength),
          })
          report(state)
        },
        read(snippets) {
          state.filesDone += 1
          state.snippets = before + snippets
          report(state)
        },
        indexing() {
          state.stage = 'Building indexes'
          report(state)
        },
      }
    },
  }
  return { progress, figures: () => state }
}

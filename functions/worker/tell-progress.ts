import type { JobProgress } from '../../shared/parse/job-run.ts'
import type { Progress } from '../content/hosted-job.ts'

const longestStage = 200
const ignore = () => undefined

/** What a parse reports, as one record of how far it is. */
export function tellProgress(tell: (progress: Progress) => void): JobProgress {
  const state: Progress = { stage: '', filesDone: 0, filesTotal: 0, snippets: 0 }
  return {
    say: ignore,
    stage(message) {
      state.stage = message.slice(0, longestStage)
      tell(state)
    },
    reading: () => ({
      suspects: new Set<string>(),
      handedOut: ignore,
      handedBack: ignore,
      allRead: ignore,
      found(total) {
        Object.assign(state, { filesTotal: total, filesDone: 0, stage: 'Reading files' })
        tell(state)
      },
      read(snippets) {
        state.filesDone += 1
        state.snippets = snippets
        tell(state)
      },
      indexing() {
        state.stage = 'Building indexes'
        tell(state)
      },
    }),
  }
}

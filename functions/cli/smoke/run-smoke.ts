import { AppError, type ErrorCode } from '../../../shared/errors.ts'

/** One step of the journey. `run` returns a sentence about what was seen. */
export type SmokeStep = {
  step: string
  timeoutMs: number
  /** Tells an operator where to look if the step fails. */
  advice: string
  /** No later step makes sense without it. */
  required?: true
  run(signal: AbortSignal): Promise<string>
}

/** Thrown by a step that the options leave out. */
export class LeftOut extends Error {}

export type SmokeResult = {
  step: string
  state: 'passed' | 'failed' | 'skipped'
  ms: number
  message: string
  advice?: string
}

/** Runs the steps one after another and reports each as it ends. After a failure of a required step, all others are skipped. Never throws. */
export async function runSmoke(steps: SmokeStep[], report: (result: SmokeResult) => void): Promise<SmokeResult[]> {
  const results: SmokeResult[] = []
  let missing: string | undefined
  for (const each of steps) {
    const skipped = { step: each.step, state: 'skipped', ms: 0, message: `Not run, because ${missing} failed.` } as const
    const result = missing === undefined ? await runStep(each) : skipped
    if (each.required && result.state === 'failed') missing = each.step
    results.push(result)
    report(result)
  }
  return results
}

async function runStep({ step, timeoutMs, advice, run }: SmokeStep): Promise<SmokeResult> {
  const startedAt = performance.now()
  const signal = AbortSignal.timeout(timeoutMs)
  const outcome = await run(signal).then(
    (message) => ({ state: 'passed', message }) as const,
    (error: unknown) => {
      if (error instanceof LeftOut) return { state: 'skipped', message: error.message } as const
      if (signal.aborted)
        return { state: 'failed', message: `It did not succeed within ${timeoutMs / 1000} seconds.`, advice } as const
      return { state: 'failed', message: messageOf(error), advice: adviceOn(error) ?? advice } as const
    },
  )
  return { step, ms: Math.round(performance.now() - startedAt), ...outcome }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

const adviceOn = (error: unknown): string | undefined =>
  error instanceof AppError ? adviceByCode[error.code as ErrorCode] : undefined

const adviceByCode: Partial<Record<ErrorCode, string>> = {
  invalid_api_key: 'Create a key with "hosted key create --teamspace NAME", or a license with "license issue --kind offline".',
  forbidden: 'Use the address that "sst deploy" prints as url, and the key of a teamspace.',
  rate_limit_exceeded: 'Wait, or use the key of a teamspace with a larger plan.',
}

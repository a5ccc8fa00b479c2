import { z } from 'zod'
import { AppError } from '../errors.ts'
import { embeddingAddress, llmAddress } from '../settings/ai-address.ts'
import type { AiRuntime } from './ai-runtime.ts'
import { currentEmbedder, currentLlm } from './configured-ai.ts'
import { isMalformedAnswer } from './llm-prompt.ts'
import type { AiSettings } from './model-config.ts'
import { embeddingModelOf, llmModelOf } from './models.ts'

type ModelTest = { ok: boolean; model: string | null; ms: number; error?: string }
export type ModelTests = { llm?: ModelTest; embedding?: ModelTest & { dimensions: number | null } }

/** Sends one small request to each model that the settings select, or to `only` one. Relearns the vector length of a custom endpoint. */
export async function tryModels(
  settings: AiSettings,
  runtime: AiRuntime,
  signal: AbortSignal,
  only?: keyof ModelTests,
): Promise<ModelTests> {
  const [llm, embedding] = await Promise.all([
    only === 'embedding' ? undefined : tryLlm(settings, runtime, signal),
    only === 'llm' ? undefined : tryEmbedding(settings, runtime, signal),
  ])
  return { ...(llm && { llm }), ...(embedding && { embedding }) }
}

async function tryLlm(settings: AiSettings, runtime: AiRuntime, signal: AbortSignal): Promise<ModelTest | undefined> {
  const { provider } = llmAddress(settings.get)
  if (provider === undefined) return undefined
  const model = llmModelOf(provider, settings.get('llm.model')) ?? null
  const ask = async () => currentLlm(settings, runtime)?.ask({ ...smallRequest, answer: z.looseObject({}) }, signal)
  // A model that answers in prose is connected, which is all that this tests.
  const tried = await outcome(() =>
    ask().catch((error: unknown) => (isMalformedAnswer(error) ? undefined : Promise.reject(error))),
  )
  return { model, ...tried }
}

async function tryEmbedding(settings: AiSettings, runtime: AiRuntime, signal: AbortSignal): Promise<ModelTests['embedding']> {
  const { provider } = embeddingAddress(settings.get)
  if (provider === undefined) return undefined
  const model = embeddingModelOf(provider, settings.get('embedding.model')) ?? null
  const learned = new Map<string, number>()
  let dimensions: number | null = null
  const tried = await outcome(async () => {
    const [vector] =
      (await currentEmbedder(settings, { ...runtime, knownDimensions: learned })?.embed(['Does this work?'], 'query', signal)) ??
      []
    dimensions = vector?.length ?? null
  })
  for (const [space, length] of learned) runtime.knownDimensions.set(space, length)
  return { model, dimensions, ...tried }
}

const smallRequest = { instructions: 'Answer {"ok": true}.', input: 'Does this work?', maxAnswerTokens: 100 }

async function outcome(work: () => Promise<unknown> | undefined): Promise<Pick<ModelTest, 'ok' | 'ms' | 'error'>> {
  const began = performance.now()
  const ms = () => Math.round(performance.now() - began)
  try {
    await work()
    return { ok: true, ms: ms() }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return { ok: false, ms: ms(), error: error.message }
  }
}

import { z } from 'zod'
import { AppError } from '../errors.ts'
import { llmAddress } from '../settings/ai-address.ts'
import type { AiRuntime } from './ai-runtime.ts'
import { currentEmbedder, currentLlm } from './configured-ai.ts'
import { embeddingChoice } from './embedding-choice.ts'
import { isMalformedAnswer } from './llm-prompt.ts'
import type { AiSettings } from './model-config.ts'
import { embeddingModelOf, llmModelOf } from './models.ts'

type ModelTest = { ok: boolean; model: string | null; ms: number; error?: string }
export type ModelTests = { llm?: ModelTest; rerank?: ModelTest; embedding?: ModelTest & { dimensions: number | null } }

/**
 * Sends one small request to each model that the settings select, or to `only` one. Relearns the vector length of a custom endpoint. `rerank`
 * is a local model: a language model that reranks is tested as `llm`.
 */
export async function tryModels(
  settings: AiSettings,
  runtime: AiRuntime,
  signal: AbortSignal,
  only?: keyof ModelTests,
): Promise<ModelTests> {
  const wants = (model: keyof ModelTests) => only === undefined || only === model
  const [llm, rerank, embedding] = await Promise.all([
    wants('llm') ? tryLlm(settings, runtime, signal) : undefined,
    wants('rerank') ? tryReranking(settings, runtime, signal) : undefined,
    wants('embedding') ? tryEmbedding(settings, runtime, signal) : undefined,
  ])
  return { ...(llm && { llm }), ...(rerank && { rerank }), ...(embedding && { embedding }) }
}

async function tryLlm(settings: AiSettings, runtime: AiRuntime, signal: AbortSignal): Promise<ModelTest | undefined> {
  const { provider, region } = llmAddress(settings.get)
  if (provider === undefined) return undefined
  const model = llmModelOf({ provider, region }, settings.get('llm.model')) ?? null
  const ask = async () => currentLlm(settings, runtime)?.ask({ ...smallRequest, answer: z.looseObject({}) }, signal)
  // A model that answers in prose is connected, which is all that this tests.
  const tried = await outcome(() =>
    ask().catch((error: unknown) => (isMalformedAnswer(error) ? undefined : Promise.reject(error))),
  )
  return { model, ...tried }
}

async function tryReranking(settings: AiSettings, { local }: AiRuntime, signal: AbortSignal): Promise<ModelTest | undefined> {
  if (settings.get('llm.rerank') !== 'local') return undefined
  const model = settings.get('llm.rerankModel')
  const tried = await outcome(async () => {
    if (model === undefined) throw new AppError('validation_error', 'Reranking by a local model needs llm.rerankModel. Set it.')
    await local.score(local.find(model, 'reranking'), 'Does this work?', ['Yes.'], signal)
  })
  return { model: model ?? null, ...tried }
}

async function tryEmbedding(settings: AiSettings, runtime: AiRuntime, signal: AbortSignal): Promise<ModelTests['embedding']> {
  const choice = embeddingChoice(settings, runtime.local)
  if (choice.state !== 'active') return undefined
  const model = embeddingModelOf(choice.provider, choice.model) ?? null
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

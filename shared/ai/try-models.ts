import { z } from 'zod'
import { AppError } from '../errors.ts'
import { embeddingAddress, llmAddress } from '../settings/ai-address.ts'
import type { AiRim } from './adapters.ts'
import { isInOtherForm } from './llm-prompt.ts'
import { embeddingModelOf, llmModelOf } from './models.ts'
import { embedderNow, llmNow } from './providers.ts'
import type { AiSettings } from './setups.ts'

type Tried = { ok: boolean; model: string | null; ms: number; error?: string }
export type TriedModels = { llm?: Tried; embedding?: Tried & { dimensions: number | null } }

/** Asks each model that the settings name for something small, once. What a custom endpoint's vectors are like is learnt anew. */
export async function tryModels(settings: AiSettings, rim: AiRim, signal: AbortSignal): Promise<TriedModels> {
  const [llm, embedding] = await Promise.all([tryLlm(settings, rim, signal), tryEmbedding(settings, rim, signal)])
  return { ...(llm && { llm }), ...(embedding && { embedding }) }
}

async function tryLlm(settings: AiSettings, rim: AiRim, signal: AbortSignal): Promise<Tried | undefined> {
  const { provider } = llmAddress(settings.get)
  if (provider === undefined) return undefined
  const model = llmModelOf(provider, settings.get('llm.model')) ?? null
  const ask = async () => llmNow(settings, rim)?.ask({ ...smallRequest, answer: z.looseObject({}) }, signal)
  // A model that answers in prose is connected, which is what is tried.
  const tried = await outcome(() => ask().catch((error: unknown) => (isInOtherForm(error) ? undefined : Promise.reject(error))))
  return { model, ...tried }
}

async function tryEmbedding(settings: AiSettings, rim: AiRim, signal: AbortSignal): Promise<TriedModels['embedding']> {
  const { provider } = embeddingAddress(settings.get)
  if (provider === undefined) return undefined
  const model = embeddingModelOf(provider, settings.get('embedding.model')) ?? null
  const learnt = new Map<string, number>()
  let dimensions: number | null = null
  const tried = await outcome(async () => {
    const [vector] = (await embedderNow(settings, { ...rim, learnt })?.embed(['Does this work?'], 'query', signal)) ?? []
    dimensions = vector?.length ?? null
  })
  for (const [space, length] of learnt) rim.learnt.set(space, length)
  return { model, dimensions, ...tried }
}

const smallRequest = { instructions: 'Answer {"ok": true}.', input: 'Does this work?', maxAnswerTokens: 100 }

async function outcome(work: () => Promise<unknown> | undefined): Promise<Pick<Tried, 'ok' | 'ms' | 'error'>> {
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

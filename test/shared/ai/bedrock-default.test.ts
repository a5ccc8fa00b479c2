import { afterEach, describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { aiRuntime } from '../../../shared/ai/ai-runtime.ts'
import { localModels } from '../../../shared/ai/local/local-models.ts'
import { tryModels } from '../../../shared/ai/try-models.ts'
import { aiWith } from '../../fixtures/providers/ai-of.ts'
import { type BedrockOptions, startBedrock } from '../../fixtures/providers/bedrock.ts'
import type { ProviderServer } from '../../fixtures/providers/provider-server.ts'
import { tempDir } from '../../fixtures/temp-dir.ts'

const key = 'key-0123456789abcdef'
const haiku = 'anthropic.claude-haiku-4-5-20251001-v1:0'
let provider: ProviderServer | undefined
afterEach(async () => {
  vi.unstubAllEnvs()
  await provider?.close()
})

/** The result of the settings test with Bedrock in a region. */
async function testedIn(region: string, options: BedrockOptions = {}, more: Record<string, unknown> = {}) {
  provider = await startBedrock({ key, region, answer: () => '{"ok": true}', ...options })
  const bedrock = { 'llm.provider': 'bedrock', 'llm.apiKey': key, 'aws.region': region, 'llm.baseUrl': provider.url }
  const { settings } = aiWith({ ...bedrock, ...more })
  const runtime = aiRuntime({ env: {} }, localModels({ modelsDir: tempDir() }))
  const { llm } = await tryModels(settings, runtime, new AbortController().signal, 'llm')
  return llm
}

describe('Bedrock without a model', () => {
  test.each([
    ['us-west-2', `us.${haiku}`],
    ['eu-central-1', `eu.${haiku}`],
    ['ap-northeast-1', `jp.${haiku}`],
    ['ap-southeast-2', `au.${haiku}`],
  ])('uses the inference profile $1 in $0', async (region, model) => {
    expect(await testedIn(region, { profiles: [model] })).toMatchObject({ ok: true, model })
  })

  test('names the profiles that the account offers, Claude first, in a region without a default', async () => {
    const llm = await testedIn('sa-east-1', { profiles: ['amazon.nova-lite-v1:0', `global.${haiku}`] })
    expect(llm).toMatchObject({ ok: false, model: haiku })
    expect(llm?.error).toMatch(
      new RegExp(`has no model "${haiku}" here .*The account offers global.${haiku}, amazon.nova-lite-v1:0\\.$`),
    )
    expect(provider?.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
      `POST /model/${encodeURIComponent(haiku)}/converse`,
      'GET /inference-profiles?maxResults=1000',
    ])
  })

  test('lists the profiles with the credentials of the machine', async () => {
    const credentials = { accessKeyId: 'AKIDTEST', secretAccessKey: 'secret-0123456789', sessionToken: 'session-0123' }
    vi.stubEnv('AWS_ACCESS_KEY_ID', credentials.accessKeyId)
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', credentials.secretAccessKey)
    vi.stubEnv('AWS_SESSION_TOKEN', credentials.sessionToken)
    const llm = await testedIn('sa-east-1', { profiles: [`global.${haiku}`], credentials }, { 'llm.apiKey': null })
    expect(llm?.error).toContain(`The account offers global.${haiku}.`)
  })

  test('names the permission that the list of profiles needs', async () => {
    const llm = await testedIn('sa-east-1', { profiles: [], denied: ['bedrock:ListInferenceProfiles'] })
    expect(llm?.error).toMatch(/To see here what the account offers, allow bedrock:ListInferenceProfiles\.$/)
  })

  test('lists the profiles without a restart once the permission exists', async () => {
    const denied = ['bedrock:ListInferenceProfiles']
    provider = await startBedrock({ key, region: 'sa-east-1', profiles: [`global.${haiku}`], denied })
    const bedrock = { 'llm.provider': 'bedrock', 'llm.apiKey': key, 'aws.region': 'sa-east-1', 'llm.baseUrl': provider.url }
    const { ai } = aiWith(bedrock)
    const ask = async () => await ai.llm()?.ask({ instructions: 'x', input: 'y', answer: z.looseObject({}), maxAnswerTokens: 10 })
    await expect(ask()).rejects.toThrow('allow bedrock:ListInferenceProfiles')
    denied.pop()
    await expect(ask()).rejects.toThrow(`The account offers global.${haiku}.`)
  })

  test('needs a region', async () => {
    const llm = await testedIn('eu-central-1', {}, { 'aws.region': null })
    expect(llm).toMatchObject({ ok: false, model: null, error: 'The provider bedrock needs aws.region. Set it.' })
  })
})

test('the settings test names the permission that the credentials of Bedrock lack', async () => {
  const llm = await testedIn('eu-central-1', { denied: ['bedrock:InvokeModel'] })
  expect(llm).toMatchObject({ ok: false, model: `eu.${haiku}` })
  expect(llm?.error).toMatch(
    /^Bedrock rejected the key or its permissions \(403\): User: .*\. Allow bedrock:InvokeModel on the model and on its inference profile\.$/,
  )
})

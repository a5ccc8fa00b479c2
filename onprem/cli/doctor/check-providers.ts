import { join } from 'node:path'
import { aiRuntime } from '../../../shared/ai/ai-runtime.ts'
import { describeDefault, describeEmbedding } from '../../../shared/ai/embedding-choice.ts'
import { localModels } from '../../../shared/ai/local/local-models.ts'
import { type ModelTests, tryModels } from '../../../shared/ai/try-models.ts'
import { readNetwork } from '../../../shared/settings/read-network.ts'
import { secretBox } from '../../../shared/settings/secret-box.ts'
import { withDatabaseForReading } from '../../../shared/store/database.ts'
import { sqliteSettings } from '../../../shared/store/settings-store.ts'
import { runtimeDirOf } from '../../models/fetch-runtime.ts'
import { call } from '../api/connection.ts'
import { type DoctorPorts, type Finding, ok, problem } from './finding.ts'

const maxMs = 10_000

type Checked = { tests: ModelTests; embedding: string }

/** Sends one small request to each configured provider: from the running server if there is one, because it may have another environment. */
export async function checkProviders(ports: DoctorPorts): Promise<Finding[]> {
  const signal = AbortSignal.timeout(maxMs)
  const checked = await check(ports, signal).catch((error: unknown) => {
    if (signal.aborted) return undefined
    throw error
  })
  if (checked === undefined) return [problem(`A model provider did not respond within ${maxMs / 1000} s.`, advice)]
  const { llm, rerank, embedding } = checked.tests
  return [
    ...(llm ? [judge('The language model', llm)] : []),
    ...(rerank ? [judge('The reranking model', rerank)] : []),
    ...(embedding ? [judge('The embedding model', embedding)] : []),
    ok(checked.embedding),
  ]
}

const advice = 'Check the settings llm.* and embedding.*, and that this machine reaches the provider.'

async function check({ install, env, server, hasDatabase }: DoctorPorts, signal: AbortSignal): Promise<Checked> {
  if (server) {
    const headers = { 'content-type': 'application/json' }
    const tested = await call(server.send('/api/settings/test', { method: 'POST', body: '{}', headers, signal }))
    const setup = (await (await call(server.send('/api/setup', { signal }))).json()) as { embedding: { sentence: string } }
    return { tests: (await tested.json()) as ModelTests, embedding: setup.embedding.sentence }
  }
  if (!hasDatabase) return { tests: {}, embedding: describeEmbedding({ state: 'none' }) }
  const { dataDirPath } = install
  const runtime = aiRuntime(
    readNetwork(env),
    localModels({ modelsDir: join(dataDirPath, 'models'), runtimeDir: runtimeDirOf(dataDirPath) }),
  )
  return withDatabaseForReading(dataDirPath, async (db) => {
    const settings = sqliteSettings(db, secretBox(dataDirPath))
    const embedding = describeDefault(settings, runtime.local)
    return { tests: await tryModels(settings, runtime, signal), embedding }
  })
}

const judge = (name: string, { ok: works, model, ms, error }: NonNullable<ModelTests['llm']>): Finding =>
  works ? ok(`${name} ${model ?? ''} responded in ${ms} ms.`) : problem(`${name} ${model ?? ''} failed: ${error}`, advice)

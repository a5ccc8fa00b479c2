import { join } from 'node:path'
import { aiRuntime } from '../../../shared/ai/ai-runtime.ts'
import { localModels } from '../../../shared/ai/local/local-models.ts'
import { type ModelTests, tryModels } from '../../../shared/ai/try-models.ts'
import { secretBox } from '../../../shared/settings/secret-box.ts'
import { withDatabaseForReading } from '../../../shared/store/database.ts'
import { sqliteSettings } from '../../../shared/store/settings-store.ts'
import { call } from '../api/connection.ts'
import { type DoctorPorts, type Finding, ok, problem } from './finding.ts'

const maxMs = 10_000

/** Sends one small request to each configured provider: from the running server if there is one, because it may have another environment. */
export async function checkProviders(ports: DoctorPorts): Promise<Finding[]> {
  const signal = AbortSignal.timeout(maxMs)
  const tested = await test(ports, signal).catch((error: unknown) => {
    if (signal.aborted) return undefined
    throw error
  })
  if (tested === undefined) return [problem(`A model provider did not respond within ${maxMs / 1000} s.`, advice)]
  const findings = [
    ...(tested.llm ? [judge('The language model', tested.llm)] : []),
    ...(tested.rerank ? [judge('The reranking model', tested.rerank)] : []),
    ...(tested.embedding ? [judge('The embedding model', tested.embedding)] : []),
  ]
  return findings.length > 0 ? findings : [ok('No model provider is set; search works without one.')]
}

const advice = 'Check the settings llm.* and embedding.*, and that this machine reaches the provider.'

async function test({ install, env, server, hasDatabase }: DoctorPorts, signal: AbortSignal): Promise<ModelTests> {
  if (server) {
    const headers = { 'content-type': 'application/json' }
    const answer = await call(server.send('/api/settings/test', { method: 'POST', body: '{}', headers, signal }))
    return (await answer.json()) as ModelTests
  }
  if (!hasDatabase) return {}
  const { dataDirPath } = install
  const network = { env, ...(env.NODE_EXTRA_CA_CERTS && { caFile: env.NODE_EXTRA_CA_CERTS }) }
  const runtime = aiRuntime(network, localModels({ modelsDir: join(dataDirPath, 'models') }))
  return withDatabaseForReading(dataDirPath, (db) => tryModels(sqliteSettings(db, secretBox(dataDirPath)), runtime, signal))
}

const judge = (name: string, { ok: works, model, ms, error }: NonNullable<ModelTests['llm']>): Finding =>
  works ? ok(`${name} ${model ?? ''} responded in ${ms} ms.`) : problem(`${name} ${model ?? ''} failed: ${error}`, advice)

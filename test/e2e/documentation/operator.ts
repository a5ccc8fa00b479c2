import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { GitServer } from '../../fixtures/git-server.ts'
import { hostedDir, startHosted } from '../../fixtures/hosted-process.ts'
import { usageEvent } from '../../fixtures/usage.ts'
import { runInShell, type Session } from './shell-session.ts'

/** A repository of Carrel and a running stage that have what the runbook names. The commands of AWS have written their files. */
const setUp = (gitUrl: string): string[] => [
  'git init --quiet',
  'git -c user.name=Mia -c user.email=mia@example.com commit --quiet --allow-empty --message first',
  'git tag v0.9.0',
  'carrel hosted teamspace create acme',
  'carrel hosted key create --teamspace acme',
  `carrel hosted add ${gitUrl}/owner/repo`,
]

/** The operator of a stage. Ends with the test. */
export async function operatorOf(git: GitServer, folder: string): Promise<Session> {
  await git.create('owner/repo', { files: { 'README.md': '# Repo\n\nWords.\n' } })
  const dataDir = hostedDir(git.url)
  await startHosted(dataDir)
  symlinkSync(dataDir, join(folder, 'data-hosted'))
  const session = { folder, env: {} }
  await runInShell(setUp(git.url), session)
  mkdirSync(join(folder, 'failed-usage'))
  writeFileSync(join(folder, 'failed-usage/batch.json'), failedBatch())
  writeFileSync(join(folder, 'off-stream.log'), `${offStream()}\n`)
  return session
}

const event = () => usageEvent({ library: '/owner/repo' })

/** A batch of Kinesis that Lambda has given up, as it writes it into the bucket. */
const failedBatch = (): string => {
  const data = Buffer.from(JSON.stringify(event())).toString('base64')
  const payload = JSON.stringify({ Records: [{ kinesis: { data } }] })
  return JSON.stringify({ version: '1.0', KinesisBatchInfo: {}, payload })
}

const offStream = (): string =>
  JSON.stringify({ level: 50, msg: 'usage event not on the stream', uncertain: false, event: event() })

import { existsSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { PutCommand } from '@aws-sdk/lib-dynamodb'
import { expect, onTestFinished, test } from 'vitest'
import { readItem } from '../../../functions/dynamo/read-items.ts'
import { forgetExpired } from '../../../functions/local/forget-expired.ts'
import { type LocalSchedulePorts, runSchedule } from '../../../functions/local/run-schedule.ts'
import { testDynamo } from '../../fixtures/dynamo.ts'
import { tempDir } from '../../fixtures/temp-dir.ts'
import { until } from '../../fixtures/until.ts'

const at = new Date('2026-11-22T12:00:00.000Z')
const now = () => at
const never = new AbortController().signal

test('exports are deleted after 30 days, bundles and uploads after 7, drafts and started uploads after one, and the snapshot of the catalog never', async () => {
  const table = await testDynamo()
  const objectsDir = tempDir()
  const write = (name: string, ageDays: number) => {
    const path = join(objectsDir, name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, 'words')
    utimesSync(path, at, new Date(at.getTime() - ageDays * 86_400_000))
    return path
  }
  const old = [
    write('exports/a.json', 31),
    write('bundles/a.zip', 8),
    write('uploads/a/1', 8),
    write('uploads/started/team/a/file', 2),
    write('.unfinished/a', 2),
  ]
  const kept = [
    write('exports/b.json', 29),
    write('bundles/b.zip', 6),
    write('uploads/b/1', 6),
    write('uploads/started/team/b/file', 0.5),
    write('.unfinished/b', 0.5),
    write('catalog/a.gz', 400),
  ]
  await forgetExpired({ table, objectsDir, now }, never)
  expect([old.map(existsSync), kept.map(existsSync)]).toEqual([old.map(() => false), kept.map(() => true)])
})

test('expired items of every kind are deleted, and all others stay', async () => {
  const table = await testDynamo()
  const nowS = at.getTime() / 1000
  const put = (pk: string, more: object) =>
    table.db.send(new PutCommand({ TableName: table.name, Item: { pk, sk: 'X', ...more } }))
  for (let n = 0; n < 600; n++) await put(`OLD#${n}`, { expiresAt: nowS - 1 })
  await put('LATER', { expiresAt: nowS + 1 })
  await put('EVER', {})
  await forgetExpired({ table, objectsDir: tempDir(), now }, never)
  const left = await Promise.all(['OLD#0', 'OLD#599', 'LATER', 'EVER'].map((pk) => readItem(table, { pk, sk: 'X' })))
  expect(left.map((item) => item?.pk)).toEqual([undefined, undefined, 'LATER', 'EVER'])
})

test('the schedule of a server deletes, that of a short command does not, and a failure does not stop it', async () => {
  let forgotten = 0
  const failures: string[] = []
  const fails = () => Promise.reject(new Error('not in this test'))
  const ports = {
    salts: { makeAhead: fails, forgetOld: fails },
    jobs: { active: fails },
    snippets: { drop: fails },
    catalog: { deletable: fails, snapshots: { current: fails } },
    log: { error: (_: unknown, message: string) => void failures.push(message), warn: () => undefined, info: () => undefined },
    now,
    retiredMs: 0,
    forgetExpired: async () => {
      forgotten += 1
      throw new Error('the disk is gone')
    },
  } as unknown as LocalSchedulePorts
  const running = runSchedule(ports, { roundMs: 1 })
  onTestFinished(() => running.stop())
  await until(() => forgotten === 2)
  const rounds = failures.filter((message) => message === 'a scheduled task failed').length / 5
  expect(rounds).toBeGreaterThan(60)
  expect(failures).toContain('expired objects and items could not be deleted')
  forgotten = 0
  await runSchedule(ports).stop()
  expect(forgotten).toBe(0)
})

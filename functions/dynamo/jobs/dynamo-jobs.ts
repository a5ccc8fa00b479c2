import { randomBytes } from 'node:crypto'
import { DeleteCommand, PutCommand } from '@aws-sdk/lib-dynamodb'
import { AppError } from '../../../shared/errors.ts'
import { type ClaimedJob, type HostedJob, type HostedJobs, maxLeaseMs, type Progress } from '../../jobs/hosted-jobs.ts'
import { readItem } from '../read-items.ts'
import { allItems, type Table, tryWrite } from '../table.ts'
import { type Condition, type Update, update } from '../update.ts'
import { fromJobItem, jobItem, shortReport } from './job-item.ts'

type DynamoJobsPorts = { table: Table; now(): Date; leaseMs?: number }

const defaultLeaseMs = 60_000
const pk = 'JOBS'
const noProgress: Progress = { stage: '', filesDone: 0, filesTotal: 0, snippets: 0 }

/** The unfinished jobs. The item of a library is the lock that allows only one job at a time. */
export function dynamoJobs({ table, now, leaseMs = defaultLeaseMs }: DynamoJobsPorts): HostedJobs {
  const { db, name: TableName } = table
  const time = () => now().toISOString()
  const lease = () => new Date(now().getTime() + leaseMs).toISOString()
  const find = async (key: string) => {
    const item = await readItem(table, { pk, sk: key })
    return item && fromJobItem(item)
  }
  const change = async (key: string, set: Record<string, unknown>, more: Omit<Update, 'set'>) => {
    const item = await update(table, { pk, sk: key }, { ...more, set: new Map(Object.entries(set)) })
    return item && fromJobItem(item)
  }
  const isOwned = ({ id, owner }: ClaimedJob): Condition[] => [
    { name: 'id', is: '=', value: id },
    { name: 'owner', is: '=', value: owner },
  ]
  const start = (owner: string) => ({ owner, state: 'running', leaseUntil: lease(), progress: JSON.stringify(noProgress) })
  const interrupted = (key: string, set: Record<string, unknown>, conditions: Condition[]) => {
    const add = new Map([['interruptions', 1]])
    return change(key, set, { add, conditions: [{ name: 'state', is: '=', value: 'running' }, ...conditions] })
  }

  return {
    find,
    enqueue: async function enqueue({ key, project, request, requestId }): Promise<HostedJob> {
      const at = time()
      const times = { createdAt: at, dueAt: at, sentAt: at }
      const id = randomBytes(8).toString('hex')
      const counts = { attempts: 0, interruptions: 0 }
      const job: HostedJob = {
        id,
        key,
        project,
        request,
        ...(requestId !== undefined && { requestId }),
        state: 'queued',
        ...counts,
        ...times,
        progress: noProgress,
        report: null,
      }
      const made = new PutCommand({
        TableName,
        Item: { pk, sk: key, ...jobItem(job) },
        ConditionExpression: 'attribute_not_exists(pk)',
      })
      if (await tryWrite(db.send(made))) return job
      const existing = await find(key)
      if (!existing) return enqueue({ key, project, request, requestId })
      if (existing.id === id) return existing
      const status = existing.state === 'running' ? 'being read' : 'waiting to be read'
      throw new AppError('job_active', `${existing.project} is already ${status}. Try again when that is done.`, {
        fields: { project: existing.project, status: existing.state },
      })
    },
    active: () => activeJobs(table),
    async claim(key, owner) {
      const queued: Condition[] = [{ name: 'state', is: '=', value: 'queued' }]
      const lapsed: Condition[] = [{ name: 'leaseUntil', is: '<', value: time() }]
      const tooLong: Condition[] = [{ name: 'leaseUntil', is: '>=', value: new Date(now().getTime() + maxLeaseMs).toISOString() }]
      const claimed =
        (await change(key, start(owner), { add: new Map([['attempts', 1]]), conditions: queued })) ??
        (await interrupted(key, { ...start(owner), attempts: 1 }, lapsed)) ??
        (await interrupted(key, { ...start(owner), attempts: 1 }, tooLong)) ??
        // The write may have succeeded although its response was lost.
        (await find(key))
      return claimed?.owner === owner ? { ...claimed, owner } : undefined
    },
    async renew(job, progress) {
      const set = { leaseUntil: lease(), ...(progress ? { progress: JSON.stringify(progress) } : {}) }
      return (await change(job.key, set, { conditions: isOwned(job) })) !== undefined
    },
    async requeue(job, { dueAt, attemptCounts, report }) {
      const due = dueAt.toISOString()
      const attempts = attemptCounts ? job.attempts : job.attempts - 1
      const set = { state: 'queued', dueAt: due, sentAt: due, attempts }
      const reported = report ? { report: JSON.stringify(shortReport(report)) } : {}
      const remove = ['owner', 'leaseUntil']
      return (await change(job.key, { ...set, ...reported }, { remove, conditions: isOwned(job) })) !== undefined
    },
    async finish({ key, id, owner }) {
      const Key = { pk, sk: key }
      const condition = {
        ConditionExpression: '#id = :id AND #owner = :owner',
        ExpressionAttributeNames: { '#id': 'id', '#owner': 'owner' },
        ExpressionAttributeValues: { ':id': id, ':owner': owner },
      }
      await tryWrite(db.send(new DeleteCommand({ TableName, Key, ...condition })))
    },
    async resend({ key, id, sentAt }) {
      const conditions: Condition[] = [
        { name: 'id', is: '=', value: id },
        { name: 'sentAt', is: '=', value: sentAt },
      ]
      return (await change(key, { sentAt: time() }, { conditions })) !== undefined
    },
    async recover() {
      const running = (await activeJobs(table)).filter(({ state }) => state === 'running')
      for (const { key, createdAt } of running) {
        const set = { state: 'queued', attempts: 0, dueAt: createdAt }
        const add = new Map([['interruptions', 1]])
        const conditions: Condition[] = [{ name: 'state', is: '=', value: 'running' }]
        await change(key, set, { add, remove: ['owner', 'leaseUntil'], conditions })
      }
      return running.length
    },
  }
}

export const activeJobs = async (table: Table): Promise<HostedJob[]> => (await allItems(table, pk)).map(fromJobItem)

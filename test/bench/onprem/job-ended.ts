import { setTimeout as sleep } from 'node:timers/promises'
import type { Job } from '../../../onprem/store/jobs/job.ts'
import type { ServerProcess } from './server-process.ts'

/** Waits until a job is done. Throws its error if it fails. */
export async function jobEnded({ url }: Pick<ServerProcess, 'url'>, key: string, id: number): Promise<Job> {
  for (;;) {
    const answer = await fetch(`${url}/api/jobs/${id}`, { headers: { authorization: `Bearer ${key}` } })
    const job = (await answer.json()) as Job
    if (job.state === 'done') return job
    if (job.state === 'failed' || job.state === 'cancelled') throw new Error(job.error ?? job.state)
    await sleep(20)
  }
}

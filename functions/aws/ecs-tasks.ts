import { type ECSClient, RunTaskCommand, type RunTaskCommandOutput } from '@aws-sdk/client-ecs'
import { z } from 'zod'
import { NoCapacity } from '../worker/start-workers.ts'

/** The task definition and network of workers, from the stack. */
export const WorkerTask = z.object({
  cluster: z.string(),
  taskDefinition: z.string(),
  containers: z.array(z.string()).min(1),
  subnets: z.array(z.string()).min(1),
  securityGroups: z.array(z.string()),
  assignPublicIp: z.boolean(),
})
export type WorkerTask = z.infer<typeof WorkerTask>

/** Spot costs a third of the regular price. AWS stops such a task with a notice of two minutes, in which the worker queues its job again. */
const capacityProviders = ['FARGATE_SPOT', 'FARGATE'] as const

/**
 * Returns a function that starts a worker for the job of a library, on Spot capacity if there is any. Throws NoCapacity if there is none at
 * all or a quota is reached, and another error if AWS rejects the task.
 */
export function ecsTasks({ client, where }: { client: ECSClient; where: WorkerTask }): (key: string) => Promise<void> {
  const { cluster, taskDefinition, subnets, securityGroups } = where
  const assignPublicIp = where.assignPublicIp ? 'ENABLED' : 'DISABLED'
  const run = (key: string, capacityProvider: string) => {
    const environment = [{ name: 'JOB_KEY', value: key }]
    return client.send(
      new RunTaskCommand({
        cluster,
        taskDefinition,
        capacityProviderStrategy: [{ capacityProvider, weight: 1 }],
        count: 1,
        networkConfiguration: { awsvpcConfiguration: { subnets, securityGroups, assignPublicIp } },
        overrides: { containerOverrides: where.containers.map((name) => ({ name, environment })) },
      }),
    )
  }
  return async (key) => {
    let reason = ''
    for (const provider of capacityProviders) {
      const started = await run(key, provider).catch(noCapacityReason)
      if (typeof started !== 'string' && (started.tasks ?? []).length > 0) return
      reason = typeof started === 'string' ? started : failureOf(started)
      if (!isCapacity(reason)) throw new Error(`No worker was started: ${reason}.`)
    }
    throw new NoCapacity(`No worker was started: ${reason}.`)
  }
}

const failureOf = ({ failures = [] }: RunTaskCommandOutput): string => failures[0]?.reason ?? 'AWS gave no reason'

const isCapacity = (text: string): boolean => /^RESOURCE:|capacity|limit|quota|throttl/i.test(text)

/** The text of an error about capacity or a quota. Other errors are thrown again. */
function noCapacityReason(error: unknown): string {
  const text = error instanceof Error ? `${error.name}: ${error.message}` : ''
  if (isCapacity(text)) return text
  throw error
}

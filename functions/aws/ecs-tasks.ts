import { type ECSClient, RunTaskCommand } from '@aws-sdk/client-ecs'
import { z } from 'zod'

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

/** Returns a function that starts a worker for the job of a library. Throws if AWS has no capacity or rejects the task. */
export function ecsTasks({ client, where }: { client: ECSClient; where: WorkerTask }): (key: string) => Promise<void> {
  const { cluster, taskDefinition, subnets, securityGroups } = where
  const assignPublicIp = where.assignPublicIp ? 'ENABLED' : 'DISABLED'
  return async (key) => {
    const environment = [{ name: 'JOB_KEY', value: key }]
    const { failures = [], tasks = [] } = await client.send(
      new RunTaskCommand({
        cluster,
        taskDefinition,
        launchType: 'FARGATE',
        count: 1,
        networkConfiguration: { awsvpcConfiguration: { subnets, securityGroups, assignPublicIp } },
        overrides: { containerOverrides: where.containers.map((name) => ({ name, environment })) },
      }),
    )
    if (tasks.length === 0) throw new Error(`No worker was started: ${failures[0]?.reason ?? 'AWS gave no reason'}.`)
  }
}

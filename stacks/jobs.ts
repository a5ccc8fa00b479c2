/** Jobs whose worker could not be started; a person must check them. */
export const deadJobs = new sst.aws.Queue('DeadJobs', {
  transform: { queue: { messageRetentionSeconds: 14 * 24 * 3600, sqsManagedSseEnabled: true } },
})

/** One message per job that waits for a worker. While it is processed, it is hidden for six times the timeout of the starter. */
export const jobs = new sst.aws.Queue('Jobs', {
  visibilityTimeout: '3 minutes',
  dlq: { queue: deadJobs.arn, retry: 5 },
  transform: { queue: { sqsManagedSseEnabled: true } },
})

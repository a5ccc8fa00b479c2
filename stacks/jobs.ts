/** Jobs whose worker could not be started, for a person to look at. */
export const deadJobs = new sst.aws.Queue('DeadJobs', {
  transform: { queue: { messageRetentionSeconds: 14 * 24 * 3600, sqsManagedSseEnabled: true } },
})

/** One message for each job that waits for a worker, hidden for six times the starter's timeout while it is tried. */
export const jobs = new sst.aws.Queue('Jobs', {
  visibilityTimeout: '3 minutes',
  dlq: { queue: deadJobs.arn, retry: 5 },
  transform: { queue: { sqsManagedSseEnabled: true } },
})

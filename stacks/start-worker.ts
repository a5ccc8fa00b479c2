import { items, nameOf, readObjects, under } from './grants.ts'
import { jobs } from './jobs.ts'
import { lambda } from './lambda.ts'
import { gitHosts } from './stage.ts'
import { content, table } from './storage.ts'
import { worker } from './worker.ts'

/** Starts a worker for each job of the queue. The job's lease, not the message, shows whether a worker is alive. */
export const startWorker = lambda('StartWorker', {
  handler: 'functions/entries/start-worker.handler',
  memory: '256 MB',
  timeout: '30 seconds',
  environment: {
    ...gitHosts,
    WORKER_TASK: $jsonStringify({
      cluster: worker.cluster,
      taskDefinition: worker.taskDefinition,
      containers: worker.containers,
      subnets: worker.subnets,
      securityGroups: worker.securityGroups,
      assignPublicIp: worker.assignPublicIp,
    }),
  },
  link: [nameOf(table), nameOf(content), nameOf(jobs)],
  permissions: [
    under(['JOBS'], items(table, 'GetItem', 'UpdateItem', 'DeleteItem')),
    under(['CATALOG#', 'DETAILS#'], items(table, 'GetItem')),
    ...readObjects(content, 'snippets/'),
    {
      actions: [
        'sqs:ReceiveMessage',
        'sqs:SendMessage',
        'sqs:DeleteMessage',
        'sqs:ChangeMessageVisibility',
        'sqs:GetQueueAttributes',
      ],
      resources: [jobs.arn],
    },
    {
      actions: ['ecs:RunTask'],
      resources: [worker.taskDefinition],
      conditions: [{ test: 'ArnEquals', variable: 'ecs:cluster', values: [worker.cluster] }],
    },
    {
      actions: ['iam:PassRole'],
      resources: [worker.nodes.taskRole.arn, worker.nodes.executionRole.arn],
      conditions: [{ test: 'StringEquals', variable: 'iam:PassedToService', values: ['ecs-tasks.amazonaws.com'] }],
    },
  ],
})

jobs.subscribe(startWorker.arn, { batch: { size: 10, partialResponses: true } })

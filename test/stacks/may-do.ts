const dynamodb = (...actions: string[]) => actions.map((action) => `dynamodb:${action}`)
const publish = { 'Table SNAPSHOT': dynamodb('GetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem') }
const put = ['s3:PutObject', 's3:AbortMultipartUpload']
const log = ['logs:CreateLogStream', 'logs:PutLogEvents']
const trace = { '*': ['xray:PutTraceSegments', 'xray:PutTelemetryRecords'] }
const content = { 'ContentBucket/*': ['s3:GetObject'], ContentBucket: ['s3:ListBucket'] }
const ownContent = { 'ContentBucket/*': ['s3:GetObject', ...put, 's3:DeleteObject'], ContentBucket: ['s3:ListBucket'] }

/** The permissions of every role by resource, with the beginnings of partition keys if it may not use others. A new permission is added here, too. */
export const mayDo: Record<string, Record<string, string[]>> = {
  ApiRole: {
    'Table CATALOG#': dynamodb('GetItem', 'PutItem'),
    'Table JOBS': dynamodb('GetItem', 'PutItem'),
    'Table POLICY#': dynamodb('GetItem', 'PutItem', 'Query'),
    'Table DETAILS#': dynamodb('GetItem'),
    'Table KEY#': dynamodb('GetItem', 'UpdateItem'),
    'Table REVOKED#': dynamodb('GetItem'),
    'Table OPTOUTS': dynamodb('GetItem'),
    'Table TAKEDOWNS': dynamodb('PutItem'),
    'Table LICENSE_KEYS': dynamodb('Query'),
    'Table LIB#': dynamodb('BatchGetItem', 'Query'),
    'Table SNAPSHOT': dynamodb('GetItem', 'UpdateItem'),
    'Table LIMIT#': dynamodb('UpdateItem'),
    'Table TEAM#': dynamodb('GetItem', 'PutItem'),
    Salts: dynamodb('GetItem', 'PutItem'),
    ...content,
    Usage: ['kinesis:PutRecord', 'kinesis:ListShards'],
    Jobs: ['sqs:SendMessage'],
    'log Api': log,
    ...trace,
  },
  ExportRole: {
    'Table CATALOG#': dynamodb('GetItem'),
    'Table DETAILS#': dynamodb('GetItem'),
    'Table REVOKED#': dynamodb('GetItem'),
    'Table KEY#': dynamodb('GetItem', 'UpdateItem'),
    'Table LICENSE_KEYS': dynamodb('Query'),
    'Table BUNDLE#': dynamodb('GetItem', 'PutItem'),
    'function Bundle': ['lambda:InvokeFunction'],
    ...content,
    'ExportsBucket/exports/*': ['s3:GetObject', ...put],
    ExportsBucket: ['s3:ListBucket'],
    'log Export': log,
    ...trace,
  },
  BundleRole: {
    'Table CATALOG#': dynamodb('GetItem'),
    'Table DETAILS#': dynamodb('GetItem'),
    'Table BUNDLE#': dynamodb('PutItem'),
    ...content,
    'ExportsBucket/bundles/*': put,
    'ExportsBucket/exports/*': put,
    'log Bundle': log,
    ...trace,
  },
  ApplyUsageRole: {
    'Table LIB#': dynamodb('GetItem', 'BatchGetItem', 'Query', 'PutItem', 'UpdateItem'),
    Usage: [
      'kinesis:DescribeStream',
      'kinesis:DescribeStreamSummary',
      'kinesis:GetRecords',
      'kinesis:GetShardIterator',
      'kinesis:ListShards',
    ],
    'FailedUsageBucket/*': ['s3:PutObject'],
    FailedUsageBucket: ['s3:ListBucket'],
    'log ApplyUsage': log,
    ...trace,
  },
  ReplayUsageRole: {
    'Table LIB#': dynamodb('GetItem', 'BatchGetItem', 'Query', 'PutItem', 'UpdateItem'),
    'Table REPLAY': dynamodb('GetItem', 'BatchGetItem', 'PutItem', 'UpdateItem'),
    'log ReplayUsage': log,
    ...trace,
  },
  ScheduleRole: {
    'Table CATALOG#': dynamodb('GetItem', 'Query'),
    'Table DETAILS#': dynamodb('Query', 'DeleteItem'),
    'Table GENERATIONS': dynamodb('Query', 'DeleteItem'),
    'Table JOBS': dynamodb('Query', 'PutItem', 'UpdateItem'),
    'Table OPTOUTCHECK': dynamodb('GetItem', 'PutItem'),
    'Table SNAPSHOT': dynamodb('GetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem'),
    Salts: dynamodb('PutItem', 'DeleteItem', 'Scan'),
    ...ownContent,
    Jobs: ['sqs:SendMessage'],
    'log Schedule': log,
    ...trace,
  },
  StartWorkerRole: {
    'Table CATALOG#': dynamodb('GetItem'),
    'Table DETAILS#': dynamodb('GetItem'),
    'Table JOBS': dynamodb('GetItem', 'UpdateItem', 'DeleteItem'),
    'ContentBucket/snippets/*': ['s3:GetObject'],
    ContentBucket: ['s3:ListBucket'],
    Jobs: ['sqs:ReceiveMessage', 'sqs:SendMessage', 'sqs:DeleteMessage', 'sqs:ChangeMessageVisibility', 'sqs:GetQueueAttributes'],
    'task Worker': ['ecs:RunTask'],
    'role WorkerTaskRole': ['iam:PassRole'],
    'role WorkerExecutionRole': ['iam:PassRole'],
    'log StartWorker': log,
    ...trace,
  },
  WorkerTaskRole: {
    'Table CATALOG#': dynamodb('GetItem', 'Query', 'PutItem', 'DeleteItem'),
    'Table OPTOUTS': dynamodb('GetItem'),
    'Table DETAILS#': dynamodb('GetItem', 'Query', 'PutItem', 'DeleteItem'),
    'Table GENERATIONS': dynamodb('PutItem', 'DeleteItem'),
    'Table JOBS': dynamodb('GetItem', 'UpdateItem', 'DeleteItem'),
    ...publish,
    ...ownContent,
    Jobs: ['sqs:SendMessage'],
  },
  WorkerExecutionRole: {
    '*': ['ecr:GetAuthorizationToken'],
    'repository images': ['ecr:BatchCheckLayerAvailability', 'ecr:BatchGetImage', 'ecr:GetDownloadUrlForLayer'],
    'parameter git-tokens': ['ssm:GetParameters'],
    'log Worker': log,
  },
  SweepRole: { 'function Schedule': ['lambda:InvokeFunction'] },
}

/** The roles that only production has. */
export const mayDoInProduction: typeof mayDo = {
  BackupRole: {
    Table: dynamodb('CreateBackup', 'DescribeTable', 'ListTagsOfResource', 'StartAwsBackupJob'),
    'backups of Table': dynamodb('DescribeBackup', 'DeleteBackup'),
  },
}

type Grant = { actions: string[]; resources: $util.Input<string>[]; conditions?: Condition[] }
type Condition = { test: string; variable: string; values: $util.Input<string>[] }
type HasArn = { arn: $util.Output<string> }
type ItemAction = 'GetItem' | 'BatchGetItem' | 'Query' | 'Scan' | 'PutItem' | 'UpdateItem' | 'DeleteItem'

export const items = (table: HasArn, ...actions: ItemAction[]): Grant => ({
  actions: actions.map((action) => `dynamodb:${action}`),
  resources: [table.arn],
})

/**
 * Restricts a grant to items whose partition key begins with one of the prefixes. `ForAllValues` is also true for a request without a
 * partition key, such as a scan or a statement of PartiQL, which `Null` excludes.
 */
export const under = (prefixes: string[], grant: Grant): Grant => ({
  ...grant,
  conditions: [
    { test: 'ForAllValues:StringLike', variable: 'dynamodb:LeadingKeys', values: prefixes.map((prefix) => `${prefix}*`) },
    { test: 'Null', variable: 'dynamodb:LeadingKeys', values: ['false'] },
  ],
})

/** Includes listing, without which S3 returns 403 instead of 404 for a missing object. */
export const readObjects = (bucket: HasArn, prefix = ''): Grant[] => [
  objects(bucket, prefix, ['s3:GetObject']),
  { actions: ['s3:ListBucket'], resources: [bucket.arn] },
]

/** An empty prefix means the whole bucket. */
export const putObjects = (bucket: HasArn, prefix = ''): Grant =>
  objects(bucket, prefix, ['s3:PutObject', 's3:AbortMultipartUpload'])

export const changeObjects = (bucket: HasArn): Grant[] => [
  ...readObjects(bucket),
  putObjects(bucket),
  objects(bucket, '', ['s3:DeleteObject']),
]

const objects = (bucket: HasArn, prefix: string, actions: string[]): Grant => ({
  actions,
  resources: [$interpolate`${bucket.arn}/${prefix}*`],
})

/** Links only the name or address of a component. A whole link of SST would also grant permissions on everything in it. */
export const nameOf = (component: { urn: $util.Output<string>; getSSTLink(): { properties: Record<string, unknown> } }) => ({
  urn: component.urn,
  getSSTLink: () => ({ properties: component.getSSTLink().properties }),
})

type Grant = { actions: string[]; resources: $util.Input<string>[]; conditions?: Condition[] }
type Condition = { test: string; variable: string; values: $util.Input<string>[] }
type HasArn = { arn: $util.Output<string> }
type ItemAction = 'GetItem' | 'BatchGetItem' | 'Query' | 'Scan' | 'PutItem' | 'UpdateItem' | 'DeleteItem'

export const items = (table: HasArn, ...actions: ItemAction[]): Grant => ({
  actions: actions.map((action) => `dynamodb:${action}`),
  resources: [table.arn],
})

/** On the items alone whose partition key begins with one of these. */
export const under = (prefixes: string[], grant: Grant): Grant => ({
  ...grant,
  conditions: [
    { test: 'ForAllValues:StringLike', variable: 'dynamodb:LeadingKeys', values: prefixes.map((prefix) => `${prefix}*`) },
  ],
})

/** Listing also makes a missing object a 404 instead of a 403. */
export const readObjects = (bucket: HasArn, prefix = ''): Grant[] => [
  objects(bucket, prefix, ['s3:GetObject']),
  { actions: ['s3:ListBucket'], resources: [bucket.arn] },
]

/** Under a prefix, everywhere where it is empty. */
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

/** What code reads of a component, its name or address, without the permissions on everything that a link of SST brings along. */
export const nameOf = (component: { urn: $util.Output<string>; getSSTLink(): { properties: Record<string, unknown> } }) => ({
  urn: component.urn,
  getSSTLink: () => ({ properties: component.getSSTLink().properties }),
})

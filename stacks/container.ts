import { logDays } from './stage.ts'

export type Grant = { actions: string[]; resources: $util.Input<string>[] }

const policyOf = (statements: Grant[]) => aws.iam.getPolicyDocumentOutput({ statements }).json

const logGroup = (name: string) => `/${$app.name}/${$app.stage}/${name}`

export const logging = (name: string) => ({ name: logGroup(name), retention: logDays === 30 ? '1 month' : '1 week' }) as const

/** Replaces SST's default roles, which can read every secret and write to every log of the account. */
export const ownRoles = (grants: Grant[]) => ({
  taskRole: { inlinePolicies: [{ name: 'inline', policy: policyOf(grants) }] },
  executionRole: { managedPolicyArns: [], inlinePolicies: [] },
})

/** SST writes linked values into the task definition, which many principals can read. A parameter is decrypted only when the task starts. */
export const secretParameter = (name: string, path: string, value: $util.Input<string>) =>
  new aws.ssm.Parameter(name, { name: `/${$app.name}/${$app.stage}/${path}`, type: 'SecureString', value })

const account = aws.getCallerIdentityOutput().accountId
const region = aws.getRegionOutput().region
const partition = aws.getPartitionOutput().partition

/** Allows AWS to start the container of a task or service: to read its image and its parameters, and to write its log. */
export function allowStart(name: string, { nodes }: sst.aws.Task | sst.aws.Service, parameters: aws.ssm.Parameter[]): void {
  // `sst dev` starts no containers.
  if (!nodes.executionRole) return
  /** `<account>.dkr.ecr.<region>.amazonaws.com/<repository>@<digest>`, as SST pushed it. */
  const repository = $output(nodes.taskDefinition).apply(({ containerDefinitions }) =>
    containerDefinitions.apply((definitions) => {
      const [{ image }] = JSON.parse(definitions)
      return image.slice(image.indexOf('/') + 1, image.indexOf('@'))
    }),
  )
  new aws.iam.RolePolicy(`${name}Execution`, {
    role: nodes.executionRole.name,
    policy: policyOf([
      // AWS has no narrower resource for this action.
      { actions: ['ecr:GetAuthorizationToken'], resources: ['*'] },
      {
        actions: ['ecr:BatchCheckLayerAvailability', 'ecr:BatchGetImage', 'ecr:GetDownloadUrlForLayer'],
        resources: [$interpolate`arn:${partition}:ecr:${region}:${account}:repository/${repository}`],
      },
      { actions: ['ssm:GetParameters'], resources: parameters.map(({ arn }) => arn) },
      {
        actions: ['logs:CreateLogStream', 'logs:PutLogEvents'],
        resources: [$interpolate`arn:${partition}:logs:${region}:${account}:log-group:${logGroup(name)}:*`],
      },
    ]),
  })
}

const region = 'us-east-1'
const account = '123456789012'

/** The result of a data source of the AWS provider. */
export function answerCall(token, inputs) {
  const answer = calls[token]
  if (!answer) throw new Error(`The stacks request ${token} from AWS. Add its result to pretend-aws.mjs.`)
  return answer(inputs)
}

const calls = {
  'aws:index/getRegion:getRegion': () => ({ id: region, name: region, region }),
  'aws:index/getPartition:getPartition': () => ({ id: 'aws', partition: 'aws', dnsSuffix: 'amazonaws.com' }),
  'aws:index/getCallerIdentity:getCallerIdentity': () => ({ id: account, accountId: account }),
  'aws:index/getAvailabilityZones:getAvailabilityZones': () => ({ names: ['a', 'b', 'c'].map((zone) => region + zone) }),
  'aws:ec2/getManagedPrefixList:getManagedPrefixList': ({ name }) => ({ id: `prefix list of ${name}` }),
  'aws:ecr/getAuthorizationToken:getAuthorizationToken': () => ({
    userName: 'AWS',
    password: 'registry-password',
    proxyEndpoint: `https://${account}.dkr.ecr.${region}.amazonaws.com`,
  }),
  'aws:iam/getPolicyDocument:getPolicyDocument': ({ statements = [] }) => ({
    statements,
    json: JSON.stringify({ Version: '2012-10-17', Statement: statements.map(statementOf) }),
  }),
}

function statementOf({ effect = 'Allow', actions, resources, principals, conditions = [] }) {
  const Condition = {}
  for (const { test, variable, values } of conditions) Condition[test] = { ...Condition[test], [variable]: values }
  return {
    Effect: effect,
    Action: actions,
    Resource: resources,
    ...(principals && { Principal: Object.fromEntries(principals.map(({ type, identifiers }) => [type, identifiers])) }),
    ...(conditions.length > 0 && { Condition }),
  }
}

/** The properties that AWS adds to a created resource. */
export function stateOf(type, name, inputs) {
  const [service, kind] = type.replace(/^aws:/, '').split(/[/:]/)
  const arn = `arn:aws:${service}:${service === 'iam' ? '' : region}:${account}:${kind}/${inputs.name ?? name}`
  return { arn, name: inputs.name ?? name, ...states[type]?.(inputs.name ?? name, inputs) }
}

const states = {
  'aws:lambda/function:Function': (name) => ({
    arn: `arn:aws:lambda:${region}:${account}:function:${name}`,
    invokeArn: `arn:aws:apigateway:${region}:lambda:path/2015-03-31/functions/${name}/invocations`,
    version: '1',
  }),
  'aws:lambda/functionUrl:FunctionUrl': (name) => ({ functionUrl: `https://${name.toLowerCase()}.lambda-url.${region}.on.aws/` }),
  'aws:apigatewayv2/api:Api': () => ({
    apiEndpoint: `https://gateway.execute-api.${region}.amazonaws.com`,
    executionArn: `arn:aws:execute-api:${region}:${account}:gateway`,
  }),
  'aws:cloudwatch/logGroup:LogGroup': (name) => ({ arn: `arn:aws:logs:${region}:${account}:log-group:${name}` }),
  'aws:s3/bucket:Bucket': (name) => ({ arn: `arn:aws:s3:::${name}`, bucket: name, bucketDomainName: `${name}.s3.amazonaws.com` }),
  'aws:dynamodb/table:Table': (name) => ({ arn: `arn:aws:dynamodb:${region}:${account}:table/${name}` }),
  'aws:sqs/queue:Queue': (name) => ({
    arn: `arn:aws:sqs:${region}:${account}:${name}`,
    url: `https://sqs.${region}.amazonaws.com/${account}/${name}`,
  }),
  'aws:ecs/taskDefinition:TaskDefinition': (name) => ({ arn: `arn:aws:ecs:${region}:${account}:task-definition/${name}:1` }),
  'aws:ssm/parameter:Parameter': (name) => ({ arn: `arn:aws:ssm:${region}:${account}:parameter${name}` }),
  'aws:lambda/eventSourceMapping:EventSourceMapping': () => ({ uuid: 'the-mapping' }),
  'aws:ec2/vpc:Vpc': () => ({ cidrBlock: '10.0.0.0/16' }),
  'aws:lb/loadBalancer:LoadBalancer': (name) => ({
    arnSuffix: `app/${name}/1`,
    dnsName: `${name}.elb.amazonaws.com`,
    zoneId: 'ZONE',
  }),
  'aws:cloudfront/distribution:Distribution': () => ({ domainName: 'd1.cloudfront.net', hostedZoneId: 'ZONE', etag: 'etag' }),
  'docker-build:index:Image': () => ({ digest: 'sha256:0123', ref: 'image' }),
  'random:index/randomBytes:RandomBytes': () => ({
    base64: Buffer.alloc(32, 'key').toString('base64'),
    hex: Buffer.alloc(32, 'key').toString('hex'),
  }),
  'pulumi-nodejs:dynamic:Resource': () => ({ isDone: true, zoneId: 'ZONE' }),
  'aws:cognito/userPool:UserPool': () => ({ endpoint: `cognito-idp.${region}.amazonaws.com/users` }),
  'aws:cognito/userPoolClient:UserPoolClient': () => ({ clientSecret: 'secret of the dashboard at Cognito' }),
  'aws:sesv2/emailIdentity:EmailIdentity': (_name, { emailIdentity }) => ({
    arn: `arn:aws:ses:${region}:${account}:identity/${emailIdentity}`,
  }),
  'aws:acm/certificate:Certificate': () => ({ domainValidationOptions: [] }),
}

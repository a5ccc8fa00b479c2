import { z } from 'zod'
import { readEnvironment } from '../shared/settings/read-environment.ts'
import { production } from './stage.ts'

const { ALARM_SUBSCRIBER: subscriber } = readEnvironment(
  z.object({
    /** The e-mail address, or the https address of a service, of the person on duty. */
    ALARM_SUBSCRIBER: z
      .string()
      .regex(/^(https:\/\/\S+|[^\s@/]+@[^\s@/]+\.[^\s@/]+)$/, 'must be an e-mail address or begin with https://')
      .optional(),
  }),
  process.env,
)
if (subscriber === undefined && production)
  throw new Error('ALARM_SUBSCRIBER must be the address of the person on duty, such as ops@example.com, in .env.')

/** CloudFront has its metrics only there. */
export const edgeRegion = 'us-east-1'

/** Receives every alarm of the stage's own region, and the budget's. */
export const topic = alarmTopic('Alarms')

/** An alarm can only notify a topic of its own region. */
export const edgeTopic = alarmTopic('EdgeAlarms', edgeRegion)

function alarmTopic(name: string, region?: string): aws.sns.Topic {
  const where = region === undefined ? {} : { region }
  const made = new aws.sns.Topic(name, { name: `${$app.name}-${$app.stage}-${name}`, ...where })
  new aws.sns.TopicPolicy(`${name}Policy`, { arn: made.arn, policy: mayPublish(made.arn), ...where })
  if (subscriber !== undefined)
    new aws.sns.TopicSubscription(`${name}Subscriber`, {
      topic: made.arn,
      protocol: subscriber.startsWith('https:') ? 'https' : 'email',
      endpoint: subscriber,
      ...where,
    })
  return made
}

function mayPublish(topicArn: $util.Output<string>): $util.Output<string> {
  const { accountId } = aws.getCallerIdentityOutput()
  const identifiers = ['cloudwatch.amazonaws.com', 'budgets.amazonaws.com']
  return aws.iam.getPolicyDocumentOutput({
    statements: [
      {
        actions: ['sns:Publish'],
        resources: [topicArn],
        principals: [{ type: 'Service', identifiers }],
        conditions: [{ test: 'StringEquals', variable: 'aws:SourceAccount', values: [accountId] }],
      },
    ],
  }).json
}

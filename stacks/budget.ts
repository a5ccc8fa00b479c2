import { topic } from './alarm-topics.ts'
import { monthlyBudgetUsd } from './limits.ts'

/** Covers the whole account: tags restrict a budget only after they were activated in the account's billing settings. */
new aws.budgets.Budget('Budget', {
  name: `${$app.name}-${$app.stage}`,
  budgetType: 'COST',
  timeUnit: 'MONTHLY',
  limitAmount: String(monthlyBudgetUsd),
  limitUnit: 'USD',
  notifications: [
    { notificationType: 'ACTUAL', threshold: 80 },
    { notificationType: 'ACTUAL', threshold: 100 },
    { notificationType: 'FORECASTED', threshold: 100 },
  ].map((when) => ({
    ...when,
    thresholdType: 'PERCENTAGE',
    comparisonOperator: 'GREATER_THAN',
    subscriberSnsTopicArns: [topic.arn],
  })),
})

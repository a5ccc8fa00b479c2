/** List prices of us-east-1 in US dollars, without free tiers, as published on the price pages of AWS in 2025. They were not checked since. */
export const prices = {
  source: 'price pages of AWS',
  year: 2025,
  perMillion: {
    s3Get: 0.4,
    s3Put: 5,
    apiGateway: 1,
    /** Above 300 million a month. */
    apiGatewayMore: 0.9,
    cloudFrontRequest: 1,
    cloudFrontFunction: 0.1,
    keyValueStoreRead: 0.03,
    wafRequest: 0.6,
    lambdaCall: 0.2,
    /** ARM. */
    lambdaGbSecond: 13.3334,
    /** The disk beyond 512 MB. */
    lambdaDiskGbSecond: 0.0309,
    dynamoRead: 0.125,
    dynamoWrite: 0.625,
    trace: 5,
  },
  perGb: {
    s3Month: 0.023,
    dynamoMonth: 0.25,
    pointInTimeRecoveryMonth: 0.2,
    backupMonth: 0.1,
    kinesisIn: 0.08,
    kinesisOut: 0.04,
    /** Six days beyond the first. */
    kinesisRetention: 0.02,
    log: 0.5,
  },
  /** The price of a GB up to this number of TB a month. */
  transfer: [
    { untilTb: 10, perGb: 0.085 },
    { untilTb: 50, perGb: 0.08 },
    { untilTb: 150, perGb: 0.06 },
    { untilTb: 500, perGb: 0.04 },
    { untilTb: 1024, perGb: 0.03 },
    { untilTb: 5120, perGb: 0.025 },
    { untilTb: Number.POSITIVE_INFINITY, perGb: 0.02 },
  ],
  perHour: {
    stream: 0.04,
    loadBalancer: 0.0225,
    loadBalancerUnit: 0.008,
    publicAddress: 0.005,
    /** ARM. */
    fargateCpu: 0.03238,
    fargateGb: 0.00356,
  },
  perMonth: { webAcl: 5, webAclRule: 1, alarm: 0.1, dashboard: 3, dnsZone: 0.5, key: 1 },
}

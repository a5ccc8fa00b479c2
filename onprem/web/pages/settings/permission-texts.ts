/** The seven switches in words. `open` is the value that lets more callers in. */
export const permissionTexts = [
  {
    name: 'permissions.anonymousParse',
    label: 'Anyone may add libraries',
    question: 'Let anyone add libraries?',
    effect:
      'Everyone who can reach the server can add repositories without signing in. They cannot change existing libraries, and stored tokens are never used for them.',
    open: true,
    confirm: 'Strangers can fill the queue and the disk with repositories.',
  },
  {
    name: 'permissions.anonymousRefresh',
    label: 'Anyone may refresh libraries',
    question: 'Let anyone refresh libraries?',
    effect:
      'Everyone can have a library fetched again without signing in, for example a webhook. Libraries of private repositories stay closed to them.',
    open: true,
    confirm: 'Strangers can keep the queue busy.',
  },
  {
    name: 'permissions.anonymousDelete',
    label: 'Anyone may delete libraries',
    question: 'Let anyone delete libraries?',
    effect: 'Everyone can delete any library without signing in, also imported ones that cannot be fetched again.',
    open: true,
    confirm: 'Strangers can delete every library, and nobody knows who it was.',
  },
  {
    name: 'permissions.anonymousSupportBundle',
    label: 'Anyone may download the support bundle',
    question: 'Let anyone download the support bundle?',
    effect: 'Everyone can download settings without secrets, names of libraries, and reports and logs of jobs.',
    open: true,
    confirm: 'Strangers can read the names of all libraries and the log of the server.',
  },
  {
    name: 'permissions.anonymousMetrics',
    label: 'Anyone may read the metrics',
    question: 'Let anyone read the metrics?',
    effect: 'Everyone can read /metrics without a key, for example Prometheus. It has counts, times and sizes, but no names.',
    open: true,
    confirm: 'Strangers can see how much the server is used, how large it is and which version it has.',
  },
  {
    name: 'permissions.requireMcpAuth',
    label: 'Require a key to read',
    question: 'Let anyone read?',
    effect:
      'Searches, questions, /mcp and the names of libraries need an API key or a session. While this is off, everyone who can reach the server can read.',
    open: false,
    confirm: 'Everyone who can reach the server can search and read all libraries.',
  },
  {
    name: 'permissions.hidePrivate',
    label: 'Require a key to read private libraries',
    question: 'Let anyone read private libraries?',
    effect:
      'For callers without an API key or a session, private libraries do not exist. While this is off, everyone who can reach the server can read what the stored tokens have fetched.',
    open: false,
    confirm: 'Everyone who can reach the server can search and read private libraries.',
  },
] as const

export type PermissionText = (typeof permissionTexts)[number]

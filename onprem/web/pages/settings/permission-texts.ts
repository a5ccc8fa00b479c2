/** The seven switches in words. `open` is the value that lets more callers in. */
export const permissionTexts = [
  {
    name: 'permissions.requireMcpAuth',
    label: 'Require MCP authentication',
    question: 'Let anyone read?',
    effect:
      'Searches, questions, /mcp and the names of libraries need an API key or a session. While this is off, everyone who can reach the server can read.',
    open: false,
    confirm: 'Everyone who can reach the server can search and read all libraries.',
  },
  {
    name: 'permissions.hidePrivate',
    label: 'Require authentication for private libraries',
    question: 'Let anyone read private libraries?',
    effect:
      'For callers without an API key or a session, private libraries do not exist. While this is off, everyone who can reach the server can read what the stored tokens have fetched.',
    open: false,
    confirm: 'Everyone who can reach the server can search and read private libraries.',
  },
  {
    name: 'permissions.anonymousParse',
    label: 'Allow anonymous parse',
    question: 'Let anyone add libraries?',
    effect:
      'Over the API, everyone who can reach the server can add repositories without a key. They cannot change existing libraries, and stored tokens are never used for them.',
    open: true,
    confirm: 'Strangers can fill the queue and the disk with repositories.',
  },
  {
    name: 'permissions.anonymousRefresh',
    label: 'Allow anonymous refresh',
    question: 'Let anyone refresh libraries?',
    effect:
      'Over the API, everyone can refresh a library without a key, for example a webhook. Libraries of private repositories stay closed to them.',
    open: true,
    confirm: 'Strangers can keep the queue busy.',
  },
  {
    name: 'permissions.anonymousDelete',
    label: 'Allow anonymous delete',
    question: 'Let anyone delete libraries?',
    effect: 'Over the API, everyone can delete any library without a key, also imported ones that cannot be fetched again.',
    open: true,
    confirm: 'Strangers can delete every library, and nobody knows who it was.',
  },
  {
    name: 'permissions.anonymousSupportBundle',
    label: 'Allow anonymous support bundle',
    question: 'Let anyone download the support bundle?',
    effect: 'Over the API, everyone can download settings without secrets, names of libraries, and reports and logs of jobs.',
    open: true,
    confirm: 'Strangers can read the names of all libraries and the log of the server.',
  },
  {
    name: 'permissions.anonymousMetrics',
    label: 'Allow anonymous metrics',
    question: 'Let anyone read the metrics?',
    effect: 'Everyone can read /metrics without a key, for example Prometheus. It has counts, times and sizes, but no names.',
    open: true,
    confirm: 'Strangers can see how much the server is used, how large it is and which version it has.',
  },
] as const

export type PermissionText = (typeof permissionTexts)[number]

import type { Call } from './recorded-calls.ts'

export type Right = Call & { role: string }

/** The requests that AWS makes with these roles, or that depend on a failure. */
const madeByAws: [role: RegExp, action: RegExp][] = [
  // The runtime of a function or task, and the daemon of X-Ray.
  [/./, /^(logs|xray|ecr|ssm):/],
  // The pollers of the queue and of the stream, which also writes records that were given up.
  [/^StartWorkerRole$/, /^sqs:(?!SendMessage)/],
  [/^ApplyUsageRole$/, /^(kinesis|s3):/],
  // RunTask passes the roles of its task.
  [/^StartWorkerRole$/, /^iam:PassRole$/],
  [/^(Sweep|CheckLibraries)Role$/, /^lambda:/],
  // An upload that fails after its first part.
  [/./, /^s3:AbortMultipartUpload$/],
]

/** The rights of roles as in `may-do.ts`, without those that AWS uses. */
export const rightsOf = (mayDo: Record<string, Record<string, string[]>>): Right[] =>
  Object.entries(mayDo)
    .flatMap(([role, resources]) =>
      Object.entries(resources).flatMap(([resource, actions]) => actions.map((action) => ({ role, resource, action }))),
    )
    .filter(({ role, action }) => !madeByAws.some(([roles, actions]) => roles.test(role) && actions.test(action)))

/** A table or a prefix of objects includes everything that begins with it. */
export function allows(right: Right, { role, action, resource }: Call): boolean {
  if (right.role !== role || right.action !== action) return false
  const isPart = right.resource.endsWith('*') || /^(Table|Salts)\b/.test(right.resource)
  return isPart ? resource.startsWith(right.resource.replace(/\*$/, '')) : resource === right.resource
}

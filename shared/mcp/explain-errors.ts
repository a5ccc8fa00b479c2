import { z } from 'zod'
import { describeIssue } from '../schemas/describe-issue.ts'

const Failure = z.looseObject({ error: z.looseObject({ code: z.int(), message: z.string() }) })
const Issues = z.array(z.looseObject({ code: z.string(), path: z.array(z.union([z.string(), z.number()])), message: z.string() }))

const invalidParams = -32602
const maxIssues = 3
const maxPathChars = 100

/** The MCP package reports invalid parameters as the issues of its schemas, mostly as an internal error. This makes them -32602 and one sentence. */
export function explainErrors(json: string): string {
  // Almost every message is a result, which is not worth parsing.
  if (!json.includes('"error":{')) return json
  const message = Failure.safeParse(JSON.parse(json)).data
  const sentence = message && sentenceOf(message.error.message)
  if (!sentence) return json
  return JSON.stringify({ ...message, error: { ...message.error, code: invalidParams, message: sentence } })
}

function sentenceOf(message: string): string | undefined {
  const start = message.indexOf('[\n')
  if (start < 0 || !message.endsWith(']')) return undefined
  const issues = Issues.safeParse(parsed(message.slice(start))).data
  if (!issues || issues.length === 0) return undefined
  const rules = issues.slice(0, maxIssues).map((issue) => `${issue.path.join('.').slice(0, maxPathChars)} ${ruleOf(issue)}`)
  return `Invalid params: ${rules.join(', ')}.`
}

function ruleOf(issue: z.infer<typeof Issues>[number]): string {
  const input = issue.message.endsWith('received undefined') ? undefined : null
  return describeIssue({ ...issue, input } as z.core.$ZodRawIssue) ?? 'is not valid'
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}

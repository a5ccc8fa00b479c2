import { Hono } from 'hono'
import { z } from 'zod'
import { describeRoute, json } from '../../shared/api/describe-route.ts'
import { EtagHeader, ifMatch } from '../../shared/api/if-match.ts'
import { input } from '../../shared/api/input.ts'
import { etagOf } from '../../shared/http/etag.ts'
import { jsonBody } from '../../shared/http/json-body.ts'
import { type CallerEnv, type RightPorts, requireRight } from '../access/caller.ts'
import { LibraryPattern } from '../accounts/library-pattern.ts'
import { listedRules, type ManageAccessPorts, RuleInput, removeRule, setRule, stateOfRules } from '../actions/manage-access.ts'

const maxBodyBytes = 64 * 1024

const Rule = RuleInput.meta({ id: 'LibraryRule' })
const RuleList = z.object({ rules: z.array(Rule) })
const Message = z.object({ message: z.string() })
const RemoveQuery = z.object({ pattern: LibraryPattern })

/** The rules about who may read which libraries. */
export const libraryRuleRoutes = (ports: RightPorts & ManageAccessPorts) =>
  new Hono<CallerEnv>()
    .get(
      '/library-rules',
      describeRoute({
        operationId: 'listLibraryRules',
        tags: ['Access'],
        summary: 'List who may read which libraries',
        description:
          'The most specific pattern that selects a library decides: first one without *, then the longest. Without a rule, a library is public, or internal if a stored token fetched it and permissions.hidePrivate is on.',
        responses: { 200: json(RuleList, 'The rules, the most specific first', EtagHeader) },
      }),
      requireRight(ports, 'admin'),
      (c) => c.json({ rules: listedRules(ports) }, 200, { etag: etagOf(stateOfRules(ports)) }),
    )
    .put(
      '/library-rules',
      describeRoute({
        operationId: 'setLibraryRule',
        tags: ['Access'],
        summary: 'Set who may read the libraries of a pattern',
        description: 'Replaces the rule of the same pattern. It holds from the next request on, also for open streams.',
        responses: { 200: json(Message, 'The rule is stored', EtagHeader) },
      }),
      requireRight(ports, 'admin'),
      ifMatch(),
      jsonBody(maxBodyBytes),
      input('json', RuleInput),
      (c) => {
        const rule = c.req.valid('json')
        setRule(ports, c.get('caller'), rule, c.req.header('if-match'))
        const message = `Libraries that ${rule.pattern} selects are ${rule.access}.`
        return c.json({ message }, 200, { etag: etagOf(stateOfRules(ports)) })
      },
    )
    .delete(
      '/library-rules',
      describeRoute({
        operationId: 'deleteLibraryRule',
        tags: ['Access'],
        summary: 'Remove the rule of a pattern',
        description: 'Other rules that select the same libraries decide then, or none.',
        responses: { 200: json(Message, 'The rule is removed') },
        errors: [404],
      }),
      requireRight(ports, 'admin'),
      ifMatch(),
      input('query', RemoveQuery),
      (c) => {
        const { pattern } = c.req.valid('query')
        removeRule(ports, c.get('caller'), pattern, c.req.header('if-match'))
        return c.json({ message: `The rule of ${pattern} is removed.` })
      },
    )

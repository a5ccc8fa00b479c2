import { Hono } from 'hono'
import { z } from 'zod'
import { describeRoute, json } from '../../shared/api/describe-route.ts'
import { input } from '../../shared/api/input.ts'
import { jsonBody } from '../../shared/http/json-body.ts'
import { type CallerEnv, type RightPorts, requireRight } from '../access/caller.ts'
import {
  createGroup,
  GroupMembers,
  type ManageAccessPorts,
  membersOf,
  NewGroup,
  removeGroup,
  setMembers,
} from '../actions/manage-access.ts'

const maxBodyBytes = 1024 * 1024

const Group = z
  .object({
    name: z.string(),
    issuer: z.string().describe('The issuer that tells its members; empty for a local group'),
    members: z.int().min(0),
  })
  .meta({ id: 'Group' })
const GroupList = z.object({ groups: z.array(Group), total: z.int() })
const Members = z.object({ users: z.array(z.string()) })
const Message = z.object({ message: z.string() })
const NameInPath = z.object({ name: z.string().max(500) })

/** Groups of users, which rules about libraries name. */
export const groupRoutes = (ports: RightPorts & ManageAccessPorts) =>
  new Hono<CallerEnv>()
    .get(
      '/groups',
      describeRoute({
        operationId: 'listGroups',
        tags: ['Access'],
        summary: 'List groups of users',
        description: 'Lists local groups, and those that issuers have told of users, called "issuer:name".',
        responses: { 200: json(GroupList, 'Groups by name') },
      }),
      requireRight(ports, 'admin'),
      (c) => {
        const groups = ports.groups.list()
        return c.json({ groups, total: groups.length })
      },
    )
    .post(
      '/groups',
      describeRoute({
        operationId: 'createGroup',
        tags: ['Access'],
        summary: 'Create a group',
        description: 'Rules about libraries name groups.',
        responses: { 201: json(Message, 'The group is created') },
      }),
      requireRight(ports, 'admin'),
      jsonBody(maxBodyBytes),
      input('json', NewGroup),
      (c) => {
        const { name } = c.req.valid('json')
        createGroup(ports, c.get('caller'), name)
        return c.json({ message: `The group ${name} is created.` }, 201)
      },
    )
    .delete(
      '/groups/:name',
      describeRoute({
        operationId: 'deleteGroup',
        tags: ['Access'],
        summary: 'Delete a local group',
        description: 'Its members keep what other groups and rules give them. Rules that name it stay and give nothing to it.',
        responses: { 200: json(Message, 'The group is deleted') },
        errors: [404],
      }),
      requireRight(ports, 'admin'),
      input('param', NameInPath),
      (c) => {
        const { name } = c.req.valid('param')
        removeGroup(ports, c.get('caller'), name)
        return c.json({ message: `The group ${name} is deleted.` })
      },
    )
    .get(
      '/groups/:name/members',
      describeRoute({
        operationId: 'listGroupMembers',
        tags: ['Access'],
        summary: 'List the members of a group',
        description: 'Also of a group of an issuer.',
        responses: { 200: json(Members, 'User names') },
        errors: [404],
      }),
      requireRight(ports, 'admin'),
      input('param', NameInPath),
      (c) => c.json({ users: membersOf(ports, c.req.valid('param').name) }),
    )
    .put(
      '/groups/:name/members',
      describeRoute({
        operationId: 'setGroupMembers',
        tags: ['Access'],
        summary: 'Set the members of a local group',
        description: 'Replaces all members. It holds from the next request on.',
        responses: { 200: json(Message, 'The members are stored') },
        errors: [404],
      }),
      requireRight(ports, 'admin'),
      input('param', NameInPath),
      jsonBody(maxBodyBytes),
      input('json', GroupMembers),
      (c) => {
        const { name } = c.req.valid('param')
        setMembers(ports, c.get('caller'), name, c.req.valid('json').users)
        return c.json({ message: `The members of ${name} are stored.` })
      },
    )

import { randomFrom } from './random.ts'

/** Sentences for people that share words with attacks: directions of tutorials, of sign-in pages and about prompts. */
type Part = (pick: <T>(list: readonly T[]) => T) => string

const product = [
  'the server',
  'the client',
  'the plugin',
  'the library',
  'your app',
  'the project',
  'the command line',
  'the dashboard',
  'the worker',
  'the model',
]
const done = [
  'install it',
  'run it',
  'start the server',
  'deploy your site',
  'create a token',
  'configure it',
  'build the image',
  'train the model',
  'add a page',
  'call the API',
  'write a test',
]
const secret = [
  'the token',
  'the API key',
  'your password',
  'the client secret',
  'the recovery code',
  'the connection string',
  'the access key',
]

const ordinary: Part[] = [
  (p) =>
    `${p(['Follow', 'See', 'Read', 'Use', 'Repeat'])} ${p(['these instructions', 'the instructions below', 'the instructions in the README', 'the steps above', 'the previous steps', 'the installation guide', 'the instructions for your platform'])} to ${p(done)}.`,
  (p) =>
    `${p(['The previous', 'The above', 'The following', 'These', 'The earlier', 'All previous'])} ${p(['instructions', 'steps', 'commands', 'sections'])} ${p(['install', 'describe', 'set up', 'explain', 'apply to', 'configure'])} ${p(product)}.`,
  (p) =>
    `The ${p(['next', 'last', 'first', 'second'])} ${p(['step', 'task', 'thing to do'])} is to ${p(['load', 'add', 'create', 'configure', 'import', 'register', 'open', 'define'])} ${p(['the tokenizer', 'a component', 'a route', 'the file', 'an account', 'the dataset', 'your settings', 'a bucket'])}.`,
  (p) =>
    `You ${p(['are now ready to', 'can now', 'have now', 'are now able to', 'should now be able to', 'now have to'])} ${p(done)}.`,
  (p) =>
    `${p(['Make sure to', 'Be sure to', 'Remember to', 'Do not forget to', 'You have to', 'You must', 'Always'])} ${p(['copy', 'save', 'store', 'write down', 'keep', 'rotate'])} ${p(secret)}${p([' before you close the dialog', ': it is shown once', ' in a safe place', ', because it cannot be recovered', ' in an environment variable'])}.`,
  (p) =>
    `${p(['Send', 'Show', 'Forward', 'Mail'])} the user ${p(['an email', 'a link', 'a code', 'a message', 'a notification'])} ${p(['and ask them to confirm', 'to verify the address', 'with a one-time code', 'to reset the password', 'and redirect them to the login page', 'that expires in an hour'])}.`,
  (p) =>
    `${p(['The server', 'The service', 'Your application', 'The provider', 'The endpoint'])} ${p(['sends', 'returns', 'asks for', 'checks', 'stores', 'never returns'])} ${p(['the email address of the user', 'the password of the user', 'the session cookie', 'the access token', "the user's consent", 'a list of all users'])}.`,
  (p) =>
    `${p(['Never', 'Do not'])} ${p(['commit', 'share', 'log', 'publish', 'send', 'expose'])} ${p(secret)}${p([' to the repository', ' in the browser', ' with anyone', ' in plain text', '. Keep it in .env', ' to the client'])}.`,
  (p) =>
    `Send a ${p(['POST', 'GET', 'PUT', 'DELETE'])} request ${p(['with', 'that has'])} ${p(secret)} ${p(['in the header', 'in the body', 'as a parameter', 'in the Authorization header'])} to ${p(['get an access token', 'delete a record', 'refresh the session', 'create a user', 'read all rows'])}.`,
  (p) =>
    `${p(['The system prompt', 'A prompt', 'The instruction', 'The message of the system'])} ${p(['tells the model', 'says', 'defines', 'describes'])} ${p(['how to answer', 'which tools it may use', 'its role', 'what to do with missing data', 'the format of the answer'])}.`,
  (p) =>
    `${p(['To ignore', 'To override', 'To skip', 'To bypass', 'To disable'])} ${p(['the cache', 'previous errors', 'the default rules', 'all warnings', 'the check', 'the global settings', 'earlier values'])}, ${p(['pass', 'set', 'use', 'add'])} ${p(['--force', 'the option', 'ignore', 'a comment', 'your own'])}.`,
  (p) =>
    `${p(['Show me', 'Here is', 'See', 'Run', 'Copy'])} ${p(['the code', 'the command', 'the steps', 'the whole file', 'the following example', 'the result'])}${p([' and paste it into a terminal', ' to check that it works', ' in your browser', ' to continue', ''])}.`,
  (p) =>
    `${p(['An agent', 'The agent', 'Your assistant', 'The model', 'An LLM'])} ${p(['can', 'may', 'will'])} ${p(['call tools', 'answer questions about your data', 'read files', 'search the documentation', 'return structured output', 'keep a history of messages'])} ${p(['if you pass them', 'with this option', 'when it needs to', 'by default', 'after you add a tool'])}.`,
  (p) =>
    `If the user ${p(['is not signed in', 'has no permission', 'does not exist', 'confirms', 'denies consent', 'closes the page'])}, ${p(['redirect them to the login page', 'return an error', 'show a message', 'send a new link', 'do not reveal whether the account exists', 'delete the session'])}.`,
]

/** `count` short texts of ordinary documentation, the same in each run. */
export function ownOrdinary(count: number): string[] {
  const { pick } = randomFrom(2)
  return Array.from({ length: count }, () => Array.from({ length: pick([1, 2, 2, 3]) }, () => pick(ordinary)(pick)).join(' '))
}

/** The message after a start at a terminal: the address, and the first things to do. */
export const greeting = (url: string, command: string): string => `
  Carrel is running at ${url}

  Open it in a browser, or:

  1. Add a library         ${command} add honojs/website
  2. Ask a question        ${command} ask /honojs/website "How do I read a header?"
  3. Connect an agent      claude mcp add --transport http carrel ${url}/mcp

  Press Ctrl-C to stop. ${command} --help lists all commands.

`
